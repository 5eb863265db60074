#!/usr/bin/env python3
"""Opens the packages of build/packages as their users would, and checks what is in them.

    test_packages.py     after `make deb dist`

Nothing is installed: they are unpacked, and the programs run from there. Prints TAP.
"""

import gzip
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build/packages"
sys.path.insert(0, str(ROOT / "tests/hardening"))

from test_hardening import linked, readelf  # noqa: E402

NAMES = ("sei-operator", "kubectl-sei")
VERSION = re.search(r"version: '([0-9.]+)'", (ROOT / "meson.build").read_text("utf-8")).group(1)
ASKED = {"sei-operator": ["--version"], "kubectl-sei": ["version", "--client"]}


def said(*command):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    return done.stdout if done.returncode == 0 else ""


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def only(pattern):
    """The one file of a pattern."""
    found = list(OUT.glob(pattern))
    return found[0] if len(found) == 1 else Path(OUT, pattern)


def program_runs(name, program):
    yield "has a program that prints the version", VERSION in said(program, *ASKED[name])
    searched = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", readelf(program, "--dynamic"))
    yield "has a program without a library search path", not searched
    yield "has a program without debug information", ".debug_info" not in readelf(program, "-S")
    for question, answer in linked(str(program)):
        yield f"has a program that {question}", answer


def deb(name, folder):
    """A Debian package, unpacked into a folder."""
    package = only(f"{name}_*.deb")
    fields = dict(re.findall(r"^([A-Z][\w-]+): (.*)$", said("dpkg-deb", "-f", package), re.M))
    listed = said("dpkg-deb", "-c", package).splitlines()
    said("dpkg-deb", "-x", package, folder)
    said("dpkg-deb", "-e", package, folder / "DEBIAN")
    sums = (folder / "DEBIAN/md5sums").read_text("utf-8").split("\n")[:-1]
    files = [line.split("  ")[1] for line in sums]
    there = [p for p in folder.rglob("*") if p.is_file() and "DEBIAN" not in p.parts]
    depends = fields.get("Depends", "")

    yield "has the file name of its fields", package.name == (
        f"{fields['Package']}_{fields['Version']}_{fields['Architecture']}.deb"
    )
    yield "has the fields that Debian requires", {
        "Maintainer", "Installed-Size", "Section", "Priority", "Homepage", "Description",
    } <= set(fields)  # fmt: skip
    yield "depends on what it is linked with", re.search(r"\blibc6 \(>=", depends) and re.search(
        r"\blibcurl4", depends
    )
    yield "has no library", not (folder / "usr/lib").exists()
    yield "contains only files of root", listed and all(" root/root " in line for line in listed)
    yield "contains only files with plain modes", {line[:10] for line in listed} == {
        "drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--",
    }  # fmt: skip
    yield "lists every file with its sum", sorted(files) == sorted(
        str(p.relative_to(folder)) for p in there
    ) and all(
        hashlib.md5((folder / line.split("  ")[1]).read_bytes()).hexdigest() == line[:32]
        for line in sums
    )
    papers = folder / "usr/share/doc" / name
    manual = next(folder.glob(f"usr/share/man/man*/{name}.*.gz"), None)
    yield "has a manual page", manual and b".SH NAME" in gzip.decompress(manual.read_bytes())
    terms = (papers / "copyright").read_text("utf-8")
    yield "names every license", "Apache-2.0" in terms
    yield "depends on yyjson or names its license", ("libyyjson0" in depends) != (
        "License: Expat\n Permission is" in terms and "YaoYuan" in terms
    )
    yield "has a change log of its version", (
        f"{name} ({VERSION})".encode() in gzip.decompress((papers / "changelog.gz").read_bytes())
    )
    yield from program_runs(name, folder / "usr/bin" / name)


