"""Options of `path` for a trajectory, and the trajectory that they ask for."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from generative_ik_ros.cli.options import MaybeNumber, MaybePath, MaybeText, parse_for_joints
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.paths.result import IKPath
    from generative_ik_ros.robot.chain import KinematicChain

_Trajectory = Annotated[
    MaybePath,
    typer.Option(
        metavar="FILE",
        help="Where to write positions, velocities and accelerations over time: .csv or .jsonl. "
        "See docs/paths.md.",
    ),
]
_VelocityLimits = Annotated[
    MaybeText,
    typer.Option(
        metavar="V | V1 V2 ...",
        help="For --trajectory, per second. Default: those of the robot description.",
    ),
]
_AccelerationLimits = Annotated[
    MaybeText,
    typer.Option(
        metavar="A | A1 A2 ...",
        help="For --trajectory, per square second. Default: full speed after 1 s.",
    ),
]
_TipSpeed = Annotated[
    MaybeNumber,
    typer.Option(help="For --trajectory: the tip's speed where limits allow it, in m/s."),
]


class TimingOptions(NamedTuple):
    """Where a trajectory is written, and how fast it may be."""

    trajectory: _Trajectory = None
    velocity_limits: _VelocityLimits = None
    acceleration_limits: _AccelerationLimits = None
    tip_speed: _TipSpeed = None

    @property
    def limits(self) -> dict[str, Any]:
        """The limits, as `time_path` takes them."""
        _, velocity, acceleration, tip_speed = self
        return {
            "velocity_limits": parse_for_joints("--velocity-limits", velocity),
            "acceleration_limits": parse_for_joints("--acceleration-limits", acceleration),
            "tip_speed": tip_speed,
        }

    def check(self, output: Path | None) -> None:
        """Check that the options go together and that the file can be written, beside `output`."""
        if self.trajectory is not None:
            from generative_ik_ros.cli.console import check_writable

            check_writable(self.trajectory, (".csv", ".jsonl"))
            if output is not None and output.resolve() == self.trajectory.resolve():
                raise InvalidArgumentError(
                    f"--output and --trajectory are one file: {str(output)!r}"
                )
        elif any(one is not None for one in self.limits.values()):
            raise InvalidArgumentError(
                "limits and speeds are for --trajectory, which is not given"
            )

    def check_limits(self, chain: "KinematicChain") -> None:
        """Check the limits, before a path is looked for."""
        if self.trajectory is not None:
            from generative_ik_ros.trajectories.timing import check_limits

            check_limits(chain, **self.limits)

    def write(
        self, found: "IKPath", chain: "KinematicChain", collides: Callable[..., Any] | None
    ) -> None:
        """Time a path as far as it leads, and write the trajectory, if that was asked for."""
        if self.trajectory is None or not found.num_reached:
            return
        from generative_ik_ros.cli.path_files import write_trajectory
        from generative_ik_ros.trajectories.timing import time_path

        timed = time_path(found, chain, **self.limits, collides=collides)
        write_trajectory(timed, self.trajectory)
        print(f"{timed.duration:.2f} s to drive -> {self.trajectory}", file=sys.stderr)
