#!/usr/bin/env python3
"""What tools/bootstrap says and leaves behind when something is missing, and that its next run works.

    test_bootstrap.py TOOLS

apt, pip and the others are stand-ins; nothing is installed or fetched. Prints TAP.
"""

import fcntl
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOOLS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tools"
BOOTSTRAP = (TOOLS / "bootstrap").read_text(encoding="utf-8")

# Stand-ins that find everything installed but yyjson, and can install and fetch nothing.
OFFLINE = {
    "dpkg-query": "for word; do echo \"installed $word\"; done",
    "pkg-config": "exit 1",
    "apt-cache": "exit 0",
    "apt-get": "echo 'Temporary failure resolving deb.debian.org'; exit 100",
    "id": "echo 0",
    "df": "echo header; echo disk 9 9 999999 0% /",
    "python3": '[ "$3" = --version ] || { echo "No route to the index"; exit 1; }',
}
NOTHING_INSTALLED = {"dpkg-query": "exit 1"}
ALSO_YYJSON = {"pkg-config": "exit 0"}


def archive_of_yyjson(path):
    """What pip would fetch."""
    version = re.search(r"^yyjson_package_version=(.*)$", BOOTSTRAP, re.M).group(1)
    name = f"yyjson-{version}"
    with tarfile.open(path / f"{name}.tar.gz", "w:gz") as archive:
        for file in ("LICENSE", "yyjson/yyjson.c", "yyjson/yyjson.h"):
            text = b'#define YYJSON_VERSION_STRING "0.10.0"\n'
            info = tarfile.TarInfo(f"{name}/{file}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))


class Tree:
    """A tree with nothing but tools/bootstrap."""

    def __init__(self, root):
        self.root = root
        (root / "tools").mkdir(parents=True)
        shutil.copy(TOOLS / "bootstrap", root / "tools" / "bootstrap")

    def start(self, profile, system="ID=debian\nVERSION_ID=12\n", **standins):
        folder = self.root / "bin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, script in {**OFFLINE, **standins}.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        if system:
            (folder / "os-release").write_text(system, encoding="utf-8")
        return subprocess.Popen(
            [self.root / "tools" / "bootstrap", profile],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **os.environ,
                "PATH": f"{folder}:{os.environ['PATH']}",
                "OS_RELEASE": str(folder / "os-release"),
            },
        )

    def run(self, *args, **options):
        process = self.start(*args, **options)
        said, _ = process.communicate()
        return process.returncode, said


def cases(root):
    tree = Tree(root / "a tree")
    code, said = tree.run("build", **ALSO_YYJSON)
    yield "bootstrap prints nothing when no package is missing", (code, said) == (0, "")

    code, said = tree.run("build", **NOTHING_INSTALLED, **ALSO_YYJSON)
    yield "bootstrap fails if apt cannot fetch a package", code == 1
    yield "a failed apt run is reported with its own message", "Temporary failure resolving" in said
    yield "a failed apt run is reported with its packages and the likely cause", re.search("could not install .*network", said)
    yield "a failed apt run is reported with the path of the complete log", "all output is in build/bootstrap.log" in said

    code, said = tree.run("build", **NOTHING_INSTALLED, **ALSO_YYJSON, df="echo h; echo d 9 9 0 100% /")
    yield "bootstrap names a full disk", "the disk of build/ is full" in said

    code, said = tree.run("build", system=None, **NOTHING_INSTALLED, **ALSO_YYJSON)
    yield "bootstrap installs nothing on an unknown system", code == 2 and "nothing is installed" in said
    yield "bootstrap lists the missing packages of an unknown system", "libcurl4-openssl-dev" in said and "meson" in said

    code, said = tree.run("build", **NOTHING_INSTALLED, id="echo 1000", sudo="exit 1")
    yield "bootstrap without root prints the command for root", code == 2 and "apt-get install" in said

    code, said = tree.run("build")
    yield "bootstrap fails without a package index for pip", code == 1 and "network and a package index" in said
    yield "a failed pip run is reported with its own message", "No route to the index" in said

    # Killed while it fetched: half a folder is there.
    (tree.root / "build/deps/yyjson.new/source/half").mkdir(parents=True)
    archive_of_yyjson(root)
    fetch = f'[ "$3" = --version ] || cp "{root}"/yyjson-*.tar.gz "$PWD/build/deps/yyjson.new"'
    code, said = tree.run("build", python3=fetch)
    header = tree.root / "build/deps/yyjson/yyjson.h"
    yield "a bootstrap after an interrupted one succeeds", code == 0 and header.is_file()

    with open(tree.root / "build/bootstrap.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = tree.start("build")
        line = second.stdout.readline()
        yield "a second bootstrap in the same tree reports that it waits", "waiting for another" in line
    second.communicate()
    yield "a second bootstrap continues when the first has ended", second.returncode == 0


def main():
    number = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, good) in enumerate(cases(Path(folder).resolve()), 1):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {title}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
