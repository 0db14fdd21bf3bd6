"""The nearest turn of a joint in numba, for optimization."""

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)


@inlined
def turn_towards(q, reference, lower, upper):  # noqa: ANN001, ANN201
    """Turn a joint by full turns to come as near to a reference as its limits allow [rad]."""
    q = q + TURN * np.rint((reference - q) / TURN)
    if q > upper:
        q = q - TURN if q - TURN >= lower else upper
    elif q < lower:
        q = q + TURN if q + TURN <= upper else lower
    return q
