"""A new node, the same thing done to it in three rounds, and what its memory grew by in each out.

What leaks grows as much in the last round as in the first; what only fills up does not. The soak
(soak.py) has all of this at once and cannot tell one from the other.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from soak import BAD_PARAMETERS, GOOD_PARAMETERS, client
from soak_client import Client
from soak_node import NodeProcess

from generative_ik_ros.robot.known import robot_urdf_path

ROBOT, SPACE, ROUNDS = "ur10", "/memory", 3
CALLS, SETS, VICTIMS, IDLE = 6000, 150, 25, 60
"""What a round has: calls of a kind, pairs of parameter settings, killed clients, seconds."""
VICTIM_LIFE = 3.0
"""Time that a client lives before it is killed [s]."""
SETTLE = 1.0
"""Time between the end of a round and a look at the memory [s]."""


class Probe:
    """A node, and a client of it.

    Args:
        folder: For the node's files.
        scale: Factor of everything that a round has.
    """

    def __init__(self, folder: Path, scale: float):
        """Start the node and wait until it has answered."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        self.node = NodeProcess(SPACE, folder, robot_description=text)
        self._client = Client(SPACE, [ROBOT], 1)
        self._scale = scale
        while not self._client.calls or not self._client.calls[-1][4] > 0:
            self.call("one pose", 1)
        self._setter = self._client.node.create_client(
            SetParameters, f"{SPACE}/generative_ik/set_parameters"
        )
        self._setter.wait_for_service(10.0)

    def close(self) -> None:
        """End both."""
        self.node.stop()
        self._client.close()

    def much(self, count: int) -> int:
        """Return so many, scaled."""
        return max(1, round(self._scale * count))

    def call(self, kind: str, count: int) -> None:
        """Call the service, one request at a time."""
        for _ in range(count):
            self._client.wait(10.0)
            self._client.call(kind)

    def set(self, count: int) -> None:
        """Set parameters, each time some that are accepted and some that are refused."""
        for turn in range(count):
            for some in (GOOD_PARAMETERS, BAD_PARAMETERS):
                values = some[turn % len(some)].items()
                request = SetParameters.Request(
                    parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in values]
                )
                self._client.await_answer(self._setter.call_async(request), 30.0)

    def kill(self, count: int) -> None:
        """Have clients that call without a pause, and kill each while it waits."""
        for turn in range(count):
            victim = client(SPACE, 1000 + turn, 0.0, (ROBOT,))
            time.sleep(VICTIM_LIFE)
            victim.kill()
            victim.communicate()


def rounds(probe: Probe) -> dict[str, Callable[[], object]]:
    """Return what is done, by name."""
    calls, sets, victims = probe.much(CALLS), probe.much(SETS), probe.much(VICTIMS)
    idle = probe.much(IDLE)
    kinds = ("one pose", "near a seed", "malformed", "cancelled")
    return {
        f"nothing for {idle} s": lambda: time.sleep(idle),
        **{f"{calls} calls, {kind}": lambda k=kind: probe.call(k, calls) for kind in kinds},
        f"{2 * sets} parameter requests": lambda: probe.set(sets),
        f"{victims} clients killed": lambda: probe.kill(victims),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="factor of what a round has")
    options = parser.parse_args(arguments)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    # Domains up to 101 have ports that no system hands out to others.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    probe = Probe(Path(tempfile.mkdtemp(prefix="generative_ik_memory_")), options.scale)
    print("| a round | before [MiB] | 1st [KiB] | 2nd | 3rd |\n|---|---|---|---|---|", flush=True)
    for name, action in rounds(probe).items():
        memory = [probe.node.resident()]
        for _ in range(ROUNDS):
            action()
            time.sleep(SETTLE)
            memory.append(probe.node.resident())
        grown = [1024 * (b - a) for a, b in zip(memory, memory[1:], strict=False)]
        cells = " | ".join(f"{g:.0f}" for g in grown)
        print(f"| {name} | {memory[0]:.1f} | {cells} |", flush=True)
    probe.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
