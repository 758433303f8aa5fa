#!/usr/bin/env python3
"""Run every case with the reference and with the tool, and report differences."""

from __future__ import annotations

import argparse
import difflib
import fnmatch
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import caselib  # noqa: E402
import checks  # noqa: E402
import normalise  # noqa: E402
from faultserver import FaultServer, make_certificates  # noqa: E402

PORTS = range(19000, 20000)


@dataclass
class Outcome:
    """What one run of one program on one case left behind."""
    program: str
    port: int
    command: list
    exit: object = None            # exit status, or "timeout", or "signal N"
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    connections: list = field(default_factory=list)
    most_busy: int = 0
    files: dict = field(default_factory=dict)

    @property
    def requests(self) -> list[bytes]:
        return [request for c in self.connections for request in c.requests]


# ---------------------------------------------------------------- running

class Ports:
    """Hands out ports that nobody listens on, one after the other.

    Runs that go on side by side begin at different places.
    """

    def __init__(self):
        self._next = PORTS[os.getpid() * 97 % len(PORTS)]

    def take(self) -> int:
        for _ in PORTS:
            port = self._next
            self._next = port + 1 if port + 1 in PORTS else PORTS.start
            if all(self._free(host, port) for host in ("127.0.0.1", "::1")):
                return port
        raise SystemExit("no free port in 19000-19999")

    @staticmethod
    def _free(host: str, port: int) -> bool:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                return False
        return True


def run_case(case: caselib.Case, program: str, ports: Ports, certs: Path) -> Outcome:
    port = ports.take()
    with tempfile.TemporaryDirectory(prefix="abdiff-") as folder:
        work = Path(folder)
        for name, content in case.files.items():
            (work / name).write_bytes(content.encode() if isinstance(content, str) else content)
        shutil.copy(certs / "client.pem", work / "client.pem")
        server = FaultServer(case.server, port, certs) if case.server else None
        outcome = Outcome(program, port, [program, *case.command_line(port, "client.pem")])
        try:
            _execute(case, outcome, work, server)
        finally:
            if server:
                server.stop()
                outcome.connections, outcome.most_busy = server.connections, server.most_busy
        for name in case.outputs:
            path = work / name
            outcome.files[name] = path.read_text("latin-1") if path.exists() else "(not written)"
    return outcome


def _execute(case, outcome: Outcome, work: Path, server) -> None:
    with open(work / ".stdout", "w+b") as out, open(work / ".stderr", "w+b") as err:
        began = time.monotonic()
        process = subprocess.Popen(outcome.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=work,
                                   start_new_session=True)
        try:
            if case.sigint_at is not None and server.wait_for_requests(case.sigint_at, case.timeout):
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
            status = process.wait(timeout=case.timeout)
            outcome.exit = status if status >= 0 else f"signal {-status}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)     # our own child and what it started
            process.wait(timeout=5)
            outcome.exit = "timeout"
        outcome.seconds = time.monotonic() - began
        for stream, name in ((out, "stdout"), (err, "stderr")):
            stream.seek(0)
            setattr(outcome, name, stream.read(4_000_000).decode("latin-1"))


# ---------------------------------------------------------------- views to compare

def requests_view(case, outcome: Outcome) -> str:
    """The request bytes; who sent how many over which connection when that is determined."""
    def show(raw: bytes) -> str:
        text = normalise.user_agent(normalise.program_and_port(raw.decode("latin-1"), "ab", outcome.port))
        if len(text) > 4000:
            text = text[:1000] + f"[... {len(text)} characters in all]"
        return text.replace("\r", "\\r")

    counted = "Complete requests" not in case.volatile
    distinct = Counter(show(raw) for raw in outcome.requests)
    text = "".join(f"--- {count if counted else '<n>'} x\n{request}\n" for request, count in sorted(distinct.items()))
    # Which address `localhost` leads to is the resolver's business (ab asks with AI_ADDRCONFIG).
    peers = {"localhost" if "//localhost:" in case.args else c.peer for c in outcome.connections}
    text += f"--- peers {sorted(peers)}"
    text += f" server names {sorted({str(c.sni) for c in outcome.connections})}\n"
    if case.watch_concurrency:
        text += f"--- most requests in flight at once {outcome.most_busy}\n"
    elif counted and not re.search(r"(^| )-\w*c", case.args):
        text += f"--- requests per connection {[len(c.requests) for c in outcome.connections]}\n"
    return text


