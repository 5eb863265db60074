"""Runs the tests that a build tree lists, in parallel, and counts each case.

A program of tests/test_main.c is split into its files, so that one long file occupies one core and no
more. The longest parts start first (tests/weights.json). A failing case is printed at once, with the
command that repeats it. A skipped case counts as failed, and so does one that was never reported.
"""

import collections
import contextlib
import dataclasses
import json
import os
import queue
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "tests" / "weights.json"

# Weight in seconds of a case that weights.json does not know.
LIGHT = 0.01

# How many times longer than in the release build a test may take in a variant.
PATIENCE = {"asan": 4, "tsan": 8}

SHOWN_LINES = 200  # of what a failing case printed
QUIET_SECONDS = 10  # between two lines of progress in a log
LINGER_SECONDS = 0.5  # for what a program leaves behind

CASE = re.compile(r"(not )?ok\b(?: +(\d+))?(?: +-)? *([^#]*?) *(#\s*skip.*|#.*)?$", re.I)
PLAN = re.compile(r"1\.\.(\d+)\b")
DURATION = re.compile(r" \((\d+) ms\)$")


@dataclasses.dataclass
class Case:
    """What one case proved."""

    name: str
    passed: bool
    seconds: float
    why: str = ""  # why it failed, and what it printed


@dataclasses.dataclass
class Test:
    """One entry of Meson's list of tests."""

    name: str
    suites: frozenset
    command: list
    env: dict
    timeout: float
    parallel: bool
    speaks_tap: bool
    targets: list  # what must be built to run it, as paths


def tests_of(folder):
    """All tests of a build tree that is set up."""
    files = {}
    info = folder / "meson-info"
    for target in json.loads((info / "intro-targets.json").read_text(encoding="utf-8")):
        files[target["id"]] = [Path(name) for name in target["filename"]]
    patience = PATIENCE.get(folder.name, 1)
    return [
        Test(
            name=test["name"],
            suites=frozenset(suite.split(":")[-1] for suite in test["suite"]),
            command=test["cmd"],
            env=test["env"],
            timeout=test["timeout"] * patience,
            parallel=test["is_parallel"],
            speaks_tap=test["protocol"] == "tap",
            targets=[name for target in test["depends"] for name in files[target]],
        )
        for test in json.loads((info / "intro-tests.json").read_text(encoding="utf-8"))
    ]


def environment(test):
    # malloc fills memory with these bytes, so that what reads too early or too late is noticed.
    return {**os.environ, "MALLOC_PERTURB_": "165", **test.env}


@dataclasses.dataclass
class Part:
    """What runs as one process: a test, or one file of its cases."""

    test: Test
    variant: str
    filters: list
    names: list  # of its cases; empty where only the run shows them
    weight: float

    @property
    def name(self):
        return self.names[0].split(": ")[0] if self.filters else self.test.name


def is_ours(test, folder):
    """Whether the test is a program of tests/test_main.c, which knows --list."""
    return test.speaks_tap and Path(test.command[0]).is_relative_to(folder)


def list_cases(test, folder):
    """The names of its cases; none of a program that is not there or does not list them."""
    try:
        listed = subprocess.run(
            [*test.command, "--list"],
            cwd=folder,
            env=environment(test),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
    except OSError:
        return []
    return listed.stdout.splitlines() if listed.returncode == 0 else []


def read_weights():
    return json.loads(WEIGHTS.read_text(encoding="utf-8")) if WEIGHTS.exists() else {}


def parts_of(test, folder, weights):
    names = list_cases(test, folder) if is_ours(test, folder) else []
    files = {}
    for name in names:
        files.setdefault(name.split(": ")[0], []).append(name)
    if len(files) < 2 or not test.parallel or "--together" in test.command:
        weight = sum(weights.get(file, LIGHT) for file in files or [test.name])
        return [Part(test, folder.name, [], names, weight)]
    parts = [
        Part(test, folder.name, [f"--filter={file}: "], cases, weights[file])
        for file, cases in files.items()
        if file in weights
    ]
    # The files that take no time share a process, which costs more to start than they to run.
    light = {file: cases for file, cases in files.items() if file not in weights}
    if light:
        filters = [f"--filter={file}: " for file in light] if parts else []
        cases = [name for file in light.values() for name in file]
        parts.append(Part(test, folder.name, filters, cases, LIGHT * len(cases)))
    return parts


class Children:
    """The processes that run, each in a group of its own, which is ended as one."""

    def __init__(self):
        self.lock, self.running, self.stopped = threading.Lock(), {}, False

    def start(self, command, **options):
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, start_new_session=True, **options
            )
            self.running[child.pid] = child
        if self.stopped:  # while it started
            self.end(child)
            raise KeyboardInterrupt
        return child

    def end(self, child, how=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, how)

    def forget(self, child):
        with self.lock:
            self.running.pop(child.pid, None)

    def end_all(self):
        """Ask all to end, as Ctrl-C does, so that ninja removes what is half written; then make them."""
        self.stopped = True  # no lock: this is called by a signal handler
        for child in list(self.running.values()):
            self.end(child, signal.SIGINT)
        deadline = time.monotonic() + 3
        for child in list(self.running.values()):
            while child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            self.end(child)


