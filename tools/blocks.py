"""The blocks of code in the pages of the project: what stands between fences, and what is wrong with
how it stands there. A block of shell is one that tools/pages runs; so none may look like something
else."""

import re
import textwrap

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
INDENTED = re.compile(r"^\n( {4,}(?![-*] |\d+\. )\S.*)$", re.M)
COMMAND = re.compile(r"^(?:\$ )?(?:kubectl|make|meson|helm|export|sei-\w+|tools/\w+) ", re.M)
LEFT = re.compile(r"^[ >]*(?:```|~~~).*$", re.M)
NO_SHELL = ("c", "json", "promql", "text", "yaml")


def pages(root):
    """Every page of a tree, as paths from its root."""
    for path in sorted(root.rglob("*.md")):
        page = path.relative_to(root)
        if not {"build", ".git", ".cache"} & set(page.parts):
            yield str(page)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def fences(text):
    """Each block with the line where it begins and what it is said to be."""
    for found in FENCE.finditer(text):
        yield line_of(text, found.start()) + 1, found.group(2), textwrap.dedent(found.group(3))


def shell(text):
    """The blocks of shell, each with its line."""
    return [(line, body) for line, kind, body in fences(text) if kind == "sh"]


def faults(text):
    """What would keep a block from being run, each with its line."""
    for line, kind, body in fences(text):
        if kind == "sh":
            continue
        if kind not in NO_SHELL:
            known = ", ".join(NO_SHELL)
            yield line, f"a block of {kind or 'nobody knows what'}; say sh, or one of {known}"
        elif COMMAND.search(body):
            yield line, f"a block of {kind} with a command in it that nobody runs; say sh"
    blanked = FENCE.sub(lambda found: "\n" * found.group().count("\n"), text)
    for found in LEFT.finditer(blanked):
        yield line_of(text, found.start()), "a fence that is not understood; say ```WORD and ```"
    for found in INDENTED.finditer(blanked):
        yield line_of(text, found.start(1)), "a block by indentation alone; put it between fences"
