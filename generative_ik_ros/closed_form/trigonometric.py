"""All real zeros of a trigonometric polynomial, none missed: steps that cannot jump over one.

Taylor's formula bounds f and f'' near an angle. So f cannot vanish within a known distance, and
where |f| is small enough against f' there is exactly one zero within another (Newton and
Kantorovich: L. V. Kantorovich, Functional analysis and applied mathematics, 1948). A walk once
round the circle finds each zero, and says where rounding could hide two of them, or show two where
there are none.
"""

import math

from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

START = -3.0271
"""Where the walk begins [rad]: no place where the zeros of real arms like to be."""
END = START + 2.0 * math.pi
_NEWTON_STEPS = 12
_WIDEST = 0.6
"""The largest distance within which f'' is bounded [rad]; others are fourths of it, and so on."""
_WIDTHS = 9
_HALVINGS = 7
_SHORTEST = 1e-7
"""Least step [rad]."""
_MOST_TOUCHING, MOST_ZEROS = 8, 32


@inlined
def derivatives(cosines, sines, angle):
    """Return f and its first five derivatives at an angle, see `next_zero`."""
    c, s = math.cos(angle), math.sin(angle)
    x, y = 1.0, 0.0  # cos(k u), sin(k u)
    f0, f1, f2, f3, f4, f5 = cosines[0], 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(1, len(cosines)):
        x, y = x * c - y * s, x * s + y * c
        value, slope = cosines[k] * x + sines[k] * y, k * (sines[k] * x - cosines[k] * y)
        f0, f1 = f0 + value, f1 + slope
        value, slope = value * k * k, slope * k * k
        f2, f3 = f2 - value, f3 - slope
        f4, f5 = f4 + value * k * k, f5 + slope * k * k
    return f0, f1, f2, f3, f4, f5


@inlined
def largest_derivative(cosines, sines, order):
    """Return a bound of a derivative anywhere."""
    most = 0.0
    for k in range(1, len(cosines)):
        most += k**order * math.sqrt(cosines[k] * cosines[k] + sines[k] * sines[k])
    return most


@inlined
def next_zero(cosines, sines, sixth, angle, depth):
    """Walk on to the next zero of f(u) = sum cosines[k] cos(k u) + sines[k] sin(k u).

    Args:
        cosines: Coefficients of cos(k u), from k = 0.
        sines: Coefficients of sin(k u); that of k = 0 does not count.
        sixth: `largest_derivative(..., 6)`.
        angle: Where the walk is [rad].
        depth: Where f changes its sign and back without going further than this to the other
            side, or comes as near to zero, it is not told whether it has zeros.

    Returns:
        The zero [rad], or a number beyond `END` if there is none; where to walk on from; and
        whether it is one simple zero. If not, f touches zero there or nearly does.
    """
    while angle < END:
        f, slope, f2, f3, f4, f5 = derivatives(cosines, sines, angle)
        clear = _clear(abs(f), math.copysign(1.0, f), slope, f2, f3, f4, f5, sixth, depth)
        if clear > 0.0:
            angle += clear
            continue
        towards, size = slope if f < 0.0 else -slope, abs(f)
        ahead, within, curved = 0.0, 0.0, 0.0
        width = _WIDEST
        for _ in range(_WIDTHS):
            bound = abs(f2) + width * (abs(f3) + width * (abs(f4) / 2.0 + width * abs(f5) / 6.0))
            bound += width**4 * sixth / 24.0 + 1e-300
            curved = bound
            rest = towards * towards - 2.0 * bound * size
            deep = towards > 0.0 and rest > 0.0 and towards * towards > 2.0 * bound * depth
            if deep and towards - math.sqrt(rest) <= width * bound:
                within = min(width, towards / bound)
                break
            # What rounding may hide of f is no room.
            room = max(size - depth, 0.0)
            free = math.sqrt(towards * towards + 2.0 * bound * room) - towards
            ahead = max(ahead, min(width, free / bound))
            width /= 4.0
        if within > 0.0:
            return _refined(cosines, sines, angle, within, f, slope), angle + within, True
        flat = towards * towards <= 2.0 * curved * depth
        if ahead < _SHORTEST or (size < depth and flat):
            beyond = 4.0 * math.sqrt(depth / curved)
            return angle, angle + min(0.1, max(beyond, 2.0 * _SHORTEST)), False
        angle += ahead
    return END + 1.0, angle, True


@inlined
def _clear(size, sign, slope, f2, f3, f4, f5, sixth, depth):
    """Return a distance within which f stays further than `depth` from zero, 0 if none is found.

    On an interval a polynomial lies between the least and the largest of its coefficients in
    Bernstein's basis (S. Bernstein, 1912; here of Taylor's, of degree five).
    """
    width = _WIDEST
    for _ in range(_HALVINGS):
        a, b = sign * slope * width / 5.0, sign * f2 * width**2 / 20.0
        c, d = sign * f3 * width**3 / 60.0, sign * f4 * width**4 / 120.0
        e = sign * f5 * width**5 / 120.0
        least = min(0.0, a, 2.0 * a + b, 3.0 * (a + b) + c, 4.0 * (a + c) + 6.0 * b + d)
        least = min(least, 5.0 * (a + d) + 10.0 * (b + c) + e)
        if size + least - width**6 * sixth / 720.0 > depth:
            return width
        width /= 2.0
    return 0.0


@inlined
def _refined(cosines, sines, angle, within, f, slope):
    """Return the one zero in an interval where the slope keeps its sign."""
    zero = angle
    for _ in range(_NEWTON_STEPS):
        step = f / slope
        zero = min(angle + within, max(angle, zero - step))
        if abs(step) < 1e-9:
            break
        f, slope, _, _, _, _ = derivatives(cosines, sines, zero)
    return zero


@inlined
def all_zeros(cosines, sines, depth, zeros):
    """Write the zeros of the polynomial; return how many, and whether these are surely all."""
    sixth, angle, count, sure, touching = largest_derivative(cosines, sines, 6), START, 0, True, 0
    if sixth <= 0.0:
        return 0, False
    while angle < END:
        zero, angle, simple = next_zero(cosines, sines, sixth, angle, depth)
        if zero >= END:
            break
        if not simple:
            sure, touching = False, touching + 1
        if touching > _MOST_TOUCHING or count == MOST_ZEROS:
            return count, False
        zeros[count] = zero
        count += 1
    return count, sure
