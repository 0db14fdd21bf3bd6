"""Options that choose a robot and a chain of it, and the chain that they choose."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybeText, MaybeTexts, parse_positions
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.fold import MissingLimits as Missing
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

Robot = Annotated[
    MaybeText, typer.Option(help="A robot that comes with the package, see `robots`.")
]
Urdf = Annotated[MaybeText, typer.Option(metavar="FILE", help="Any URDF file.")]
BaseLink = Annotated[MaybeText, typer.Option(help="Link that the chain starts from.")]
TipLink = Annotated[MaybeText, typer.Option(help="Link whose pose is given.")]
TipLinks = Annotated[
    MaybeTexts,
    typer.Option(
        "--tip-link", help="Link whose pose is given; several times for as many tips at once."
    ),
]
MissingLimits = Annotated[
    str,
    typer.Option(
        metavar="error|continuous", help="What a revolute joint without limits is taken for."
    ),
]

Fixed = Annotated[
    MaybeTexts,
    typer.Option(
        metavar="NAME=Q,...",
        help="Joints of the chain that stand (rad or m) instead of being solved for.",
    ),
]


def chosen_chain(
    robot: str | None,
    urdf: str | None,
    base_link: str | None,
    tip_link: str | None,
    missing_limits: str = "error",
    fixed: Sequence[str] | None = None,
) -> "KinematicChain":
    """Load the one robot that was named.

    The options above say what each argument is; a link that is None is the robot's own.

    Raises:
        InvalidArgumentError: Neither or both were named, or a joint cannot stand where it should.
        UnknownNameError: There is no such robot, link, joint, or choice for missing limits.
        RobotDescriptionError: The URDF cannot be used.
    """
    from generative_ik_ros.robot.chain import KinematicChain

    file, base_link, own_tip, missing = _named(robot, urdf, base_link, missing_limits)
    return KinematicChain.from_urdf(
        file,
        base_link,
        tip_link or own_tip,
        fixed=parse_positions("--fixed", fixed),
        missing_limits=missing,
    )


def chosen_tree(
    robot: str | None,
    urdf: str | None,
    base_link: str | None,
    tip_links: Sequence[str],
    missing_limits: str = "error",
) -> "KinematicTree":
    """Load the one robot that was named, with several tips; raises as `chosen_chain`."""
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

    file, base_link, _, missing = _named(robot, urdf, base_link, missing_limits)
    return KinematicTree.from_urdf(file, base_link, tip_links, missing_limits=missing)


def _named(
    robot: str | None, urdf: str | None, base_link: str | None, missing_limits: str
) -> "tuple[Path, str | None, str | None, Missing]":
    """Return the robot's file, its base link and default tip link, and the checked choice."""
    if (robot is None) == (urdf is None):
        raise InvalidArgumentError("give one of --robot NAME and --urdf FILE")
    if missing_limits not in ("error", "continuous"):
        raise UnknownNameError("--missing-limits", missing_limits, ("error", "continuous"))
    if robot is None:
        return Path(urdf or ""), base_link, None, missing_limits
    from generative_ik_ros.robot.known import known_robot

    known = known_robot(robot)
    return known.urdf, base_link or known.base_link, known.tip_link, missing_limits
