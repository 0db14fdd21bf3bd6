"""A new node, the same thing done to it in four rounds, and what its memory grew by in each out.

What leaks grows as much in the last round as in the first; what only fills up does not. The soak
(soak.py) has all of this at once and cannot tell one from the other. What clients can do to any
service is done to a bare one as well: its growth is the middleware's.
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
from soak_node import THE_NODE, NodeProcess

from generative_ik_ros.robot.known import robot_urdf_path

ROBOT, ROUNDS = "ur10", 4
BARE = (str(Path(__file__).with_name("bare_service.py")),)
CALLS, LARGE_CALLS, SETS, VICTIMS, IDLE = 6000, 150, 150, 25, 60
"""What a round has: calls of a kind, calls with large answers, pairs of parameter settings, killed
clients, seconds."""
VICTIM_LIFE = 4.0
"""Time that a client lives before it is killed [s]."""
FORGOTTEN = 25.0
"""Time after which the middleware has noticed that a client is dead: 20 s, and a little [s]."""
SETTLE = 1.0
"""Time between the end of a round and a look at the memory [s]."""


class Probe:
    """A node, and a client of it.

    Args:
        program: What Python runs as the node.
        space: Its namespace, with the leading slash.
        folder: For its files.
        client: Calls it.
        scale: Factor of everything that a round has.
    """

    def __init__(
        self, program: Sequence[str], space: str, folder: Path, client: Client, scale: float
    ):
        """Start the node and wait until it has answered."""
        text = robot_urdf_path(ROBOT).read_text(encoding="utf-8")
        self.node = NodeProcess(space, folder, program, robot_description=text)
        self._space, self._client, self._scale = space, client, scale
        while not client.calls or not client.calls[-1][4] > 0:
            self.call("one pose", 1)
        self._setter = client.node.create_client(
            SetParameters, f"{space}/generative_ik/set_parameters"
        )
        self._setter.wait_for_service(10.0)

    def much(self, count: int) -> int:
        """Return so many, scaled."""
        return max(1, round(self._scale * count))

    def call(self, kind: str, count: int) -> None:
        """Call the service, one request at a time."""
        for _ in range(count):
            self._client.wait(10.0)
            # Checking many solutions takes longer than finding them.
            self._client.call(kind, check=kind != "500 poses")

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
            victim = client(self._space, 1000 + turn, 0.0, (ROBOT,))
            time.sleep(VICTIM_LIFE)
            victim.kill()
            victim.communicate()

    def kill_and_forget(self, count: int) -> None:
        """Kill clients, and wait until the middleware does not keep anything for them."""
        self.kill(count)
        time.sleep(FORGOTTEN)

    def call_beside_a_dead(self, count: int) -> None:
        """Call for large answers while the middleware keeps them for a client that is no more."""
        self.kill(1)
        self.call("500 poses", count)
        time.sleep(FORGOTTEN)


Actions = dict[str, Callable[[], object]]


def all_of_it(probe: Probe) -> Actions:
    """Return what is done to the node, by name."""
    calls, sets, idle = probe.much(CALLS), probe.much(SETS), probe.much(IDLE)
    kinds = ("one pose", "near a seed", "malformed", "cancelled")
    return {
        f"nothing for {idle} s": lambda: time.sleep(idle),
        **{f"{calls} calls, {kind}": lambda k=kind: probe.call(k, calls) for kind in kinds},
        f"{2 * sets} parameter requests": lambda: probe.set(sets),
        **of_clients(probe),
    }


def of_clients(probe: Probe) -> Actions:
    """Return what clients can do to any service, by name."""
    large, victims = probe.much(LARGE_CALLS), probe.much(VICTIMS)
    return {
        f"{victims} clients killed": lambda: probe.kill_and_forget(victims),
        f"{large} calls, 500 poses": lambda: probe.call("500 poses", large),
        "the same beside a dead client": lambda: probe.call_beside_a_dead(large),
    }


def report(probe: Probe, actions: Actions) -> None:
    """Do everything in rounds and print a row for each."""
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
    parser.add_argument("--scale", type=float, default=1.0, help="factor of what a round has")
    options = parser.parse_args(arguments)
    # As the soak has it: with LOCALHOST rmw_fastrtps uses shared memory whatever a node says.
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SUBNET"
    # Domains up to 101 have ports that no system hands out to others.
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    folder = Path(tempfile.mkdtemp(prefix="generative_ik_memory_"))
    for title, program, space, choose in (
        ("the node", THE_NODE, "/memory", all_of_it),
        ("a bare service", BARE, "/bare", of_clients),
    ):
        caller = Client(space, [ROBOT], 1)
        probe = Probe(program, space, folder, caller, options.scale)
        cells = " | ".join(f"round {number + 1} [KiB]" for number in range(ROUNDS))
        print(f"\n| a round, {title} | before [MiB] | {cells} |\n|" + "---|" * (ROUNDS + 2))
        report(probe, choose(probe))
        probe.node.stop()
        caller.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
