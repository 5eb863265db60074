#!/usr/bin/env python3
"""Calls kubectl-sei as shells and other programs do.

    test_program.py KUBECTL_SEI KUBECTL_COMPLETE_SEI

Prints TAP.
"""

import contextlib
import http.server
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

COMPLETE = """
source <(kubectl-sei completion bash) && COMP_WORDS=(kubectl-sei {words}) COMP_CWORD={at}
_kubectl_sei && echo "${{COMPREPLY[@]}}"
"""

# The real one runs a plugin for its first word.
KUBECTL = """#!/bin/sh
shift
exec kubectl-sei "$@"
"""

# A login that nobody answers.
SLOW_PLUGIN = """{
current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}],
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,
  command: sleep, args: ['1000'], interactiveMode: IfAvailable}}}]}
"""


# A server that has one node and one fleet.
SMALL_SERVER = """{
current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: 'http://127.0.0.1:%d'}}], users: [{name: u, user: {}}]}
"""
LONG = "it is not ready because " + 20 * "of this and that and " + "of the rest"


UNREADY = {"type": "Ready", "status": "False", "reason": "PodNotReady", "message": LONG}
OBJECTS = {
    "/seinodes/n": {
        "apiVersion": "sei.io/v1alpha1",
        "kind": "SeiNode",
        "metadata": {"name": "n", "namespace": "default"},
        "status": {"conditions": [UNREADY]},
    },
    "/seinodedeployments/f": {
        "apiVersion": "sei.io/v1alpha1",
        "kind": "SeiNodeDeployment",
        "metadata": {"name": "f", "namespace": "default"},
        "spec": {"replicas": 3},
        "status": {"replicas": 3},
    },
}


class SmallServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?", maxsplit=1)[0]
        found = next((thing for end, thing in OBJECTS.items() if path.endswith(end)), None)
        nothing = {"kind": "Status", "apiVersion": "v1", "code": 404, "reason": "NotFound"}
        body = json.dumps(found or nothing).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PATCH(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *_):
        pass


def environment(folder, **more):
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), **more}


def run(folder, *words, **more):
    return subprocess.run(
        words, capture_output=True, text=True, timeout=60, env=environment(folder, **more)
    )


def completed(folder, words, at):
    script = COMPLETE.format(words=words, at=at)
    return run(folder, "bash", "-c", script).stdout.strip()


def man_page(folder):
    """What groff says about the page: every warning, and the text."""
    page = run(folder, "kubectl-sei", "__man").stdout
    shown = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=60
    )
    return shown.stderr, shown.stdout


def closed_pipe(folder):
    """Prints into a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        ["kubectl-sei", "__reference"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(folder),
    ) as program:
        os.close(writing)
        return program.communicate(timeout=60)[1]


def interrupted(folder):
    """Ctrl-C at a terminal while a credential plugin does not end: how the program ends."""
    (folder / "slow").write_text(SLOW_PLUGIN, encoding="utf-8")
    child, terminal = pty.fork()
    if child == 0:
        where = environment(folder, KUBECONFIG=str(folder / "slow"))
        os.execvpe("kubectl-sei", ["kubectl-sei", "get"], where)
    told = b""
    while b"waiting for the credential plugin sleep" not in told:
        told += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    status = os.waitpid(child, 0)[1]
    os.close(terminal)
    return os.waitstatus_to_exitcode(status)


@contextlib.contextmanager
def small_server(folder):
    """The kubeconfig of a server that runs meanwhile."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), SmallServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (folder / "small").write_text(SMALL_SERVER % server.server_port, encoding="utf-8")
        yield str(folder / "small")
        server.shutdown()


def piped(folder, **more):
    """What `status` writes into a pipe."""
    with small_server(folder) as kubeconfig:
        words = ("kubectl-sei", "status", "node/n")
        return run(folder, *words, KUBECONFIG=kubeconfig, **more).stdout


def answered(folder, answer):
    """How the pause of a fleet ends at a terminal where this is typed, and what it printed."""
    with small_server(folder) as kubeconfig:
        child, terminal = pty.fork()
        if child == 0:
            words = ["kubectl-sei", "pause", "fleet/f"]
            os.execvpe("kubectl-sei", words, environment(folder, KUBECONFIG=kubeconfig))
        told = b""
        while b"[y/N]" not in told:
            told += os.read(terminal, 4096)
        os.write(terminal, answer)
        with contextlib.suppress(OSError):  # what Linux says when its last user is gone
            while more := os.read(terminal, 4096):
                told += more
        status = os.waitpid(child, 0)[1]
        os.close(terminal)
    return os.waitstatus_to_exitcode(status), told.decode()


def asked(folder):
    nowhere = {"KUBECONFIG": str(folder / "nowhere")}
    lost = run(folder, "kubectl-sei", "get", **nowhere)
    plain = run(folder, "kubectl-sei", "explain", "Paused")
    painted = run(folder, "kubectl-sei", "explain", "Paused", "--color=always", NO_COLOR="1")

    yield "bash completes a command", completed(folder, "ver", 1) == "version"
    yield "bash completes the second word", completed(folder, "rollout pro", 2) == "promote"
    yield "bash completes a flag", completed(folder, "get --all", 2) == "--all-namespaces"
    yield "kubectl completes the plugin", run(
        folder, "kubectl_complete-sei", "explain", "DataVolumeM"
    ).stdout == "DataVolumeMissing\n:4\n"
    yield "a missing kubeconfig is reported", lost.returncode == 2 and "KUBECONFIG" in lost.stderr
    yield "output without a terminal has no colours", "\033" not in plain.stdout and plain.returncode == 0
    yield "requested colours are printed without a terminal", "\033[1m" in painted.stdout
    yield "lines into a pipe are not cut", LONG in piped(folder)
    narrow = piped(folder, COLUMNS="60").splitlines()
    yield "lines into a pipe are as wide as $COLUMNS", 40 < max(map(len, narrow), default=0) <= 60
    yield "a closed pipe prints no error", not closed_pipe(folder)
    yield "Ctrl-C ends the wait for a login", interrupted(folder) == -signal.SIGINT
    code, told = answered(folder, b"n\n")
    yield "answering no at the terminal pauses no fleet", code == 2 and "was not changed" in told
    code, told = answered(folder, b"y\n")
    yield "answering yes at the terminal pauses the fleet", code == 0 and "is to pause" in told
    code, told = answered(folder, b"\x04")
    yield "Ctrl-D at the terminal pauses no fleet", code == 2 and "was not changed" in told
    if shutil.which("groff"):
        faults, text = man_page(folder)
        yield "the man page is well formed", not faults and "looks after Sei nodes" in text


def main(program, complete):
    number = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kubectl-sei").symlink_to(Path(program).resolve())
        (folder / "kubectl_complete-sei").symlink_to(Path(complete).resolve())
        (folder / "kubectl").write_text(KUBECTL, encoding="utf-8")
        (folder / "kubectl").chmod(0o755)
        for question, answer in asked(folder):
            number += 1
            failed += not answer
            print(f"{'ok' if answer else 'not ok'} {number} {question}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
