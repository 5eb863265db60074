#!/usr/bin/env python3
"""What kubectl-sei costs who types it: its size, its start, and its answers in a large cluster.

    bench_cli.py [NODES]     1,000 without; in fleets of 100

The cluster is the sandbox with the operator, every node Ready. Each command is run as people run it, a
process each. `*_own` is the processor time of the process, which is what it adds to the time of the
API server's answers; `*_whole` is what a person waits, the answers included. Each line that is printed
is `name value unit`.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from stage import BIN, Stage, condition  # noqa: E402

FLEET_SIZE, RUNS, STARTS = 100, 100, 200
SPEED = "20"
PLUGIN = BIN / "kubectl-sei"


def figure(name, value, unit):
    shown = f"{value:.1f}" if isinstance(value, float) else value
    print(f"{name} {shown} {unit}", flush=True)


def run_once(words, env):
    """How long a run took, and how much of that a processor worked for it, in milliseconds."""
    began = time.perf_counter()
    process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{words}: exit {process.returncode}")
    whole = time.perf_counter() - began
    return whole * 1000, (used.ru_utime + used.ru_stime) * 1000


def tell(name, words, env, count):
    runs = [run_once(words, env) for _ in range(count)]
    for part, taken in zip(("whole", "own"), zip(*runs)):
        in_order = sorted(taken)
        figure(f"{name}_{part}_median", statistics.median(in_order), "ms")
        figure(f"{name}_{part}_p99", in_order[min(count - 1, int(count * 0.99))], "ms")


def start_and_size():
    with tempfile.TemporaryDirectory() as name:
        small = Path(name) / "kubectl-sei"
        shutil.copyfile(PLUGIN.resolve(), small)
        subprocess.run(["strip", small], check=True)
        figure("cli_size", round(small.stat().st_size / 1000), "kB")
    env = {"PATH": "/usr/bin:/bin"}
    tell("cli_start", [PLUGIN, "version", "--client"], env, STARTS)


def fleets(stage, nodes):
    """The sample fleet, as often as it takes; all of it Ready."""
    sample = (ROOT / "samples/fleet.yaml").read_text(encoding="utf-8")
    sample = sample.replace("replicas: 3", f"replicas: {FLEET_SIZE}")
    for number in range(max(1, nodes // FLEET_SIZE)):
        path = stage.folder / "fleet.yaml"
        path.write_text(sample.replace("public-rpc", f"rpc{number}"), encoding="utf-8")
        stage.ctl("apply", path)


def ready(stage):
    found = stage.read("/apis/sei.io/v1alpha1/namespaces/default/seinodes")["items"]
    return sum(condition(node, "Ready").get("status") == "True" for node in found)


def answers(stage):
    env = {"PATH": "/usr/bin:/bin", "KUBECONFIG": str(stage.kubeconfig)}
    commands = {
        "cli_version": ["version"],
        "cli_get": ["get", "nodes"],
        "cli_status_fleet": ["status", "rpc0"],
        "cli_status_node": ["status", "rpc0-50"],
        "cli_drift": ["drift", "rpc0"],
    }
    for name, words in commands.items():
        tell(name, [PLUGIN, *words], env, RUNS)


def main(nodes):
    start_and_size()
    with Stage(ROOT / "build" / "bench-cli", say=lambda text: None) as stage:
        stage.open_sandbox("--speed", SPEED)
        stage.install()
        stage.keep_operator()
        fleets(stage, nodes)
        stage.until(f"{nodes} nodes", lambda: ready(stage) >= nodes, seconds=900)
        answers(stage)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
