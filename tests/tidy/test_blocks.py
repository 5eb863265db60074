#!/usr/bin/env python3
"""What tools/blocks.py finds in a page, and what it finds wrong. Prints TAP."""

import sys
from pathlib import Path

TOOLS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import blocks  # noqa: E402


def page(kind, body, indent=""):
    lines = ["# A page", "", f"```{kind}", *body.splitlines(), "```", ""]
    return "\n".join(indent + line for line in lines)


CASES = [
    # name, text, blocks of shell, lines of faults
    ("prose alone", "# A page\n\nType `make`.\n", [], []),
    ("a block of shell", page("sh", "make test"), [(4, "make test\n")], []),
    ("one in a list", page("sh", "make test", "   "), [(4, "make test\n")], []),
    ("one of text", page("text", "base -> kube"), [], []),
    ("a help", page("text", "sei-operator: runs nodes.\n\n  sei-operator config"), [], []),
    ("a block without a word", page("", "base -> kube"), [], [4]),
    ("a word that nobody knows", page("shell", "make test"), [], [4]),
    ("a command that says it is text", page("text", "# first\nkubectl get pods"), [], [4]),
    ("one with a prompt", page("text", "$ helm list"), [], [4]),
    ("a program of ours", page("json", "sei-sandbox up"), [], [4]),
    ("a tool of ours", page("text", "tools/boards --all"), [], [4]),
    ("a block by indentation", "# A page\n\nDo\n\n    make test\n", [], [5]),
    ("an item below another", "- one\n\n    - two\n", [], []),
    ("an indented line in a block", page("c", "\n    return 0;"), [], []),
    ("a word and more", page("sh title", "make test"), [], [3, 5]),
    ("another fence", "# A page\n\n~~~\nmake test\n~~~\n", [], [3, 5]),
    ("one that stays open", "# A page\n\n```sh\nmake test\n", [], [3]),
    ("two", page("sh", "make a") + page("", "make b"), [(4, "make a\n")], [9]),
]


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, text, shell, wrong) in enumerate(CASES, 1):
        got = blocks.shell(text), [line for line, _ in blocks.faults(text)]
        fine = got == (shell, wrong)
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} {name}")
        if not fine:
            print(f"# got {got}, want {(shell, wrong)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
