#!/usr/bin/env python3
"""The counting of tools/check: a case that did not pass is never counted as one that did.

Prints TAP.
"""

import importlib.machinery
import importlib.util
import json
import sys
import tempfile
from pathlib import Path

CHECK = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools" / "check"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check", str(CHECK))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)

# What a test printed, how Meson judged it, and the cases that passed and failed.
CASES = [
    ("a program without TAP is one case", "fine\n", "OK", (1, 0)),
    ("a failed program without TAP is one case", "oh no\n", "FAIL", (0, 1)),
    ("each case of TAP counts", "1..2\nok 1 - one\nok 2 - two\n", "OK", (2, 0)),
    ("a failed case counts once", "1..2\nok 1 - one\nnot ok 2 - two\n", "ERROR", (1, 1)),
    ("a crash after passed cases is a failure", "1..3\nok 1 - one\n", "ERROR", (1, 1)),
    ("a leak found at the end is a failure", "1..1\nok 1 - one\n", "ERROR", (1, 1)),
    ("a program that hung is a failure", "", "TIMEOUT", (0, 1)),
    ("a skipped case has failed", "1..2\nok 1 - one\nok 2 - two # SKIP no server\n", "OK", (1, 1)),
    ("cmocka's skipped case has failed", "1..1\nnot ok 1 # SKIP two\n", "OK", (0, 1)),
    ("a skipped program has failed", "", "SKIP", (0, 1)),
    ("a line that begins with okay is not a case", "okay so far\n1..1\nok 1 - one\n", "OK", (1, 0)),
]


def count(stdout, result):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.json"
        log.write_text(json.dumps({"name": "t", "stdout": stdout, "result": result}) + "\n")
        return check.count_cases(log)


def main():
    failed = 0
    print(f"1..{len(CASES) + 1}")
    for number, (title, stdout, result, wanted) in enumerate(CASES, 1):
        got = count(stdout, result)
        failed += got != wanted
        print(f"{'ok' if got == wanted else 'not ok'} {number} - {title}")
        if got != wanted:
            print(f"# wanted {wanted}, got {got}")
    nothing = check.count_cases(Path("/nonexistent"))
    failed += nothing != (0, 0)
    print(f"{'ok' if nothing == (0, 0) else 'not ok'} {len(CASES) + 1} - a missing log counts no case")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
