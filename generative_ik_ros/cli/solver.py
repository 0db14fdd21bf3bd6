"""Options for the solver and for regions about the poses, and what they ask for."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from generative_ik_ros.cli.options import MaybeNumber, MaybeText, Sampler, parse_numbers
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.pipeline import IKSolver
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.region import TaskSpaceRegion

_Timeout = Annotated[MaybeNumber, typer.Option(help="Deadline in seconds.")]
_PositionTolerance = Annotated[
    float, typer.Option(help="In metres; inf leaves the position free.")
]
_OrientationTolerance = Annotated[
    float, typer.Option(help="In radians; inf leaves the orientation free.")
]
Prefer = Annotated[
    MaybeText,
    typer.Option(
        metavar="position|orientation",
        help="What to meet exactly if a pose has no solution, the other as nearly as possible.",
    ),
]

_FreeAxis = Annotated[
    MaybeText,
    typer.Option(
        metavar="x|y|z",
        help="The tip may turn about this axis of the pose, each of several tips about its own.",
    ),
]
_RegionLower = Annotated[
    MaybeText,
    typer.Option(
        metavar="X Y Z R P Y",
        help="Where the tip may be about the pose, in its frame: lower bounds of x y z (m) and "
        "roll pitch yaw (rad); -inf for what is free. For several tips, six for each.",
    ),
]
_RegionUpper = Annotated[
    MaybeText, typer.Option(metavar="X Y Z R P Y", help="Upper bounds; inf for what is free.")
]


class SolverOptions(NamedTuple):
    """What proposes seeds, how exact solutions have to be, and until when they are looked for."""

    sampler: Sampler = "auto"
    timeout: _Timeout = None
    position_tolerance: _PositionTolerance = 1e-5
    orientation_tolerance: _OrientationTolerance = 1e-5

    def solver(
        self,
        chain: "KinematicChain",
        collision: "CollisionModel | None",
        prefer: str | None,
    ) -> "IKSolver":
        """Make the solver of a chain or tree."""
        from generative_ik_ros.pipeline import IKSolver

        return IKSolver(
            chain,
            sampler=self.sampler,
            position_tolerance=self.position_tolerance,
            orientation_tolerance=self.orientation_tolerance,
            collision=collision,
            prefer=prefer,
        )


class RegionOptions(NamedTuple):
    """A task space region, as the options above choose it."""

    free_axis: _FreeAxis = None
    region_lower: _RegionLower = None
    region_upper: _RegionUpper = None

    def region(self, num_tips: int = 1) -> "TaskSpaceRegion | list[TaskSpaceRegion] | None":
        """Return the region that was asked for, if any, or one for each of several tips."""
        import numpy as np

        from generative_ik_ros.robot.region import TaskSpaceRegion

        axis, lower, upper = self
        if axis is not None:
            if lower is not None or upper is not None:
                raise InvalidArgumentError(
                    "--free-axis goes neither with --region-lower nor -upper"
                )
            turning = TaskSpaceRegion.free_axis(axis)
            return turning if num_tips == 1 else [turning] * num_tips
        if lower is None and upper is None:
            return None
        if lower is None or upper is None:
            raise InvalidArgumentError("--region-lower and --region-upper go together")
        bounds = [parse_numbers("--region-lower", lower), parse_numbers("--region-upper", upper)]
        if num_tips == 1:
            return TaskSpaceRegion(*bounds)  # pyright: ignore[reportArgumentType]
        if any(len(numbers) != 6 * num_tips for numbers in bounds):
            raise InvalidArgumentError(
                f"--region-lower has {len(bounds[0])} and --region-upper {len(bounds[1])} "
                f"numbers; for {num_tips} tips both take six for each, {6 * num_tips}"
            )
        rows = zip(*(np.reshape(numbers, (-1, 6)) for numbers in bounds), strict=True)
        return [TaskSpaceRegion(*row) for row in rows]
