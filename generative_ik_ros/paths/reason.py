"""Why a path ends, in words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.paths.motion import MotionCheck
from generative_ik_ros.paths.records import Ending
from generative_ik_ros.paths.task import PathTask

_AT_LIMIT = 0.02
"""A joint that is so close to its limit, in its unit, is at it."""
_NOTHING = "nothing leads there"
_WORDS = {
    Ending.UNDER_WAY: _NOTHING,
    Ending.COMPLETE: _NOTHING,
    Ending.UNREACHED: "no solution is found from there: out of reach, or beyond a joint limit",
    Ending.TOO_FAR: "every solution found is more than max_step away",
    Ending.COLLIDING: "every motion there collides",
}


def reason(
    task: PathTask,
    motions: MotionCheck,
    pose: int,
    ending: int,
    motion: Sequence[NDArray[np.float64]] | None,
) -> str:
    """Say why a pose is not reached.

    Args:
        task: Poses and bounds.
        motions: What may collide.
        pose: Its index.
        ending: How what came furthest ended there.
        motion: Configurations (n,) before and after its last motion, if they are known.
    """
    text = f"pose {task.first_pose + pose}: {_WORDS[Ending(ending)]}"
    if motion is None:
        return text
    if ending == Ending.UNREACHED:
        return text + _limits(task, motion[0])
    pair = motions.pair(motion[0], motion[1]) if ending == Ending.COLLIDING else None
    return text if pair is None else f"{text}, the shortest one {pair[0]} with {pair[1]}"


def _limits(task: PathTask, q: NDArray[np.float64]) -> str:
    """Name the joints that are at their limit in a configuration (n,)."""
    chain, (lower, upper) = task.stages.chain, task.bounds[:2]
    near = np.minimum(q - lower, upper - q) < _AT_LIMIT * chain.joint_units
    names = [name for name, there in zip(chain.names, near, strict=True) if there]
    return f" (at its limit: {', '.join(names)})" if names else ""
