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
    ("a page of prose has no blocks", "# A page\n\nType `make`.\n", [], []),
    ("a shell block is found", page("sh", "make test"), [(4, "make test\n")], []),
    ("a shell block in a list is found", page("sh", "make test", "   "), [(4, "make test\n")], []),
    ("a text block is accepted", page("text", "base -> kube"), [], []),
    ("a help text in a text block is accepted", page("text", "sei-operator: runs nodes.\n\n  sei-operator config"), [], []),
    ("a block without a language is refused", page("", "base -> kube"), [], [4]),
    ("a block with an unknown language is refused", page("shell", "make test"), [], [4]),
    ("a command in a text block is refused", page("text", "# first\nkubectl get pods"), [], [4]),
    ("a command with a prompt in a text block is refused", page("text", "$ helm list"), [], [4]),
    ("a command of this project in a json block is refused", page("json", "sei-sandbox up"), [], [4]),
    ("a tool of this project in a text block is refused", page("text", "tools/boards --all"), [], [4]),
    ("an indented block is refused", "# A page\n\nDo\n\n    make test\n", [], [5]),
    ("a nested list item is not a block", "- one\n\n    - two\n", [], []),
    ("an indented line in a block is accepted", page("c", "\n    return 0;"), [], []),
    ("a block with a title after its language is refused", page("sh title", "make test"), [], [3, 5]),
    ("a block with another fence is refused", "# A page\n\n~~~\nmake test\n~~~\n", [], [3, 5]),
    ("a block without an end is refused", "# A page\n\n```sh\nmake test\n", [], [3]),
    ("a faulty block after a correct one is refused", page("sh", "make a") + page("", "make b"), [(4, "make a\n")], [9]),
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
