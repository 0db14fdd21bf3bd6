"""Quantiles of the normal distribution in a CPU kernel."""

import math

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.learned.ggik.autoregressive.von_mises import EDGE

_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_TAILS = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip
"""Coefficients of Giles's polynomials, see `normal_quantile`."""


@kernel(error_model="numpy")
def normal_quantile(unit):  # noqa: ANN001, ANN201
    """Return the standard normal quantile of a uniform number.

    M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2012; to 1e-6.
    """
    unit = min(max(unit, EDGE), 1.0 - EDGE)
    x = 2.0 * unit - 1.0
    w = -math.log(4.0 * unit * (1.0 - unit))
    p = 0.0
    if w < 5.0:
        w -= 2.5
        for coefficient in _CENTRAL:
            p = coefficient + p * w
    else:
        w = math.sqrt(w) - 3.0
        for coefficient in _TAILS:
            p = coefficient + p * w
    return math.sqrt(2.0) * p * x
