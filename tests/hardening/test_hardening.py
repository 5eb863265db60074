#!/usr/bin/env python3
"""Reads programs as `readelf` sees them and checks that the hardening arrived.

    test_hardening.py PROBE PROGRAM...

The probe has one of everything to harden, so all is asked of it; of the other
programs, what does not depend on their code. Prints TAP.
"""

import platform
import re
import subprocess
import sys
from pathlib import Path

X86 = platform.machine() == "x86_64"


def readelf(program, *options):
    return subprocess.run(
        ["readelf", "--wide", *options, program], capture_output=True, text=True, check=True
    ).stdout


def linked(program):
    """What the linker decided: (question, answer) pairs."""
    header, segments = readelf(program, "--file-header"), readelf(program, "--program-headers")
    dynamic = readelf(program, "--dynamic")
    stack = re.search(r"GNU_STACK.*", segments)
    yield "is position independent", re.search(r"Type:\s+DYN", header) and "INTERP" in segments
    yield "makes its relocations read-only", "GNU_RELRO" in segments
    yield "binds every symbol at start", re.search(r"FLAGS_1.*\bNOW\b", dynamic)
    yield "has no executable stack", stack and "RWE" not in stack.group(0)
    yield "has no segment that is writable and executable", not re.search(
        r"\bLOAD\b.*\bRWE\b", segments
    )
    yield "changes no code while loading", "TEXTREL" not in dynamic


def compiled(program):
    """What the compiler put in, seen in symbols and in the switches it records."""
    symbols = readelf(program, "--symbols")
    debug = readelf(program, "--debug-dump=info", "--dwarf-depth=1")
    switches = " ".join(re.findall(r"DW_AT_producer.*", debug))
    yield "guards its stack frames", "__stack_chk_fail" in symbols
    yield "checks the bounds of copies", "__memcpy_chk" in symbols
    yield "keeps its assertions", "__assert_fail" in symbols
    for switch in (
        "-O2",
        "-std=c17",
        "-fstack-protector-strong",
        "-fstack-clash-protection",
        "-ftrivial-auto-var-init=zero",
        "-fno-delete-null-pointer-checks",
        "-fno-strict-overflow",
        "-fno-strict-aliasing",
    ):
        yield f"is compiled with {switch}", re.search(re.escape(switch) + r"(\s|$)", switches)
    if X86:
        yield "is compiled with -fcf-protection=full", "-fcf-protection=full" in switches


def main():
    probe, *programs = sys.argv[1:]
    answers = [(probe, q, a) for q, a in (*linked(probe), *compiled(probe))]
    for program in programs:
        answers += [(program, q, a) for q, a in linked(program)]
    print(f"1..{len(answers)}")
    for number, (program, question, answer) in enumerate(answers, 1):
        print(f"{'ok' if answer else 'not ok'} {number} - {Path(program).name} {question}")
    return 0 if all(a for _, _, a in answers) else 1


if __name__ == "__main__":
    sys.exit(main())
