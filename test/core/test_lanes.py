"""Functions of vector lanes beside those of NumPy."""

import numpy as np

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.compiled.lane_angles import angle_of
from generative_ik_ros.compiled.lanes import (
    doubled,
    lane_of,
    largest_of,
    load,
    spread_over_four,
    store,
    with_lane,
)


@kernel()
def angles(cosines, sines, out):
    for row in range(len(out) // 8):
        store(out, row, angle_of(load(cosines, row), load(sines, row)))


@kernel()
def largest(numbers):
    return largest_of(load(numbers, 0))


@kernel()
def in_pairs(numbers, out):
    lanes = spread_over_four(numbers[0])
    lanes = with_lane(with_lane(lanes, 1, numbers[1]), 2, numbers[2])
    store(out, 0, doubled(with_lane(lanes, 3, numbers[3])))
    return lane_of(lanes, 3)


def test_angles_all_round_the_circle(rng):
    corners = np.arange(-8, 8) * np.pi / 8.0
    expected = np.concatenate([rng.uniform(-np.pi, np.pi, 8000), corners, corners + 1e-9])
    out = np.empty_like(expected)
    angles(np.cos(expected), np.sin(expected), out)
    assert np.abs(np.exp(1j * out) - np.exp(1j * expected)).max() < 1e-15
    assert np.abs(out).max() <= np.pi


def test_the_largest_lane(rng):
    for kind, width in ((np.float64, 8), (np.float32, 16)):
        for _ in range(20):
            numbers = rng.normal(size=width).astype(kind)
            assert largest(numbers) == numbers.max()


def test_four_lanes_in_pairs():
    out = np.empty(8)
    assert in_pairs(np.array([1.0, 2.0, 3.0, 4.0]), out) == 1.0
    assert out.tolist() == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]
