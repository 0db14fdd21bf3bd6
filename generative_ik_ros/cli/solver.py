"""Options for the solver itself, and the solver that they ask for."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from generative_ik_ros.cli.options import MaybeNumber, Sampler

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel
    from generative_ik_ros.pipeline import IKSolver
    from generative_ik_ros.robot.chain import KinematicChain

_Timeout = Annotated[MaybeNumber, typer.Option(help="Deadline in seconds.")]
_PositionTolerance = Annotated[float, typer.Option(help="In metres; inf leaves it free.")]
_OrientationTolerance = Annotated[float, typer.Option(help="In radians; inf leaves it free.")]


class SolverOptions(NamedTuple):
    """What proposes seeds, how exact solutions have to be, and until when they are looked for."""

    sampler: Sampler = "auto"
    timeout: _Timeout = None
    position_tolerance: _PositionTolerance = 1e-5
    orientation_tolerance: _OrientationTolerance = 1e-5

    def solver(self, chain: "KinematicChain", collision: "CollisionModel | None") -> "IKSolver":
        """Make the solver of a chain.

        Args:
            chain: The chain, or a tree.
            collision: What is checked for collisions, if anything is.

        Raises:
            GenerativeIKError: As `IKSolver` says.
        """
        from generative_ik_ros.pipeline import IKSolver

        return IKSolver(
            chain,
            sampler=self.sampler,
            position_tolerance=self.position_tolerance,
            orientation_tolerance=self.orientation_tolerance,
            collision=collision,
        )
