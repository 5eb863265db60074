#!/usr/bin/env python3
"""tools/check and tools/runner.py: a case that did not pass is never counted as one that did, and what
they print and leave behind when something goes wrong.

    test_check.py TOOLS

meson and ninja are stand-ins; nothing is compiled. Prints TAP.
"""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOLS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools"

# What a program of cases prints, its exit code, and how many cases pass and fail.
COUNTED = [
    ("each case of TAP counts", "echo 1..2; echo ok 1 - a; echo ok 2 - b", (2, 0)),
    ("a failed case counts once", "echo 1..2; echo ok 1 - a; echo not ok 2 - b; exit 1", (1, 1)),
    ("a failed case counts whatever the exit code", "echo 1..1; echo not ok 1 - a", (0, 1)),
    ("an exit code that no case explains is a failure", "echo 1..1; echo ok 1 - a; exit 1", (1, 1)),
    ("a crash after good cases is a failure", "echo 1..2; echo ok 1 - a; kill -SEGV $$", (1, 1)),
    ("a program that hangs is a failure", "echo 1..2; echo ok 1 - a; sleep 60", (1, 1)),
    ("a program that prints nothing is a failure", "exit 0", (0, 1)),
    ("a program that plans no case is a failure", "echo 1..0 # SKIP no server", (0, 1)),
    ("a program without a plan is a failure", "echo ok 1 - a", (1, 1)),
    ("a planned case that did not run is a failure", "echo 1..2; echo ok 1 - a", (1, 1)),
    ("a skipped case is a failure", "echo 1..2; echo ok 1 - a; echo 'ok 2 - b # SKIP c'", (1, 1)),
    ("a case that fails and is skipped is a failure", "echo 1..1; echo 'not ok 1 # SKIP'", (0, 1)),
    ("a word that begins with ok is no case", "echo okay; echo 1..1; echo ok 1 - a", (1, 0)),
    ("two cases of one name are two", "echo 1..2; echo ok 1 - a; echo ok 2 - a", (2, 0)),
    ("a case on standard error is none", "echo 1..1; echo ok 1 - a; echo ok 2 - b >&2", (1, 0)),
    ("what a program leaves behind keeps nobody waiting", "sleep 60 & echo 1..1; echo ok 1 - a", (1, 0)),
]

# A program of tests/test_main.c: two files, of which one case may misbehave as $BEHAVE says.
LISTED = """
if [ "$1" = --list ]; then echo 'a/one: x'; echo 'a/one: y'; echo 'a/two: z'; exit; fi
case "$*" in *one*|'') echo 'ok 1 - a/one: x (7 ms)'; $BEHAVE ;; esac
case "$*" in *two*|'') echo 'ok 3 - a/two: z (9000 ms)' ;; esac
"""
WELL = "echo 'ok 2 - a/one: y (3 ms)'"

MESON = """
folder=$2
mkdir -p "$folder/meson-info"
cp tests.json "$folder/meson-info/intro-tests.json"
echo '[]' >"$folder/meson-info/intro-targets.json"
"""


