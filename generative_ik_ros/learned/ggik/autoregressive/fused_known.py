"""Joints that known distances decide, on the CPU; the same as `KnownDistances.nearest`."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false

import math

import numpy as np

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.learned.fused_chunks import CHUNK
from generative_ik_ros.learned.ggik.autoregressive.known_distances import (
    AGREEING,
    BASIS,
    LEAST,
    OUTSIDE,
    SIGNED,
)
from generative_ik_ros.robot.rigid import TURN


@kernel(error_model="numpy")
def nearest(known, joint, features, lane, half, sampled):  # noqa: ANN001, ANN201
    """Return the angle that meets a joint's conditions, nearest to the sampled one [rad].

    Args:
        known: A `FusedKnown`.
        joint: Joint j.
        features: Rows of `GoalView.features`, CHUNK lanes each, float32.
        lane: Which lane.
        half: Half the joint's range [rad].
        sampled: The angle that was sampled [rad].
    """
    numbers = np.empty(BASIS)
    _basis(features, lane, numbers)
    middle = math.atan2(features[8 * CHUNK + lane], features[7 * CHUNK + lane])
    best, chosen = math.inf, sampled
    for _ in range(2 if known.signed[joint] else 1):
        way, first, one, other = _line(known.conditions[joint, : known.counts[joint]], numbers)
        if math.isfinite(way):
            for side in (one, other):
                root = way + math.atan2(side, first)
                cost = abs(_wrapped(root - sampled))
                cost += OUTSIDE * max(abs(_wrapped(root - middle)) - half, 0.0)
                if cost < best:
                    best, chosen = cost, root
        for i in range(SIGNED, BASIS):
            numbers[i] = -numbers[i]
    return chosen


@kernel(error_model="numpy")
def _wrapped(angle):  # noqa: ANN001, ANN202
    return angle - TURN * math.floor(angle / TURN + 0.5)


@kernel(error_model="numpy")
def _basis(features, lane, numbers):  # noqa: ANN001, ANN202
    """Write the numbers of `known_distances.basis`."""
    x, y, z = features[lane], features[CHUNK + lane], features[2 * CHUNK + lane]
    u, v, w = (
        features[4 * CHUNK + lane],
        features[5 * CHUNK + lane],
        features[6 * CHUNK + lane],
    )
    x, y, z = np.float64(x), np.float64(y), np.float64(z)
    u, v, w = np.float64(u), np.float64(v), np.float64(w)
    numbers[0] = 1.0
    numbers[1] = x * x + y * y + z * z
    numbers[2] = x * u + y * v + z * w
    numbers[3], numbers[4], numbers[5] = x, y, z
    numbers[6], numbers[7], numbers[8] = u, v, w
    numbers[9], numbers[10], numbers[11] = y * w - z * v, z * u - x * w, x * v - y * u
    flat = max(math.sqrt(u * u + v * v), 1e-9)
    u, v = u / flat, v / flat
    numbers[12], numbers[13], numbers[14], numbers[15] = u, v, u * y - v * x, u * x + v * y


@kernel(error_model="numpy")
def _line(conditions, numbers):  # noqa: ANN001, ANN202
    """Return the common line of conditions, see `known_distances._roots`.

    As its direction from the centre [rad], its distance, and how far along it the two points are;
    nan for the direction if there is none.
    """
    a = b = c = by_x = by_y = 0.0
    for r in range(len(conditions)):
        total = cosine = sine = 0.0
        for i in range(BASIS):
            total += conditions[r, 0, i] * numbers[i]
            cosine += conditions[r, 1, i] * numbers[i]
            sine += conditions[r, 2, i] * numbers[i]
        a, b, c = a + cosine * cosine, b + sine * sine, c + cosine * sine
        by_x, by_y = by_x - cosine * total, by_y - sine * total
    spread = math.sqrt((a - b) ** 2 + 4.0 * c * c)
    most, least = 0.5 * (a + b + spread), max(0.5 * (a + b - spread), 0.0)
    if not most > LEAST:
        return math.nan, 0.0, 0.0, 0.0
    way = 0.5 * math.atan2(2.0 * c, a - b)
    x, y = math.cos(way), math.sin(way)
    first = min(max((x * by_x + y * by_y) / most, -1.0), 1.0)
    chord = math.sqrt(1.0 - first * first)
    if least <= AGREEING * most:
        return way, first, chord, -chord
    agreed = (x * by_y - y * by_x) / max(least, 1e-12)
    if chord * chord * most > least:
        agreed = math.copysign(chord, agreed)
    return way, first, agreed, agreed