def keep_lines(text: str, pattern: str | None) -> str:
    if pattern is None:
        return text
    return "".join(line + "\n" for line in text.split("\n") if re.search(pattern, line))


def views(case, outcome: Outcome) -> dict[str, str]:
    """Every aspect of an outcome as normalised text."""
    def hide(text: str) -> str:
        return normalise.user_agent(normalise.program_and_port(text, outcome.program, outcome.port))

    banner, body = normalise.split_banner(outcome.stdout)
    received = sum(map(len, outcome.requests))
    return {
        "exit": str(outcome.exit),
        "banner": banner,
        "stdout": keep_lines(normalise.report(hide(body), case.volatile, received), case.stdout_only),
        "stderr": keep_lines(normalise.messages(hide(outcome.stderr), case.volatile), case.stderr_only),
        "requests": requests_view(case, outcome),
        "files": "".join(f"== {n}\n{normalise.side_file(t)}" for n, t in outcome.files.items()),
    }


def first_difference(reference: str, tool: str) -> list[str]:
    """The first changed line of each side."""
    left, right = reference.split("\n"), tool.split("\n")
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            return [f"line {i1 + 1} reference {left[i1] if i1 < i2 else '(nothing)'!r}",
                    f"line {j1 + 1} tool      {right[j1] if j1 < j2 else '(nothing)'!r}"]
    return []


# ---------------------------------------------------------------- assertions

def unmet(expect, outcome: Outcome) -> list[str]:
    """Which assertions of an `expect` or `also` the outcome fails; of a list, one table must hold."""
    if isinstance(expect, list):
        failures = [unmet(table, outcome) for table in expect]
        return [] if [] in failures else [" / or: ".join("; ".join(f) for f in failures)]
    if outcome.exit == "timeout":
        return [f"still running after {outcome.seconds:.0f} s"]
    numbers = checks.parse(outcome.stdout)
    texts = {"stdout": outcome.stdout, "stderr": outcome.stderr, "output": outcome.stdout + outcome.stderr,
             "requests": b"\n".join(outcome.requests).decode("latin-1")}
    bad = []
    for key, wanted in expect.items():
        if key == "exit":
            actual = outcome.exit
        elif key == "seconds":
            actual = outcome.seconds
        elif key.endswith(("_has", "_have", "_lacks")):
            if bool(re.search(wanted, texts[key.split("_")[0]], re.M)) == key.endswith("_lacks"):
                bad.append(f"{key.replace('_', ' ')} /{wanted}/: not so")
            continue
        elif "." in key and key.split(".")[0] in numbers["rows"]:
            row, column = key.split(".")
            actual = numbers["rows"][row][column]
        else:
            actual = numbers.get(key)
        if not _satisfies(actual, wanted):
            bad.append(f"{key} is {actual}, wanted {_describe(wanted)}")
    return bad


def _describe(wanted) -> str:
    if wanted == caselib.FAILURE:
        return "anything but 0"
    return f"between {wanted[0]} and {wanted[1]}" if isinstance(wanted, tuple) else str(wanted)


def _satisfies(actual, wanted) -> bool:
    """A set lists the allowed values, a pair is a range, anything else must be equal."""
    if isinstance(wanted, (set, frozenset)):
        return actual in wanted
    if isinstance(wanted, tuple):
        low, high = wanted
        return actual is not None and low <= actual <= high
    return actual == wanted


# ---------------------------------------------------------------- judging

