#!/usr/bin/env python3
"""What a sandbox weighs: its process with a thousand nodes in ten fleets, all of them Ready, while the
operator of the product runs on it; how soon an empty one is ready, and how often it wakes.

The memory is what the kernel counts for the process (/proc/<pid>/status): at its highest, which is in
the burst of the start, and at rest, when little but leases has been written for a while. A wake is a
voluntary switch by the same page.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from stage import ROOT, Stage, Trouble  # noqa: E402

FLEETS, NODES = 10, 100
SPEED = "20"
STARTS = 9
PATIENCE_S = 1500
REST_S = 20
IDLE_S = 10
CALM = 40  # versions that leases and bookmarks may take meanwhile

FLEET = """apiVersion: sei.io/v1alpha1
kind: SeiNodeDeployment
metadata: {{name: fleet-{number}}}
spec:
  replicas: {nodes}
  updateStrategy: {{type: InPlace, maxUnavailable: 1, minReadySeconds: 1}}
  template:
    spec: {{chainId: pacific-1, image: "ghcr.io/sei-protocol/sei:v6.4.1", fullNode: {{}}}}
---
"""

ACCOUNT = """apiVersion: v1
kind: ServiceAccount
metadata: {name: seid-node}
---
"""


def tell(name, value, unit):
    print(f"{name} {value:.1f} {unit}", flush=True)


def status(pid, field):
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise Trouble(f"the kernel does not tell {field} of process {pid}")


def mebibytes(pid, field):
    return status(pid, field) / 1024


def ready_ms(folder):
    """From exec to the line that says so, and the memory then."""
    with Stage(folder, lambda text: None) as stage:
        began = time.monotonic()
        stage.open_sandbox("--port", "0")
        took = (time.monotonic() - began) * 1000
        return took, mebibytes(stage.processes[0].pid, "VmRSS")


def measure_idle(folder):
    with Stage(folder, lambda text: None) as stage:
        stage.open_sandbox("--port", "0")
        sandbox = stage.processes[0].pid
        time.sleep(IDLE_S / 2)
        before = status(sandbox, "voluntary_ctxt_switches")
        time.sleep(IDLE_S)
        wakes = status(sandbox, "voluntary_ctxt_switches") - before
        tell("sandbox_idle_wakes", wakes / IDLE_S, "per second")


def measure_starts(folder):
    starts = sorted(ready_ms(folder) for _ in range(STARTS))
    tell("sandbox_ready", starts[STARTS // 2][0], "ms")
    tell("sandbox_resident_empty", starts[STARTS // 2][1], "MiB")


def count_ready(stage):
    fleets = stage.read("/apis/sei.io/v1alpha1/seinodedeployments") or {}
    return sum(fleet.get("status", {}).get("readyReplicas", 0) for fleet in fleets.get("items", []))


def rest(stage):
    """Waits until nothing is written any more but leases."""
    seen, since = None, time.monotonic()
    while time.monotonic() - since < REST_S:
        pods = stage.read("/api/v1/pods?limit=1")["metadata"]["resourceVersion"]
        calm = seen is not None and int(pods) - int(seen) < CALM
        seen, since = (seen, since) if calm else (pods, time.monotonic())
        time.sleep(1)


def measure_thousand(folder):
    with Stage(folder) as stage:
        stage.open_sandbox("--port", "0", "--speed", SPEED)
        sandbox = stage.processes[0].pid
        stage.install()
        stage.keep_operator()
        fleets = [FLEET.format(number=i, nodes=NODES) for i in range(FLEETS)]
        manifest = folder / "fleets.yaml"
        manifest.write_text(ACCOUNT + "".join(fleets), encoding="utf-8")
        began = time.monotonic()
        stage.ctl("apply", manifest)
        stage.until("all nodes ready", lambda: count_ready(stage) == FLEETS * NODES, PATIENCE_S)
        tell("sandbox_thousand_nodes_ready", time.monotonic() - began, "s")
        rest(stage)
        tell("sandbox_resident_thousand_nodes", mebibytes(sandbox, "VmRSS"), "MiB")
        tell("sandbox_resident_thousand_nodes_highest", mebibytes(sandbox, "VmHWM"), "MiB")


if __name__ == "__main__":
    try:
        measure_starts(ROOT / "build" / "bench-sandbox")
        measure_idle(ROOT / "build" / "bench-sandbox")
        measure_thousand(ROOT / "build" / "bench-sandbox")
    except Trouble as trouble:
        sys.exit(f"bench_sandbox: {trouble}")
