"""Measures the memory growth of a node over four rounds of the same action.

A leak grows as much in the last round as in the first; a cache or buffer stops growing. The soak
test (soak.py) does everything at once and cannot tell the two apart. Actions that clients can
perform on any service are applied to a bare one as well, whose growth is that of the middleware.
"""

# Generated messages have no stubs: pyright does not see their fields.
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from soak import BAD_PARAMETERS, GOOD_PARAMETERS, client
from soak_client import Client
from soak_node import THE_NODE, NodeProcess, set_ros_environment

from generative_ik_ros.robot.known import robot_urdf_path

ROBOT, ROUNDS = "ur10", 4
BARE = (str(Path(__file__).with_name("bare_service.py")),)
CALLS, LARGE_CALLS, SETS, VICTIMS, IDLE = 6000, 150, 150, 25, 60
"""Per round: calls of a kind, calls with large replies, pairs of parameter requests, killed
clients, and seconds without requests."""
VICTIM_LIFE = 4.0
"""Time after which a client is killed [s]."""
LEASE = 25.0
"""Time after which the middleware has noticed that a client is gone: 20 s and a margin [s]."""
SETTLE = 1.0
"""Time between the end of a round and the measurement of the memory [s]."""


class Probe:
    """A node and a client of it.

    Args:
        program: Arguments with which Python runs the node.
        space: Namespace of the node, with the leading slash.
        folder: Folder for the node's files.
        client: The client.
        scale: Factor of the number of actions per round.
    """

    def __init__(
        self, program: Sequence[str], space: str, folder: Path, client: Client, scale: float
    ):
        """Start the node and wait for its first reply."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        self.node = NodeProcess(space, folder, program, robot_description=text)
        self._space, self._client, self._scale = space, client, scale
        while not client.calls or not client.calls[-1][4] > 0:
            self.call("one pose", 1)
        self._setter = client.node.create_client(
            SetParameters, f"{space}/generative_ik/set_parameters"
        )
        self._setter.wait_for_service(10.0)

    def scaled(self, count: int) -> int:
        """Return a number of actions multiplied by the scale, at least 1."""
        return max(1, round(self._scale * count))

    def call(self, kind: str, count: int) -> None:
        """Call the service, one request at a time."""
        for _ in range(count):
            self._client.wait(10.0)
            # Checking many solutions takes longer than computing them.
            self._client.call(kind, check=kind != "500 poses")

    def set(self, count: int) -> None:
        """Set parameters, alternating between valid and invalid values."""
        for turn in range(count):
            for some in (GOOD_PARAMETERS, BAD_PARAMETERS):
                values = some[turn % len(some)].items()
                request = SetParameters.Request(
                    parameters=[Parameter(name, value=v).to_parameter_msg() for name, v in values]
                )
                self._client.await_reply(self._setter.call_async(request), 30.0)

    def kill(self, count: int) -> None:
        """Start clients that call without a pause, and kill each while it waits."""
        for turn in range(count):
            victim = client(self._space, 1000 + turn, 0.0, (ROBOT,))
            time.sleep(VICTIM_LIFE)
            victim.kill()
            victim.communicate()

    def kill_and_wait(self, count: int) -> None:
        """Kill clients, and wait until the middleware has released their resources."""
        self.kill(count)
        time.sleep(LEASE)

    def call_after_kill(self, count: int) -> None:
        """Request large replies while the middleware also keeps them for a killed client."""
        self.kill(1)
        self.call("500 poses", count)
        time.sleep(LEASE)


Actions = dict[str, Callable[[], object]]


def node_actions(probe: Probe) -> Actions:
    """Return the actions for the real node, by name."""
    calls, sets, idle = probe.scaled(CALLS), probe.scaled(SETS), probe.scaled(IDLE)
    kinds = ("one pose", "near a seed", "malformed", "cancelled")
    return {
        f"nothing for {idle} s": lambda: time.sleep(idle),
        **{f"{calls} calls, {kind}": lambda k=kind: probe.call(k, calls) for kind in kinds},
        f"{2 * sets} parameter requests": lambda: probe.set(sets),
        **client_actions(probe),
    }


def client_actions(probe: Probe) -> Actions:
    """Return the actions that clients can perform on any service, by name."""
    large, victims = probe.scaled(LARGE_CALLS), probe.scaled(VICTIMS)
    return {
        f"{victims} clients killed": lambda: probe.kill_and_wait(victims),
        f"{large} calls, 500 poses": lambda: probe.call("500 poses", large),
        "the same after killing a client": lambda: probe.call_after_kill(large),
    }


def report(probe: Probe, actions: Actions) -> None:
    """Perform all actions in rounds and print a row for each."""
    for name, action in actions.items():
        memory = [probe.node.resident()]
        for _ in range(ROUNDS):
            action()
            time.sleep(SETTLE)
            memory.append(probe.node.resident())
        grown = [1024 * (b - a) for a, b in zip(memory, memory[1:], strict=False)]
        cells = " | ".join(f"{g:.0f}" for g in grown)
        print(f"| {name} | {memory[0]:.1f} | {cells} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the actions per round")
    options = parser.parse_args(arguments)
    set_ros_environment()
    with tempfile.TemporaryDirectory(prefix="generative_ik_memory_") as folder:
        for title, program, space, actions in (
            ("the node", THE_NODE, "/memory", node_actions),
            ("a bare service", BARE, "/bare", client_actions),
        ):
            caller = Client(space, [ROBOT], 1)
            probe = Probe(program, space, Path(folder), caller, options.scale)
            cells = " | ".join(f"round {number + 1} [KiB]" for number in range(ROUNDS))
            print(f"\n| per round, {title} | before [MiB] | {cells} |\n|" + "---|" * (ROUNDS + 2))
            try:
                report(probe, actions(probe))
            finally:
                probe.node.stop()
                caller.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
