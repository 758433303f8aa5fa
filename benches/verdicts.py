#!/usr/bin/env python3
"""How often `rab versus` says the right thing, end to end.

Series of pairs of runs against two servers that answer after a set time (benches/timed_server.rs), both the same,
then one of them slower. The same must be called "same" or "cannot tell" in 18 of 20 series, a fifth more must be called
"worse" in 15 of 20. Everything is on loopback; servers are started on free ports and ended at the end.

    cargo build --release --bin rab --example timed-server
    python3 benches/verdicts.py [--series 20] [--pairs 10] [--requests 500] [--folder target/release]

Prints a line a series; the exit code is 0 if both are as they must be.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

SERVICE_US = 1000
SLOWER_US = 1200


class Server:
    """A server that takes so many microseconds for an answer."""

    def __init__(self, folder, microseconds):
        program = os.path.join(folder, "examples", "timed-server")
        self.process = subprocess.Popen([program, str(microseconds)], stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/"

    def end(self):
        self.process.terminate()
        self.process.wait()


def series(options, urls, seed):
    """One series; the conclusion, and the sentence that answers."""
    words = ["versus", "--json", "-q", "-k", "-c", "4", "-n", str(options.requests), "--repeat", str(options.pairs)]
    command = [os.path.join(options.folder, "rab"), *words, "--warm-up", "200", "--seed", str(seed), *urls]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 10, 12):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout)
    return found["conclusion"], found["sentence"]


def measure(options, name, times):
    """How often each verdict was given."""
    servers = [Server(options.folder, time) for time in times]
    found = collections.Counter()
    try:
        for number in range(options.series):
            conclusion, sentence = series(options, [server.url for server in servers], number)
            found[conclusion] += 1
            print(f"{name} {number + 1:2} of {options.series}: {sentence}", flush=True)
    finally:
        for server in servers:
            server.end()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--series", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--folder", default="target/release")
    options = parser.parse_args()
    print("load average", *os.getloadavg())
    same = measure(options, "same  ", [SERVICE_US, SERVICE_US])
    slower = measure(options, "slower", [SERVICE_US, SLOWER_US])
    print("load average", *os.getloadavg())
    print(f"same server:          {dict(same)}")
    print(f"a fifth more service: {dict(slower)}")
    quiet = same["same"] + same["cannot-tell"] >= 0.9 * options.series
    good = quiet and slower["worse"] >= 0.75 * options.series
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
