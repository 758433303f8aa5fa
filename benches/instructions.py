#!/usr/bin/env python3
"""Holds what a request costs: instructions in user space, counted by callgrind, which no load on the machine changes much.

    instructions.py target/release/rab

The server is an nginx of its own, so that the client is counted alone. Of two runs that differ in their number of requests
the difference is taken, which leaves out what a run costs once.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

# name, options, requests of the longer run, the most a request may cost
CASES = [
    ("keep-alive, wire", ["-k"], 41_000, 3_500),
    ("keep-alive, hyper", ["-k", "--http1.1"], 11_000, 21_000),
    ("new connection, wire", [], 11_000, 7_000),
]
SHORTER_RUN = 1_000

CONFIGURATION = """
worker_processes 1; daemon off; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 1000; }}
http {{
    access_log off; keepalive_requests 1000000000; keepalive_timeout 300;
    client_body_temp_path {place}/b; proxy_temp_path {place}/p; fastcgi_temp_path {place}/f;
    uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200 "Hello\\n"; }} }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, server):
    for _ in range(200):
        if server.poll() is not None:
            break
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx does not answer")


def instructions(program, options, requests, url):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "-q", "-W", "1", "-c", "50",
               "-n", str(requests), *options, url]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    complete = re.search(r"Complete requests:\s+(\d+)\nFailed requests:\s+0\n", run.stdout)
    if not complete or int(complete[1]) != requests:
        sys.exit(f"not all requests were answered well:\n{run.stdout}{run.stderr}")
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def measure(program, url):
    is_within = True
    for name, options, requests, most in CASES:
        longer, shorter = (instructions(program, options, count, url) for count in (requests, SHORTER_RUN))
        cost = (longer - shorter) // (requests - SHORTER_RUN)
        print(f"{name}: {cost} instructions a request, at most {most}", flush=True)
        is_within &= cost <= most
    return is_within


def main():
    program = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as place:
        port, configuration = free_port(), pathlib.Path(place, "nginx.conf")
        configuration.write_text(CONFIGURATION.format(place=place, port=port))
        server = subprocess.Popen(["nginx", "-c", configuration], stderr=subprocess.DEVNULL)
        try:
            wait_for(port, server)
            is_within = measure(program, f"http://127.0.0.1:{port}/")
        finally:
            server.terminate()
            server.wait()
    sys.exit(0 if is_within else "a request costs more than it may")


if __name__ == "__main__":
    main()
