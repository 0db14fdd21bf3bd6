"""All real zeros of a trigonometric polynomial, none missed: steps that cannot jump over one.

With f'' nowhere beyond a bound, f cannot vanish within a known distance, and where |f| is small
enough against f' there is exactly one zero within another (Newton and Kantorovich: L. V.
Kantorovich, Functional analysis and applied mathematics, 1948). So a walk once round the circle
finds each zero, and says where it could not tell two of them apart, or from none.
"""

import math

from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

START = -3.0271
"""Where the walk begins [rad]: no place where the zeros of real arms like to be."""
_TURN = 2.0 * math.pi
_NEWTON_STEPS = 8


@inlined
def value_and_slope(cosines, sines, angle):
    """Return f and f' of f(u) = sum of cosines[k] cos(k u) + sines[k] sin(k u)."""
    c, s = math.cos(angle), math.sin(angle)
    real, imaginary, slope_real, slope_imaginary = 0.0, 0.0, 0.0, 0.0
    # Horner's rule in exp(i u), for the coefficients cosines[k] - i sines[k] and k times them.
    for j in range(len(cosines)):
        k = len(cosines) - 1 - j
        real, imaginary = (
            real * c - imaginary * s + cosines[k],
            real * s + imaginary * c - sines[k],
        )
        slope_real, slope_imaginary = (
            slope_real * c - slope_imaginary * s + k * cosines[k],
            slope_real * s + slope_imaginary * c - k * sines[k],
        )
    return real, -slope_imaginary


@inlined
def curvature(cosines, sines):
    """Return a bound of |f''|."""
    most = 0.0
    for k in range(1, len(cosines)):
        most += k * k * math.sqrt(cosines[k] * cosines[k] + sines[k] * sines[k])
    return most


@inlined
def next_zero(cosines, sines, bound, angle, finest):
    """Walk on from an angle to the next zero.

    Args:
        cosines: Coefficients of cos(k u), from k = 0.
        sines: Coefficients of sin(k u); that of k = 0 does not count.
        bound: `curvature(...)`.
        angle: Where the walk is [rad].
        finest: Zeros closer than about this are not told apart [rad].

    Returns:
        The zero [rad], or a number beyond the end `START` + 2 pi if there is none; where to walk
        on from; and whether it is one simple zero. If not, f touches zero there or nearly does.
    """
    end = START + _TURN
    while angle < end:
        f, slope = value_and_slope(cosines, sines, angle)
        towards = slope if f < 0.0 else -slope
        size = abs(f)
        if towards > finest * bound and 2.0 * bound * size < towards * towards:
            zero = angle
            for _ in range(_NEWTON_STEPS):
                step = f / slope
                zero -= step
                if abs(step) < 1e-9:
                    break
                f, slope = value_and_slope(cosines, sines, zero)
            # Up to here the slope keeps its sign.
            return zero, angle + towards / bound, True
        ahead = math.sqrt(towards * towards + 2.0 * bound * size) - towards
        if ahead < finest * bound:
            return angle, angle + 2.0 * finest, False
        angle += ahead / bound
    return end + 1.0, angle, True
