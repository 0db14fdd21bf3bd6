"""Checks the links that a kinematic tree is asked for."""

from collections.abc import Mapping, Sequence

from generative_ik_ros.errors import InvalidArgumentError, check_names, listed, shown
from generative_ik_ros.robot.description import RobotDescription

MAX_TIPS = 16


def checked_tips(
    description: RobotDescription, base_link: str | None, tip_links: Sequence[str]
) -> tuple[str, ...]:
    """Check that the robot has the base and the tips, and that the tips are a few, each once."""
    if isinstance(tip_links, str) or not isinstance(tip_links, Sequence):
        raise InvalidArgumentError(f"tip_links must be a list of names, not {shown(tip_links)}")
    tips = tuple(tip_links)
    description.check_links(base_link)
    if not tips:
        leaves = [link for link in description.links if link not in description.child_joints]
        raise InvalidArgumentError(f"tip_links is empty; leaves of the robot: {listed(leaves)}")
    if len(tips) > MAX_TIPS:
        raise InvalidArgumentError(f"tip_links has {len(tips)} names, at most {MAX_TIPS} may be")
    description.check_links(*tips)
    for tip in tips:
        if tips.count(tip) > 1:
            raise InvalidArgumentError(f"tip_links names '{tip}' twice")
    return tips


def checked_references(
    description: RobotDescription,
    base: str,
    tips: tuple[str, ...],
    reference_links: Mapping[str, str] | None,
) -> tuple[str, ...]:
    """Return the reference link of each tip."""
    given = {} if reference_links is None else reference_links
    if not isinstance(given, Mapping):
        raise InvalidArgumentError(
            f"reference_links must map tip links to links, not {type(given).__name__}"
        )
    check_names("tip link", given, tips)
    references = tuple(given.get(tip, base) for tip in tips)
    check_names("link", references, description.links)
    return references
