"""Why a path ends, in words."""

from enum import IntEnum

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.paths.task import RESOLUTION, PathTask


class Ending(IntEnum):
    """How a track ended (core/src/paths/follow.hpp)."""

    UNDER_WAY = 0
    COMPLETE = 1
    UNREACHED = 2
    TOO_FAR = 3
    COLLIDING = 4


_NOTHING = "nothing leads there"
_WORDS = {
    Ending.UNDER_WAY: _NOTHING,
    Ending.COMPLETE: _NOTHING,
    Ending.UNREACHED: "no solution is found from there: out of reach, or beyond a joint limit",
    Ending.TOO_FAR: "every solution found is more than max_step away",
    Ending.COLLIDING: "every motion there collides",
}


def reason(task: PathTask, pose: int, ending: int, before: Floats, after: Floats) -> str:
    """Say why a pose is not reached.

    Args:
        task: Poses and bounds.
        pose: Its index.
        ending: How what came furthest ended there.
        before: (1, n) where its last motion began; (0, n): that is not known.
        after: Likewise, where it led.
    """
    text = f"pose {pose}: {_WORDS[Ending(ending)]}"
    if ending == Ending.TOO_FAR:
        return f"{text} from {'the seed state' if pose == 0 else f'where pose {pose - 1} is met'}"
    if not len(before):
        return text
    if ending == Ending.UNREACHED:
        return text + _limits(task, before[0])
    pair = _pair(task, before[0], after[0]) if ending == Ending.COLLIDING else None
    return text if pair is None else f"{text}, the shortest one {pair[0]} with {pair[1]}"


def _limits(task: PathTask, q: Floats) -> str:
    """Name the joints that are within 0.02 of their unit from a limit in a configuration (n,)."""
    lower, upper, _, units, _ = task.bounds
    near = np.minimum(q - lower, upper - q) < 0.02 * units
    names = [n for n, there in zip(task.stages.chain.names, near, strict=True) if there]
    return f" (at its limit: {', '.join(names)})" if names else ""


def _pair(task: PathTask, before: Floats, after: Floats) -> tuple[str, str] | None:
    """Return the names of two things that collide first in a motion (n,) to (n,), or None."""
    if task.check is None:
        return None
    gap = after - before
    count = max(int(np.ceil(np.abs(gap / (RESOLUTION * task.bounds[3])).max())), 1)
    for share in np.arange(1, count + 1) / count:
        if (pair := task.check.colliding_pair(before + share * gap)) is not None:
            return pair
    return None
