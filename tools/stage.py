"""The sandbox, an operator on it, and what people do there: what `make run`, `make demo` and the
pages of docs/ are played on. Programs are those of build/bin; files are in one folder of build/."""

import ctypes
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In a new process: ends it as soon as the thread that started it has ended, however that was."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Trouble(Exception):
    """Something did not happen as it should; the text is for people."""


class Stage:
    """A folder with a sandbox and an operator that is started again whenever it ends. Who enters it
    has the folder alone."""

    def __init__(self, folder, say=print):
        self.folder, self.say = folder, say
        self.kubeconfig = folder / "kubeconfig"
        self.processes, self.over = [], threading.Event()
        self.operator = self.keeper = None
        self.settings = settings_of(ROOT / "samples/platform.env")
        self.lock = None
        folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        self.lock = locked(self.folder)
        for log in self.folder.glob("*.log"):
            log.unlink()
        return self

    def __exit__(self, *_):
        self.over.set()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.keeper:
            self.keeper.join()
        self.lock.close()

    def start(self, command, log, **options):
        with open(self.folder / log, "ab") as out:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if options.pop("piped", False) else out,
                stderr=out,
                start_new_session=True,
                preexec_fn=end_with_parent,
                **options,
            )
        self.processes.append(process)
        return process

    # --- the sandbox

    def open_sandbox(self, *flags):
        """Starts it and returns when it is ready."""
        command = [BIN / "sei-sandbox", "up", "--kubeconfig", self.kubeconfig, *own_place(), *flags]
        process = self.start(command, "sandbox.log", piped=True)
        if not process.stdout.readline():
            raise Trouble(f"the sandbox did not come up: see {self.shown('sandbox.log')}")
        (self.folder / "env").write_text(
            f"export KUBECONFIG={self.kubeconfig}\nexport PATH={BIN}:$PATH\n", encoding="utf-8"
        )

    def shown(self, name):
        """A file of this folder, as a person at the root of the project names it."""
        return os.path.relpath(self.folder / name, ROOT)

    def call(self, *command, fine=(0,)):
        """What a program of build/bin prints, as the admin of the sandbox."""
        done = subprocess.run(
            [str(word) for word in (BIN / command[0], *command[1:])],
            cwd=ROOT,
            env={**os.environ, "KUBECONFIG": str(self.kubeconfig)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if fine and done.returncode not in fine:
            raise Trouble(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def ctl(self, *args):
        return self.call("sei-sandbox", "ctl", *args)

    def sei(self, *args):
        """The plugin says 1 of what is drifted or not well."""
        return self.call("kubectl-sei", *args, fine=(0, 1))

    def read(self, path):
        """The object or list at a path of the API, or None."""
        text = self.call("sei-sandbox", "ctl", "get", path, fine=())
        return json.loads(text) if text else None

    def install(self):
        """The kinds and the rights; the operator's own kubeconfig, as its account."""
        self.ctl("apply", ROOT / "deploy/crds", ROOT / "deploy/rbac")
        self.ctl("account", "sei-system/sei-operator", self.folder / "operator.kubeconfig")

    def hurried_sample(self):
        """The sample fleet, of whose nodes nobody waits long to see that they stay well."""
        text = (ROOT / "samples/fleet.yaml").read_text(encoding="utf-8")
        path = self.folder / "fleet.yaml"
        path.write_text(text.replace("minReadySeconds: 10", "minReadySeconds: 1"), encoding="utf-8")
        return os.path.relpath(path, ROOT)

    # --- the operator

    def keep_operator(self):
        """Starts the operator, and from then on again whenever it ends, as a Deployment would."""
        self.start_operator()
        self.keeper = threading.Thread(target=self.keep, daemon=True)
        self.keeper.start()

    def operator_flags(self):
        """What may differ: where its metrics are."""
        return ["--metrics-bind-address=127.0.0.1:0"]

    def start_operator(self):
        env = {"PATH": "/usr/bin:/bin", "KUBECONFIG": str(self.folder / "operator.kubeconfig")}
        self.operator = self.start(
            [
                BIN / "sei-operator",
                "--identity=run",
                "--health-probe-bind-address=127.0.0.1:0",
                *self.operator_flags(),
            ],
            "operator.log",
            env={**env, **self.settings},
        )
        (self.folder / "operator.pid").write_text(f"{self.operator.pid}\n", encoding="utf-8")

    def keep(self):
        while not self.over.is_set():
            code = self.operator.wait()
            if self.over.wait(0.5):
                return
            self.start_operator()
            self.say(
                f"the operator ended ({signal_name(code)}); "
                f"it is started again, as process {self.operator.pid}"
            )

    def kill_operator(self):
        os.kill(self.operator.pid, signal.SIGKILL)

    def change_setting(self, name, value):
        """A setting of the platform, by a restart of the operator."""
        self.settings[name] = value
        self.operator.terminate()

    # --- waiting

    def until(self, what, condition, seconds=300):
        """Waits until a condition holds and gives what it gave."""
        deadline = time.monotonic() + seconds
        while not self.over.is_set():
            found = condition()
            if found:
                return found
            if time.monotonic() > deadline:
                raise Trouble(f"{what}: not within {seconds} s; see {self.shown('operator.log')}")
            self.over.wait(0.05)
        raise Trouble(f"{what}: interrupted")


def locked(folder):
    """The file that says whose a folder is; it is free again when its process ends, however."""
    file = open(folder / "owner.pid", "a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        pid, shown = file.read().strip(), os.path.relpath(folder, ROOT)
        file.close()
        raise Trouble(
            f"{shown} is in use by process {pid}: use that one (`. {shown}/env`), or end it "
            f"first, with Ctrl-C in its terminal or `kill {pid}`"
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


NETWORKS = range(128, 200)  # above those of the control planes of tests/e2e
CLAIM_PORT = 2378  # nothing listens there
claims = []  # sockets that keep networks for the sandboxes of this process


def free_network():
    """The N of a network 127.N.0.0/16 that no other sandbox of this machine gives to its pods. A
    bound port is the claim, so that it ends with this process."""
    first = os.getpid() % len(NETWORKS)
    for network in [*NETWORKS[first:], *NETWORKS[:first]]:
        claim = socket.socket()
        try:
            claim.bind((f"127.{network}.255.254", CLAIM_PORT))
        except OSError:
            claim.close()
            continue
        claims.append(claim)
        return network
    raise Trouble(f"sandboxes have all networks from 127.{NETWORKS[0]} to 127.{NETWORKS[-1]}")


def own_place():
    """A free port and a free network of pods."""
    return "--port", "0", "--network", str(free_network())


def settings_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def signal_name(code):
    return signal.Signals(-code).name if code < 0 else f"exit {code}"


def condition(thing, kind):
    """A condition of an object as a dictionary, empty without it."""
    found = (thing or {}).get("status", {}).get("conditions", [])
    return next((c for c in found if c["type"] == kind), {})


def is_current(thing):
    """Ready, and about the newest generation."""
    ready = condition(thing, "Ready")
    generation = (thing or {}).get("metadata", {}).get("generation")
    return ready.get("status") == "True" and ready.get("observedGeneration") == generation


def end_on_signals(stage):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stage.over.set())


def complain(program, trouble):
    sys.exit(f"{program}: {trouble}")
