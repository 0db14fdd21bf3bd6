"""The chain between two links of a robot, or the tree of one tip where loops are between them."""

from os import PathLike
from typing import Any, cast

from generative_ik_ros.errors import ClosedLoopError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import only_tip
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.loop_files import with_loops


def chain_or_tree(
    source: str | PathLike[str] | RobotDescription,
    base_link: str | None = None,
    tip_link: str | None = None,
    **how: Any,  # noqa: ANN401
) -> KinematicChain:
    """Return the chain between two links, or the tree of one tip where loops are between them.

    Such a tree is solved as a chain is, and has all that is used of one here.

    Args:
        source: As `KinematicChain.from_urdf` takes it.
        base_link: Likewise.
        tip_link: Likewise.
        how: Its other arguments.

    Raises:
        GenerativeIKError: As `KinematicChain.from_urdf`, and `KinematicTree.from_urdf`.
    """
    description = with_loops(RobotDescription.of(source), how.pop("loops", None))
    try:
        return KinematicChain.from_urdf(description, base_link, tip_link, **how)
    except ClosedLoopError:
        tip = tip_link or only_tip(description, base_link or description.root)
        return cast(KinematicChain, KinematicTree.from_urdf(description, base_link, [tip], **how))
