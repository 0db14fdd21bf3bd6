"""Scores that a caller computes with a function of their own, checked."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import without_tensors
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, shown

OwnScore = Callable[[Floats], ArrayLike]
"""Takes configurations (N, n) and returns a score of each (N,), the better the greater."""
_NUMBERS = "biuf"


def own_scores(score: OwnScore, positions: Floats) -> Floats:
    """Call a caller's function once.

    Args:
        score: It gets a copy, so that it may change its argument.
        positions: (N, n) configurations [rad or m], N >= 1.

    Returns:
        (N,) scores; infinite ones are passed on.

    Raises:
        InvalidArgumentError: It raised, or returned something other than N numbers, or NaN. A
            score that is not defined is -inf, which comes last; NaN would hide a mistake.
    """
    count = len(positions)
    try:
        returned = score(positions.copy())
    except Exception as error:
        raise InvalidArgumentError(
            f"order_by raised {type(error).__name__} for {count} configurations: {error}"
        ) from error
    try:
        values = np.asarray(without_tensors(returned))
    except Exception:  # noqa: BLE001 (whatever a foreign array type raises)
        values = np.asarray(None)
    if values.dtype.kind not in _NUMBERS or values.shape != (count,):
        what = shown(returned) if values.ndim == 0 else f"{values.dtype} {values.shape}"
        raise InvalidArgumentError(
            f"order_by must return {count} numbers for {count} configurations, shape ({count},); "
            f"it returned {what}"
        )
    values = values.astype(np.float64)
    undefined = np.isnan(values)
    if undefined.any():
        example = np.array2string(positions[np.argmax(undefined)], precision=4)
        raise InvalidArgumentError(
            f"order_by returned NaN for {undefined.sum()} of {count} configurations, as for "
            f"{example}; -inf puts a configuration last"
        )
    return values