class Tree:
    """A tree with tools/check, one program of tests and stand-ins for Meson and Ninja."""

    def __init__(self, root):
        self.root = root
        self.standins = root / "bin"
        (root / "tools").mkdir(parents=True)
        self.standins.mkdir()
        for name in ("check", "runner.py", "cases"):
            shutil.copy(TOOLS / name, root / "tools" / name)
        self.script(self.standins / "meson", MESON)

    def script(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def start(self, program, command="check", ninja=":", protocol="tap", timeout=1, env=None):
        self.script(self.root / "program", program)
        self.script(self.standins / "ninja", f"{ninja}\ncp -p program build/release/program")
        test = {
            "name": "a",
            "suite": ["p:unit"],
            "cmd": [str(self.root / "build" / "release" / "program")],
            "env": {},
            "timeout": timeout,
            "is_parallel": True,
            "protocol": protocol,
            "depends": [],
        }
        info = self.root / "build" / "release" / "meson-info" / "intro-tests.json"
        for path in (self.root / "tests.json", info):
            if path.parent.is_dir():
                path.write_text(json.dumps([test]), encoding="utf-8")
        return subprocess.Popen(
            [self.root / "tools" / "check", *command.split()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **{k: v for k, v in os.environ.items() if k != "SEI_CHECK_HOLDS"},
                "PATH": f"{self.standins}:/usr/bin:/bin",
                **(env or {}),
            },
        )

    def run(self, *args, **options):
        process = self.start(*args, **options)
        said, _ = process.communicate()
        return process.returncode, said

    def counts(self):
        results = self.root / "build" / "results" / "check.json"
        counts = json.loads(results.read_text(encoding="utf-8"))
        return counts["passed"], counts["failed"]


def first_line_with(process, text):
    for line in process.stdout:
        if text in line:
            return line
    return ""


def counting(tree):
    for title, program, wanted in COUNTED:
        code, said = tree.run('[ "$1" = --list ] && exit 2\n' + program)
        good = tree.counts() == wanted and code == (wanted[1] > 0)
        yield title, good, f"wanted {wanted}, got {tree.counts()}\n{said}"
    code, said = tree.run("exit 0", protocol="exitcode")
    yield "a program without TAP is one case", tree.counts() == (1, 0) and code == 0, said
    code, said = tree.run("exit 3", protocol="exitcode")
    yield "a failed program without TAP is one case", tree.counts() == (0, 1) and code == 1, said
    code, said = tree.run("exit 77", protocol="exitcode")
    yield "a skipped program without TAP is a failure", tree.counts() == (0, 1) and code == 1, said


def files_of_a_program(tree):
    code, said = tree.run(":", ninja=":; exit 0")
    yield "a program that was not built is a failure", tree.counts() == (0, 1) and code == 1, said

    code, said = tree.run(LISTED.replace("$BEHAVE", WELL))
    yield "a program is asked for its list of cases", tree.counts() == (3, 0) and code == 0, said
    yield "the slowest cases come last", re.search(r"slowest.*\n +9\.0 s +release +a/two: z\n", said), said
    yield "the last line counts", said.splitlines()[-1].startswith("check: 3 passed, 0 failed"), said

    code, said = tree.run(LISTED.replace("$BEHAVE", "true"))
    yield "a listed case without a result is a failure", tree.counts() == (2, 1), said
    yield "it is named", "FAILED a/one: y\n" in said, said

    code, said = tree.run(LISTED.replace("$BEHAVE", "echo why >&2; echo 'not ok 2 - a/one: y'; exit 1"))
    yield "a failing case is shown with what it printed", "FAILED a/one: y\nfailed\nwhy\n" in said, said
    command = "tools/check case release a 'a/one: y'"
    yield "and with the command that repeats it", f"repeat it: {command}\n" in said, said

    (tree.root / "tests").mkdir(exist_ok=True)
    weights = tree.root / "tests" / "weights.json"
    weights.write_text('{"a/one": 3, "a/two": 9}', encoding="utf-8")
    meet = 'touch {0}; for i in 1 2 3 4 5 6 7 8 9; do [ -e {1} ] && break; sleep 0.1; done; [ -e {1} ]'
    program = LISTED.replace("$BEHAVE", WELL).replace(
        "echo 'ok 3", f"{meet.format('two', 'one')} && echo 'ok 3"
    ).replace("echo 'ok 1", f"{meet.format('one', 'two')} && echo 'ok 1")
    code, said = tree.run(program)
    weights.unlink()
    yield "heavy files run side by side", tree.counts() == (3, 0), said

    code, said = tree.run(":", command="case release b")
    yield "an unknown test is named, with those that exist", code == 2 and "has no test b" in said, said


def trouble(tree):
    code, said = tree.run(":", ninja="echo 'a.c:1: error'; exit 1")
    yield "a failed build is a failure", code == 1 and tree.counts() == (0, 1), said
    yield "its output is shown", "a.c:1: error" in said and "build/log/" in said, said

    full = os.strerror(errno.ENOSPC)
    code, said = tree.run(":", ninja=f"echo 'cannot write a.o: {full}'; exit 1")
    yield "a full disk is named when a build fails", "disk of build/ is full" in said, said

    onto_full = "ln -sf /dev/full ../results/check.json; " + WELL
    code, said = tree.run(LISTED.replace("$BEHAVE", onto_full))
    (tree.root / "build" / "results" / "check.json").unlink()
    yield "and when a result cannot be written", code == 1 and "disk of build/ is full" in said, said

    shutil.move(tree.standins / "meson", tree.root / "meson")
    shutil.rmtree(tree.root / "build")
    code, said = tree.run(":")
    shutil.move(tree.root / "meson", tree.standins / "meson")
    missing = "meson is missing: run tools/bootstrap check" in said or shutil.which("meson", path="/usr/bin")
    yield "a missing program is named, with the remedy", missing, said

    sleeper = f"sleep 47 & echo $! >'{tree.root}/pid'; wait"
    process = tree.start(LISTED.replace("$BEHAVE", sleeper), timeout=60)
    while not (tree.root / "pid").exists() or not (tree.root / "pid").read_text():
        time.sleep(0.05)
    second = tree.start(LISTED.replace("$BEHAVE", WELL))
    line = first_line_with(second, "waits until")
    yield "a second run in the same tree says that it waits", "check (process" in line, line
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    yield "an interrupted run says so", process.returncode == 130 and "interrupted" in said, said
    pid = int((tree.root / "pid").read_text())
    gone = not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text()
    yield "and leaves no process", gone, f"{pid} is alive"
    said, _ = second.communicate()
    yield "and the next run works", second.returncode == 0 and tree.counts() == (3, 0), said

    (tree.root / "tools" / "check").chmod(0o755)
    code, said = tree.run(":", command="tally")
    yield "a target without a result counts as failed", code == 1 and said.endswith(" 4 failed\n"), said


def side_by_side(tree):
    """Two stages of one run, which the lock of the tree does not keep apart."""
    alone = "mkdir ninja.busy || { echo two at once; exit 1; }; sleep 0.5; rmdir ninja.busy"
    held = {"SEI_CHECK_HOLDS": str(tree.root)}
    tree.run("echo 1..1; echo ok 1 - a")  # the tree is set up
    both = [
        tree.start("echo 1..1; echo ok 1 - a", "case release a", ninja=alone, env=held)
        for _ in range(2)
    ]
    said = [process.communicate()[0] for process in both]
    worked = all(process.returncode == 0 for process in both)
    yield "two stages never build in one folder at the same time", worked, "\n".join(said)


def main():
    number = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder).resolve() / "a tree")
        for cases in (counting, files_of_a_program, trouble, side_by_side):
            for title, good, said in cases(tree):
                number += 1
                failed += not good
                print(f"{'ok' if good else 'not ok'} {number} - {title}", flush=True)
                if not good:
                    print("# " + str(said).replace("\n", "\n# "), flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