def judge(case, tool: str, reference: str, ports: Ports, certs: Path) -> tuple[list[str], dict]:
    """(complaints, details).  No complaint means the tool passes."""
    is_reference = shutil.which(tool) == shutil.which(reference)
    run = run_case(case, tool, ports, certs)
    details = {"tool": summary(run)}
    if case.ab_is_wrong:
        failed = [f"expect: {f}" for f in unmet(case.expect, run)] + consistency(case, run)
        if is_reference:
            # The reference must fail here (or may pass if `either`), else the judgement is stale.
            stale = bool(failed) == case.either
            return ([f"the verdict on the reference is stale: {failed}"] if stale else []), details
        return failed, details
    original = run_case(case, reference, ports, certs)
    details["reference"] = summary(original)
    left, right = views(case, original), views(case, run)
    complaints = []
    if case.may_go_on and right["stdout"].startswith(left["stdout"]):
        right["stdout"] = left["stdout"]
    for aspect in case.compare:
        if left[aspect] != right[aspect]:
            complaints += [f"{aspect}: {line}" for line in first_difference(left[aspect], right[aspect])]
    complaints += [f"also: {f}" for f in unmet(case.also, run)]
    return complaints + consistency(case, run), details


def consistency(case, run: Outcome) -> list[str]:
    if not case.extra_checks:
        return []
    return [f"numbers: {complaint}" for complaint in checks.consistency(run.stdout, run.stderr, run.files)]


def summary(run: Outcome) -> dict:
    return {"command": run.command, "exit": run.exit, "seconds": round(run.seconds, 3), "stdout": run.stdout[:20000],
            "stderr": run.stderr[:20000], "requests": len(run.requests), "connections": len(run.connections)}


def golden_text(case, run: Outcome) -> str:
    """The record kept in golden/: what the reference really did."""
    parts = [f"case: {case.name}\npins: {case.pins}\ncommand: ab {case.args}\nport: {run.port}\nexit: {run.exit}\n"]
    if case.ab_is_wrong:
        parts.append(f"ab is wrong here; a good tool: {case.ab_is_wrong}\n")
    parts.append(f"======== stdout\n{clip(run.stdout)}======== stderr\n{clip(run.stderr)}")
    for name, text in run.files.items():
        parts.append(f"======== file {name}\n{clip(text)}")
    parts.append("======== requests (CR shown as \\r)\n" + requests_as_recorded(run))
    return "".join(parts)


def requests_as_recorded(run: Outcome) -> str:
    counts = Counter(clip(r.decode("latin-1").replace("\r", "\\r"), 1500) for r in run.requests)
    text = "".join(f"-- {n} x\n{r}" for r, n in counts.items())
    return text + f"-- requests per connection {[len(c.requests) for c in run.connections][:40]}\n"


def clip(text: str, limit: int = 12000) -> str:
    text = text.replace("\r", "\\r")
    text = "".join(ch if ch in "\n\t" or 32 <= ord(ch) < 127 else f"\\x{ord(ch):02x}" for ch in text)
    if len(text) > limit:
        text = text[:limit] + f"[... cut, {len(text)} characters in all]"
    return text if text.endswith("\n") or not text else text + "[no newline at end]\n"


# ---------------------------------------------------------------- choosing cases

WITH_VALUE = "nctsbBTpuvxyzCHPAgXemZfE"    # ab's letters that take a value
TLS_HTML_FILES = "EZwxyzge"                # those that speak of TLS, the HTML report, or a side file


def letters_and_words(args: list[str]) -> tuple[set[str], list[str]]:
    """The option letters of a command line, those inside clusters too, and its other words."""
    letters, words, rest = set(), [], list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return letters, words + rest
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        for place, letter in enumerate(word[1:], 2):
            letters.add(letter)
            if letter in WITH_VALUE:
                if place == len(word) and rest:
                    rest.pop(0)
                break
    return letters, words


