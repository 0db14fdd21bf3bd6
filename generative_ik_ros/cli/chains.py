"""Options that choose a robot and a chain of it, and the chain that they choose."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from generative_ik_ros.cli.options import MaybeText, MaybeTexts, parse_positions
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain

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
    tips = [] if tip_link is None else [tip_link]
    return chosen_robot(robot, urdf, base_link, tips, missing_limits, fixed)


def chosen_robot(
    robot: str | None,
    urdf: str | None,
    base_link: str | None,
    tip_links: Sequence[str],
    missing_limits: str = "error",
    fixed: Sequence[str] | None = None,
) -> "KinematicChain":
    """Load the one robot that was named; with several tips it is a tree.

    Arguments and errors are those of `chosen_chain`.
    """
    if (robot is None) == (urdf is None):
        raise InvalidArgumentError("give one of --robot NAME and --urdf FILE")
    if missing_limits not in ("error", "continuous"):
        raise UnknownNameError("--missing-limits", missing_limits, ("error", "continuous"))
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.kinematic_tree import KinematicTree
    from generative_ik_ros.robot.known import known_robot

    file, tip_link = Path(urdf or ""), tip_links[0] if tip_links else None
    if robot is not None:
        known = known_robot(robot)
        file, base_link = known.urdf, base_link or known.base_link
        tip_link = tip_link or known.tip_link
    how: dict[str, Any] = {
        "fixed": parse_positions("--fixed", fixed),
        "missing_limits": missing_limits,
    }
    if len(tip_links) > 1:
        # A tree has all that is used of a chain here.
        return cast(KinematicChain, KinematicTree.from_urdf(file, base_link, tip_links, **how))
    return KinematicChain.from_urdf(file, base_link, tip_link, **how)
