"""What `generative-ik solve` is to reach: one pose, poses of several tips, or any of several."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.options import MaybeTexts, parse_numbers
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from generative_ik_ros.robot.chain import KinematicChain

Poses = Annotated[
    MaybeTexts,
    typer.Option(
        "--pose",
        metavar="X Y Z QX QY QZ QW",
        help="Tip in base: metres and a quaternion. Default: a random reachable pose. Repeat it "
        "for each --tip-link, in their order, and for each pose of a --goal-set.",
    ),
]
GoalSet = Annotated[
    bool,
    typer.Option(
        "--goal-set", help="Reach any one of the poses of --pose or --poses, such as grasps."
    ),
]


def check_targets(
    pose: Sequence[str] | None,
    poses: str | None,
    tip_links: Sequence[str],
    goal_set: bool,  # noqa: FBT001
) -> None:
    """Check that as many poses are given as there are tips, and that options go together."""
    tips, count = max(len(tip_links), 1), len(pose or ())
    if goal_set and not count and poses is None:
        raise InvalidArgumentError("--goal-set needs --pose, once for each pose, or --poses FILE")
    if tips > 1 and poses is not None:
        raise InvalidArgumentError("--poses is for one tip; give --pose for each --tip-link")
    if count and (count % tips if goal_set else count != tips):
        many = f"a multiple of {tips}" if goal_set and tips > 1 else str(tips)
        hint = "" if goal_set or count % tips else "; to reach any one of them, add --goal-set"
        raise InvalidArgumentError(
            f"--pose was given {count} time{'s' * (count > 1)}; for {tips} tip{'s' * (tips > 1)} "
            f"it takes {many}{hint}"
        )


def read_targets(
    chain: "KinematicChain",
    pose: Sequence[str] | None,
    poses: str | None,
    random_seed: int | None,
    goal_set: bool,  # noqa: FBT001
) -> "NDArray[np.float64]":
    """Return the poses of options or of the file `poses`, or random ones if there are none.

    Returns:
        (4, 4), for K tips (K, 4, 4); of a file or a goal set (M, 4, 4) or (M, K, 4, 4).
    """
    import numpy as np

    from generative_ik_ros.robot.kinematic_tree import KinematicTree

    if poses is not None:
        from generative_ik_ros.cli.poses import read_poses

        return read_poses(poses)
    if not pose:
        return _random_pose(chain, random_seed)
    rows = np.stack([parse_pose("--pose", one) for one in pose])
    if isinstance(chain, KinematicTree):
        rows = rows.reshape(-1, chain.num_tips, 4, 4)
    return rows if goal_set else rows[0]


def parse_pose(option: str, text: str) -> "NDArray[np.float64]":
    """Read a position and a quaternion (x, y, z, w), and return their matrix (4, 4)."""
    from generative_ik_ros.robot.poses import pose_matrix

    numbers = parse_numbers(option, text)
    if len(numbers) != 7:
        raise InvalidArgumentError(
            f"{option} takes 7 numbers, x y z and a quaternion x y z w, got {len(numbers)}"
        )
    try:
        return pose_matrix(numbers[:3], numbers[3:])
    except InvalidTargetError as error:
        raise InvalidTargetError(f"{option}: {error}") from None


def _random_pose(chain: "KinematicChain", random_seed: int | None) -> "NDArray[np.float64]":
    """Return where the tip is in a random configuration inside the limits (4, 4)."""
    from generative_ik_ros.robot.random_poses import random_reachable_poses

    if random_seed is not None and random_seed < 0:
        raise InvalidArgumentError(f"--random-seed must not be negative, got {random_seed}")
    return random_reachable_poses(chain, 1, random_seed)[0]