children = Children()


class Running:
    """The process of a part."""

    def __init__(self, part, folder):
        self.process = children.start(
            [*part.test.command, *part.filters],
            cwd=folder,
            env=environment(part.test),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def kill(self):
        children.end(self.process)

    def close(self):
        """Its exit code; ends also what it left behind."""
        self.kill()
        code = self.process.wait()
        children.forget(self.process)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def lines(self, deadline):
        """What it prints, line by line: True and the line where it is standard output."""
        out = self.process.stdout.fileno()
        pending = {out: b"", self.process.stderr.fileno(): b""}
        with selectors.DefaultSelector() as selector:
            for stream in pending:
                selector.register(stream, selectors.EVENT_READ)
            ended = None
            while selector.get_map():
                now = time.monotonic()
                if now > deadline:
                    raise TimeoutError
                # Standard error first: a failed assertion explains itself there, before the case ends.
                ready = selector.select(min(0.2, deadline - now))
                for key, _ in sorted(ready, key=lambda pair: pair[0].fd == out):
                    data = os.read(key.fd, 1 << 16)
                    *whole, pending[key.fd] = (pending[key.fd] + data).split(b"\n")
                    if not data:
                        selector.unregister(key.fd)
                        whole, pending[key.fd] = [pending[key.fd]] if pending[key.fd] else [], b""
                    for line in whole:
                        yield key.fd == out, line.decode(errors="replace")
                # A grandchild that outlives its program must not keep the test waiting.
                if self.process.poll() is not None:
                    ended = ended or time.monotonic()
                    if time.monotonic() - ended > LINGER_SECONDS:
                        self.kill()


class Account:
    """The cases of a part, in the order in which it reports them."""

    def __init__(self, part, report):
        self.part, self.report = part, report
        self.cases = {}
        # Standard error comes through a pipe of its own, so it may be of the cases just before.
        self.printed, self.errors = [], collections.deque(maxlen=SHOWN_LINES)
        self.planned = None
        self.before = time.monotonic()

    def hear(self, is_output, line):
        case = CASE.match(line) if is_output and self.part.test.speaks_tap else None
        plan = PLAN.match(line) if is_output and self.part.test.speaks_tap else None
        if plan:
            self.planned = int(plan.group(1))
        if not case:
            (self.printed if is_output else self.errors).append(line)
            return
        failed, number, name, directive = case.groups()
        spent = DURATION.search(name)
        seconds = int(spent.group(1)) / 1000 if spent else time.monotonic() - self.before
        name = DURATION.sub("", name)
        if name not in self.part.names:
            name = f"{self.part.test.name}: {name or number}"
        why = ""
        if directive and re.match(r"#\s*skip", directive, re.I):
            why = f"skipped, which counts as failed: {directive.lstrip('# ')}"
        elif failed:
            why = "failed"
        self.add(name, why, seconds)

    def add(self, name, why, seconds=0.0):
        if name in self.cases and not (why and name in self.part.names):
            name = f"{name} ({len(self.cases) + 1})"
        printed, self.printed = self.printed[-SHOWN_LINES:], []
        self.before = time.monotonic()
        detail = ""
        if why:
            detail = "\n".join([why, *self.errors, *printed])
            self.errors.clear()
        self.cases[name] = Case(name, not why, seconds, detail)
        self.report(self.part, self.cases[name])

    def close(self, code, why):
        """Add what the part owes: cases without a report, and an exit code that no case explains."""
        test = self.part.test
        if not why and code:
            why = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        if not test.speaks_tap:
            self.add(test.name, why, time.monotonic() - self.before)
            return
        for name in self.part.names:
            if name not in self.cases:
                self.add(name, f"no result: {why or 'the program did not run it'}")
        short = not self.cases or self.planned is None or len(self.cases) < self.planned
        if not self.part.names and short:
            planned = "no plan" if self.planned is None else f"{self.planned} planned"
            self.add(f"{test.name}: all cases ran", why or f"{len(self.cases)} ran, {planned}")
        elif why and all(case.passed for case in self.cases.values()):
            self.add(f"{test.name}: the program ends well", why)


class Progress:
    """Tells how far a stage is: one line that changes on a terminal, a line every ten seconds in a log."""

    def __init__(self, lead, live):
        self.lead, self.live = lead, live
        self.total, self.cases = 0, []
        self.began = self.told = time.monotonic()
        self.lock = threading.Lock()

    def text(self):
        failed = sum(not case.passed for case in self.cases)
        total = max(self.total, len(self.cases))
        seconds = time.monotonic() - self.began
        return f"{self.lead}: {len(self.cases)} of {total} cases, {failed} failed, {seconds:.0f} s"

    def tick(self):
        with self.lock:
            if self.live:
                sys.stdout.write(f"\r\x1b[K{self.text()}")
                sys.stdout.flush()
            elif time.monotonic() - self.told > QUIET_SECONDS:
                self.told = time.monotonic()
                print(self.text(), flush=True)

    def report(self, part, case):
        with self.lock:
            self.cases.append(case)
            self.total += not part.names  # its cases were not known before
            if not case.passed:
                lead = "\r\x1b[K" if self.live else ""
                print(f"{lead}FAILED {case.name}\n{case.why}")
                text = f" '{case.name}'" if case.name in part.names else ""
                print(f"repeat it: tools/check case {part.variant} {part.test.name}{text}", flush=True)

    def close(self):
        if self.live:
            sys.stdout.write("\r\x1b[K")


class Pool:
    """Runs parts on several cores, the longest first; then those that must run alone."""

    def __init__(self, folder, progress, jobs):
        self.folder, self.progress, self.jobs = folder, progress, jobs
        self.errors = []  # of the runner itself

    def run_part(self, part):
        deadline, why = time.monotonic() + part.test.timeout, ""
        account = Account(part, self.progress.report)
        try:
            running = Running(part, self.folder)
        except OSError as error:
            account.close(1, f"does not start: {error}")
            return
        try:
            for is_output, line in running.lines(deadline):
                account.hear(is_output, line)
            running.process.wait(max(1, deadline - time.monotonic()))
        except (TimeoutError, subprocess.TimeoutExpired):
            why = f"no end within {part.test.timeout:.0f} s"
        code = running.close()
        if not children.stopped:
            account.close(code, why)

    def run_all(self, parts, jobs):
        waiting = queue.SimpleQueue()
        for part in sorted(parts, key=lambda part: -part.weight):
            waiting.put(part)

        def work():
            try:
                while True:
                    self.run_part(waiting.get_nowait())
            except (queue.Empty, KeyboardInterrupt):
                pass
            except BaseException as error:
                self.errors.append(error)

        workers = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(0.2)
                self.progress.tick()
        if self.errors:
            raise self.errors[0]

    def run(self, parts):
        self.run_all([part for part in parts if part.test.parallel], self.jobs)
        self.run_all([part for part in parts if not part.test.parallel], 1)


def jobs():
    """One more than there are cores: some tests mostly wait."""
    return len(os.sched_getaffinity(0)) + 1


def run_tests(folder, tests, progress, at_once=None):
    """Run tests of a build tree, so many at once; their cases."""
    weights = read_weights()
    parts = [part for test in tests for part in parts_of(test, folder, weights)]
    progress.total = sum(len(part.names) for part in parts)
    try:
        Pool(folder, progress, at_once or jobs()).run(parts)
    finally:
        progress.close()
    return progress.cases
