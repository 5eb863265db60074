#!/usr/bin/env python3
"""The folder of a sandbox and its operator belongs to one process at a time (tools/stage.py), so a
second `make run` of a tree does not take that of the first away. And what `make run` tells a
newcomer.

    test_stage.py TOOLS

Prints TAP.
"""

import importlib.machinery
import importlib.util
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools"
sys.dont_write_bytecode = True


def copy_tree(root):
    """What tools/run needs to begin, without anything that it could start."""
    (root / "tools").mkdir()
    (root / "samples").mkdir()
    for name in ("run", "stage.py"):
        shutil.copy(TOOLS / name, root / "tools" / name)
    shutil.copy(TOOLS.parent / "samples" / "platform.env", root / "samples" / "platform.env")
    spec = importlib.util.spec_from_file_location("stage", root / "tools" / "stage.py")
    stage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stage)
    return stage


def cases(root):
    stage = copy_tree(root)
    folder = root / "build" / "run"
    with stage.Stage(folder) as first:
        (first.folder / "operator.log").write_text("of the first\n", encoding="utf-8")
        second = subprocess.run(
            [root / "tools" / "run"], capture_output=True, text=True, timeout=60, check=False
        )
        yield "a second tools/run in the same tree is refused", second.returncode != 0
        yield "a refused tools/run names the process that owns the folder", f"process {os.getpid()}" in second.stderr
        yield "a refused tools/run prints how to end that process", f"kill {os.getpid()}" in second.stderr
        yield "a refused tools/run prints no traceback", "Traceback" not in second.stderr
        log = folder / "operator.log"
        yield "a refused tools/run leaves the first one unchanged", log.exists() and log.read_text() == "of the first\n"
    try:
        with stage.Stage(folder):
            yield "the folder is free after the first tools/run has ended", True
    except stage.Trouble:
        yield "the folder is free after the first tools/run has ended", False
    networks = [stage.own_place()[-1] for _ in range(3)]
    yield "sandboxes get different pod networks", len(set(networks)) == 3


# A stage that starts a program, prints its process and is killed.
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import stage
with stage.Stage(stage.ROOT / "build" / "killed") as killed:
    print(killed.start(["/bin/sleep", "600"], "sleep.log").pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def has_ended(pid, seconds=30):
    """Waits until a process has ended; false when it has not by then."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended = bool(select.select([process], [], [], seconds)[0])
    os.close(process)
    return ended


def orphans(root):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, root / "tools"], stdout=subprocess.PIPE, text=True, check=False
    )
    pid = done.stdout.strip()
    yield "a killed stage has started its program", pid.isdigit()
    yield "a program of a killed stage ends with it", pid.isdigit() and has_ended(int(pid))


def told(root):
    """What stands above the screen, of a tree in this folder."""
    sys.path.insert(0, str(root / "tools"))
    loader = importlib.machinery.SourceFileLoader("run_of_test", str(root / "tools" / "run"))
    run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_of_test", loader))
    loader.exec_module(run)
    screen, lines = run.note(is_screen=True), run.note(is_screen=False)
    yield "the note above the screen says what q ends", "q or Ctrl-C here ends it" in screen
    yield "the note without a screen does not mention q", "q or" not in lines and "Ctrl-C here ends" in lines
    yield "the note has the command for a second terminal", f"cd {root} && . build/run/env" == run.env_command(500)
    short = run.env_command(80 if len(str(root)) > 80 else 40)
    yield "a narrow screen gets a short command for a second terminal", str(root) not in short and ". build/run/env" in short


def main():
    number = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for number, (title, good) in enumerate((*cases(root), *orphans(root), *told(root)), 1):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {title}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
