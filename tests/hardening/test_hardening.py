#!/usr/bin/env python3
"""Reads programs as `readelf` sees them and checks that the hardening arrived.

    test_hardening.py PROBE PROGRAM...

The probe has one of everything to harden, so it is also asked for each function that the compiler
should have guarded; of the other programs, only what does not depend on their code. Prints TAP.
"""

import platform
import re
import subprocess
import sys
from pathlib import Path

X86 = platform.machine() == "x86_64"
ROOT = Path(__file__).resolve().parent.parent.parent


def readelf(program, *options):
    return subprocess.run(
        ["readelf", "--wide", *options, program], capture_output=True, text=True, check=True
    ).stdout


def branch_marks(program):
    """What a program says of its own branches: {"IBT", "SHSTK"} when all of it was compiled for them."""
    return set(re.findall(r"\b(?:IBT|SHSTK)\b", readelf(program, "--notes")))


def start_files():
    """What the C library puts before and behind every program."""
    for name in ("Scrt1.o", "crti.o", "crtn.o"):
        yield subprocess.run(
            ["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()


def linked(program):
    """What the linker decided: (question, answer) pairs.

    The marks of branches are dropped as soon as one object has none. Those of Debian's C library have
    none, so no program there can have them, and all that is asked is that ours takes none away: where
    the library is marked the program must be, and compiled() has every unit of it.
    """
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
    yield "has no text relocations", "TEXTREL" not in dynamic
    lost = set.intersection(*map(branch_marks, start_files())) - branch_marks(program)
    yield "keeps the branch protection marks of the C library", not X86 or not lost
    searched = re.search(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
    folders = searched.group(1).split(":") if searched else []
    yield "searches for libraries in no absolute folder", all(
        folder.startswith("$ORIGIN/") for folder in folders
    )
    # A name that begins with the root: the names below it are relative, and may look like a short one.
    yield "does not contain the path of the source tree", (
        b"\0" + str(ROOT).encode() not in Path(program).read_bytes()
    )


def guarded(program):
    """What the compiler put in where the code has something to guard."""
    symbols = readelf(program, "--symbols")
    yield "checks the bounds of copies", "__memcpy_chk" in symbols
    yield "keeps its assertions", "__assert_fail" in symbols


def compiled(program):
    """What the compiler was told, seen in symbols and in the switches it records in each unit."""
    symbols = readelf(program, "--symbols")
    debug = readelf(program, "--debug-dump=info", "--dwarf-depth=1")
    units = re.findall(r"DW_AT_producer.*GNU C.*", debug)
    yield "has only units that were compiled from C", len(units) == len(re.findall("DW_TAG_compile_unit", debug))
    yield "guards its stack frames", "__stack_chk_fail" in symbols
    yield "calls the checked functions of the C library", re.search(r"__\w+_chk\b", symbols)
    for switch in (
        "-O2",
        "-std=c17",
        "-fstack-protector-strong",
        "-fstack-clash-protection",
        "-ftrivial-auto-var-init=zero",
        "-fno-delete-null-pointer-checks",
        "-fno-strict-overflow",
        "-fno-strict-aliasing",
        *(["-fcf-protection=full"] if X86 else []),
    ):
        told = re.compile(re.escape(switch) + r"(\s|$)")
        yield f"is compiled with {switch}", units and all(told.search(unit) for unit in units)


def main():
    probe, *programs = sys.argv[1:]
    answers = [(probe, q, a) for q, a in guarded(probe)]
    for program in (probe, *programs):
        answers += [(program, q, a) for q, a in (*linked(program), *compiled(program))]
    print(f"1..{len(answers)}")
    for number, (program, question, answer) in enumerate(answers, 1):
        print(f"{'ok' if answer else 'not ok'} {number} - {Path(program).name} {question}")
    return 0 if all(a for _, _, a in answers) else 1


if __name__ == "__main__":
    sys.exit(main())
