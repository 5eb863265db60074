#!/usr/bin/env python3
"""Lets the shells themselves complete: bash, zsh and fish, with the scripts of `kubectl-sei
completion`, or with those of the real kubectl, which asks the plugin through kubectl_complete-sei.

    test_shells.py KUBECTL_SEI KUBECTL_COMPLETE_SEI [CONTROLPLANE_BUILD]

With the last one, which says where kubectl is, it is kubectl's completion that is tried. Prints TAP.
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 120  # a shell that does not complete is waited for so long

BASH = """
for each in /usr/share/bash-completion/bash_completion; do [ -r $each ] && . $each; done
. <({program} completion bash)
COMP_WORDS=({line}) COMP_CWORD={last} COMP_LINE='{line}' COMP_POINT={length}
{function}
echo "${{COMPREPLY[@]}}"
"""


def environment(folder):
    path = f"{folder}:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(folder), "ZDOTDIR": str(folder), "TERM": "dumb", "LANG": "C.UTF-8"}


def printed(folder, *words):
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=PATIENCE_S, env=environment(folder)
    )
    return done.stdout.strip()


def in_bash(folder, program, line):
    function = "_kubectl_sei" if program == "kubectl-sei" else "__start_kubectl"
    words = line.split()
    script = BASH.format(
        program=program, function=function, line=line, last=len(words) - 1, length=len(line)
    )
    return f"{' '.join(words[:-1])} {printed(folder, 'bash', '-c', script)}"


def in_fish(folder, program, line):
    offers = printed(folder, "fish", "-c", f"{program} completion fish | source; complete -C '{line}'")
    return f"{' '.join(line.split()[:-1])} {offers.split(chr(9))[0]}"


def read_until(terminal, wanted):
    """What a terminal shows, up to a text; all of it when that does not come in time."""
    shown, end = "", time.monotonic() + PATIENCE_S
    while wanted not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            piece = os.read(terminal, 4096).decode(errors="replace")
            shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|\r", "", shown + piece)
    return shown


def in_zsh(folder, program, line, wanted):
    """zsh completes for people alone: a terminal, and the key."""
    shell, terminal = pty.fork()
    if shell == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment(folder))
    setup = f"PS1=; autoload -U compinit; compinit -u -D; source <({program} completion zsh)"
    os.write(terminal, f"{setup}; print REA''DY\n".encode())
    read_until(terminal, "READY")
    os.write(terminal, f"{line}\t".encode())
    shown = read_until(terminal, wanted)
    os.kill(shell, signal.SIGKILL)
    os.waitpid(shell, 0)
    os.close(terminal)
    return wanted if wanted in shown else shown


def asked(folder, program):
    base = "kubectl-sei" if program == "kubectl-sei" else "kubectl sei"
    for line, last in (("ver", "version"), ("rollout pro", "rollout promote")):
        wanted = f"{base} {last}"
        yield f"bash completes {line}", in_bash(folder, program, f"{base} {line}"), wanted
        yield f"fish completes {line}", in_fish(folder, program, f"{base} {line}"), wanted
        yield f"zsh completes {line}", in_zsh(folder, program, f"{base} {line}", wanted), wanted


def main(plugin, complete, build=None):
    number = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        links = {"kubectl-sei": plugin, "kubectl_complete-sei": complete}
        if build:
            links["kubectl"] = Path(subprocess.check_output([build], text=True).strip()) / "kubectl"
        for link, target in links.items():
            (folder / link).symlink_to(Path(target).resolve())
        for question, answer, wanted in asked(folder, "kubectl" if build else "kubectl-sei"):
            number += 1
            failed += answer != wanted
            print(f"{'ok' if answer == wanted else 'not ok'} {number} {question}", flush=True)
            if answer != wanted:
                print(f"# got {answer!r}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
