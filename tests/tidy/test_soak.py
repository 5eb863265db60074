#!/usr/bin/env python3
"""tools/soak with simulators that behave as they are told: what it plays, and what it says of one
that fails.

    test_soak.py TOOLS

Prints TAP.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools"

# Simulators: each writes down what it was asked, next to itself.
FINE = "echo \"seed $4: converged; hash 1\""
FLEET_7_FAILS = """
[ "$2 $4" = "fleet 7" ] || { echo "seed $4: converged; hash 1"; exit 0; }
[ "$5" != --trace ] || echo "0.001 person rolls to v2"
echo "seed $4: a pod was deleted twice; hash 1"
exit 1
"""
CRASHES = "kill -SEGV $$"
FORGETFUL = "echo \"seed $4: converged; hash $$\""


class Soak:
    """A tree with tools/soak, a simulator, and what became of it."""

    def __init__(self, folder, simulator, *words):
        (folder / "tools").mkdir()
        shutil.copy(TOOLS / "soak", folder / "tools" / "soak")
        self.sim = folder / "sim"
        self.sim.write_text(f'#!/bin/sh\necho "$@" >>"$0.asked"\n{simulator}\n', encoding="utf-8")
        self.sim.chmod(0o755)
        done = subprocess.run(
            [folder / "tools" / "soak", "--program", self.sim, *words],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.code, self.said, self.wrong = done.returncode, done.stdout, done.stderr
        asked = folder / "sim.asked"
        self.asked = asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []
        self.traces = {
            trace.name: trace.read_text(encoding="utf-8")
            for trace in (folder / "build" / "soak").glob("*")
        }


def play(simulator, *words):
    with tempfile.TemporaryDirectory() as folder:
        return Soak(Path(folder), simulator, *words)


def first_seed(soak):
    return re.search(r"from seed (\d+)", soak.said).group(1)


def cases():
    soak = play(FINE, "--seed", "30", "--rounds", "2")
    yield "soak succeeds when all stories succeed", soak.code == 0 and "all went well" in soak.said
    kinds = ("nodes", "fleet", "nodes-storm", "fleet-storm")
    wanted = {f"--scenario {kind} --seed {n}" for kind in kinds for n in (30, 31)}
    yield "soak plays every seed in every scenario", set(soak.asked) == wanted

    seeds = {first_seed(play(FINE, "--rounds", "1")) for _ in range(3)}
    yield "soak without a seed starts with a new seed and prints it", len(seeds) > 1
    yield "soak with zero hours fails", play(FINE, "--hours", "0").code == 1

    soak = play(FLEET_7_FAILS, "--seed", "5", "--hours", "1")
    yield "soak ends at the first failure", soak.code == 1 and "all went well" not in soak.said
    yield "soak prints what failed", "fleet, seed 7: a pod was deleted twice" in soak.said
    again = re.search(r"^    (\S+) --scenario fleet --seed 7 --trace$", soak.said, re.M)
    yield "soak prints the command that repeats the failure", again and again.group(1).endswith("sim")
    yield "soak keeps the trace of the failure", "rolls to v2" in soak.traces.get("fleet-7.trace", "")

    soak = play(CRASHES, "--rounds", "1")
    yield "soak counts a story that crashes as failed", soak.code == 1 and "exit -11" in soak.said
    soak = play(FORGETFUL, "--rounds", "1")
    yield "soak counts a seed with two different results as failed", soak.code == 1 and "twice" in soak.said

    for words in (["--rounds", "0"], ["--hours", "-1"], ["--seed", "x"]):
        soak = play(FINE, *words)
        yield f"soak refuses {' '.join(words)}", soak.code == 2 and words[0] in soak.wrong


def main():
    number = failed = 0
    for number, (title, good) in enumerate(cases(), 1):
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {title}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