def needs_tls_html_or_files(case) -> bool:
    letters, words = letters_and_words(case.command_line(1, "client.pem"))
    return bool(letters & set(TLS_HTML_FILES)) or any(re.match(r"https://[^/]+/", word) for word in words)


# ---------------------------------------------------------------- command line

def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="ab", help="program under test (default: the reference itself)")
    parser.add_argument("--reference", default="ab")
    parser.add_argument("--only", metavar="PATTERN", help="case to run: a name, else a shell pattern or substring")
    parser.add_argument("--without-tls-html-files", action="store_true",
                        help="leave out the cases that speak TLS, print HTML, or write a side file (-e, -g)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N",
                        help="run everything N times; a case that differs once has failed")
    parser.add_argument("--cases", type=Path, default=HERE / "cases", metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write details of every case")
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    parser.add_argument("--serve", metavar="NAME", help="run the server of one case until interrupted")
    parser.add_argument("--golden", type=Path, metavar="DIR", help="record the reference's behaviour and stop")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat needs a number above 0")
    return options


def chosen(cases, pattern):
    if any(c.name == pattern for c in cases):
        return [c for c in cases if c.name == pattern]
    return [c for c in cases if not pattern or fnmatch.fnmatch(c.name, pattern) or pattern in c.name]


def serve(case, ports: Ports, certs: Path) -> None:
    port = ports.take()
    server = FaultServer(case.server, port, certs)
    print("ab", *case.command_line(port, str(certs / "client.pem")), flush=True)
    try:
        time.sleep(3600)
    except KeyboardInterrupt:
        server.stop()


def main() -> int:
    options = arguments()
    tool = shutil.which(options.tool)
    if tool is None:
        raise SystemExit(f"no such program: {options.tool}")
    if "/" in options.tool:
        options.tool = str(Path(options.tool).resolve())
    cases = chosen(caselib.load(options.cases), options.only)
    if options.without_tls_html_files:
        kept = [case for case in cases if not needs_tls_html_or_files(case)]
        print(f"{len(cases) - len(kept)} cases left out: they need TLS, the HTML report, or a side file", flush=True)
        cases = kept
    if not cases:
        raise SystemExit("no case to run")
    if options.list:
        for case in cases:
            print(f"{case.name:34} {'[ab is wrong] ' if case.ab_is_wrong else ''}{case.pins}")
        return 0
    ports, details, failed = Ports(), {}, set()
    with tempfile.TemporaryDirectory(prefix="abdiff-certs-") as folder:
        certs = Path(folder)
        make_certificates(certs)
        if options.serve:
            serve(next(c for c in cases if c.name == options.serve), ports, certs)
            return 0
        if options.golden:
            for case in cases:
                run = run_case(case, options.reference, ports, certs)
                (options.golden / f"{case.name}.txt").write_text(golden_text(case, run))
            print(f"{len(cases)} cases recorded")
            return 0
        for number in range(options.repeat):
            if options.repeat > 1:
                print(f"round {number + 1} of {options.repeat}", flush=True)
            failed |= run_all(cases, options, ports, certs, details)
    if options.json:
        options.json.write_text(json.dumps(details, indent=1))
    return 1 if failed else 0


def run_all(cases, options, ports: Ports, certs: Path, details: dict) -> set[str]:
    """One round over all cases: the names of those that differ.  `details` keeps the worst round of a case."""
    failed = set()
    for case in cases:
        complaints, record = judge(case, options.tool, options.reference, ports, certs)
        note = " (judged by expect)" if case.ab_is_wrong else ""
        print(f"{'DIFF' if complaints else 'ok  '} {case.name}{note}", flush=True)
        for complaint in complaints:
            print(f"       {complaint[:220]}", flush=True)
        if complaints:
            failed.add(case.name)
        if complaints or case.name not in details:
            details[case.name] = {"pins": case.pins, "same": not complaints, "complaints": complaints, **record}
    print(f"{len(cases) - len(failed)} same, {len(failed)} differ", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