def archive(folder):
    """The plugin's archive, as Krew unpacks it, and the manifest that names it."""
    path = only("kubectl-sei-*.tar.gz")
    manifest = (OUT / "sei.yaml").read_text("utf-8")
    with tarfile.open(path) as packed:
        members = packed.getmembers()
        packed.extractall(folder)
    program = folder / re.search(r"^    bin: (.*)$", manifest, re.M).group(1)

    yield "has no placeholder left in its manifest", not re.search(r"@[A-Z0-9]+@", manifest)
    yield "is listed in the manifest with its checksum", f'sha256: "{sha256(path)}"' in manifest
    yield "is listed in the manifest with its address", f"/v{VERSION}/{path.name}\n" in manifest
    yield "contains only files of root", {(m.uid, m.uname) for m in members} == {(0, "root")}
    yield "contains the executable completion program", (program.parent / "kubectl_complete-sei").stat().st_mode & 0o111
    yield "contains its license", (folder / "LICENSE").is_file()
    yield from program_runs("kubectl-sei", program)


def bill(name, folder):
    """The bill of materials of a program that was unpacked before."""
    made = json.loads(only(f"{name}-*.spdx.json").read_text("utf-8"))
    program = folder / "usr/bin" / name
    packages = {p["SPDXID"]: p for p in made["packages"]}
    relations = made["relationships"]
    linked_to = {
        r["relatedSpdxElement"] for r in relations if r["relationshipType"] == "DYNAMIC_LINK"
    }
    needed = re.findall(r"\(NEEDED\).*\[(\w+?)[-.\d]*\.so", readelf(program, "--dynamic"))

    yield "is SPDX 2.3", made["spdxVersion"] == "SPDX-2.3" and made["dataLicense"] == "CC0-1.0"
    yield "records when and by which tool it was made", re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["creationInfo"]["created"]
    ) and all(c.startswith("Tool: ") for c in made["creationInfo"]["creators"])
    yield "has the checksum of the shipped program", packages["SPDXRef-program"]["checksums"] == [
        {"algorithm": "SHA256", "checksumValue": sha256(program)}
    ]
    yield "has a version and a locator of each package", all(
        p["versionInfo"] and p["externalRefs"][0]["referenceLocator"].startswith("pkg:")
        for p in packages.values()
    )
    yield "has names that SPDX allows", all(
        re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", ref) for ref in packages
    )
    yield "relates exactly the packages that it lists", {
        r[end] for r in relations for end in ("spdxElementId", "relatedSpdxElement")
    } == {"SPDXRef-DOCUMENT", *packages}
    yyjson = [r["relationshipType"] for r in relations if "yyjson" in r["relatedSpdxElement"]]
    yield "links yyjson once", yyjson in (["STATIC_LINK"], ["DYNAMIC_LINK"])
    yield "has every library that the program names", len(needed) > 4 and all(
        any(library.removeprefix("lib")[:4] in ref.lower() or library == "libcrypto"
            for ref in linked_to)
        for library in needed
    )  # fmt: skip


def sums():
    lines = (OUT / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = dict(reversed(line.split("  ")) for line in lines)
    there = {p.name: sha256(p) for p in OUT.iterdir() if p.name != "SHA256SUMS"}
    yield "are the checksums of all files", listed == there and len(there) == 6


def main():
    answers = []
    with tempfile.TemporaryDirectory() as work:
        for name in NAMES:
            folder = Path(work, name)
            folder.mkdir()
            answers += [(f"{name}.deb", *answer) for answer in deb(name, folder)]
            answers += [(f"{name}.spdx.json", *answer) for answer in bill(name, folder)]
        answers += [("the archive", *answer) for answer in archive(Path(work, "krew"))]
        answers += [("the sums", *answer) for answer in sums()]
    for number, (what, question, answer) in enumerate(answers, 1):
        print(f"{'ok' if answer else 'not ok'} {number} - {what} {question}")
    print(f"1..{len(answers)}")
    return 0 if all(answer for _, _, answer in answers) else 1


if __name__ == "__main__":
    sys.exit(main())
