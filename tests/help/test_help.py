#!/usr/bin/env python3
"""Asks programs for their help, as a person would, and checks that it helps.

    test_help.py PROGRAM...

Prints TAP.
"""

import re
import subprocess
import sys
from pathlib import Path

COLUMNS = 100


def run(program, *words):
    return subprocess.run(
        [program, *words], capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin"}
    )


def about(text, flag):
    """The lines below a flag, which say what it is for."""
    match = re.search(rf"^  {flag}\b.*\n((?:        .*\n)+)", text, re.M)
    return match and match.group(1).strip()


def asked(program):
    """Answers to the questions of a person who has just found the program."""
    name = Path(program).name.replace("kubectl-", "kubectl ")
    help_ = run(program, "--help")
    text = help_.stdout
    flags = re.findall(r"^  (--[a-z0-9-]+)", text, re.M)
    examples = text.partition("\nExamples:\n")[2].split("\n\n")[0]
    shown = re.findall(r"(?<=\s)(--[a-z0-9-]+)", examples)
    wrong = run(program, "--no-such-flag")

    yield "prints its help and exits with 0", help_.returncode == 0 and not help_.stderr
    yield "begins its help with its name and purpose", re.match(rf"{name}: \w+", text)
    yield "shows its usage in its help", f"\nUsage:\n  {name} " in text
    yield "gives examples in its help", f"  {name}" in examples
    yield "lists its flags in its help", flags and "--help" in flags and len(flags) == len(set(flags))
    yield "explains each flag in its help", flags and all(about(text, flag) for flag in flags)
    yield "uses only existing flags in its examples", all(flag in flags for flag in shown)
    yield "prints help that fits on a screen", all(len(line) <= COLUMNS for line in text.splitlines())
    yield "documents its exit status", re.search(r"ends with 0|^Exit status:\n  0$", text, re.M)
    yield "prints the same help for -h", run(program, "-h").stdout == text
    yield "points to --help after an unknown flag", (
        wrong.returncode == 2 and "--no-such-flag" in wrong.stderr and "--help" in wrong.stderr
    )
    for flag in flags:
        known = run(program, f"{flag}", "--help")
        yield f"accepts {flag}", "no flag" not in known.stderr


def main(programs):
    number = failed = 0
    for program in programs:
        for question, answer in asked(program):
            number += 1
            failed += not answer
            print(f"{'ok' if answer else 'not ok'} {number} {Path(program).name} {question}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1:]))
