"""Right calls of the native core's networks, small ones with random weights."""

import numpy as np

_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int) -> np.ndarray:
    return _RANDOM.normal(size=shape).astype(np.float32)


def _bounds(joints: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(joints, -2.0), np.full(joints, 2.0)


def flow_samples() -> tuple:
    """Return the arguments that draw from a flow of two layers for three joints."""
    hidden, bins, width, untouched = 6, 2, 3, 1
    outputs = (width - untouched) * (3 * bins + 1)
    taken = 2 * (4 * hidden + outputs)  # two hidden layers in each layer
    pose = (
        np.arange(9), _numbers(9, 5), _numbers(5), _numbers(5, 7), _numbers(7), _numbers(7, taken),
        _numbers(taken),
    )  # fmt: skip
    layers = (
        _numbers(2, 2, 3 * untouched, 4), _numbers(2, 1, 2, hidden, 4), _numbers(2, 4, hidden, 4),
        np.array([[0, 1, 2], [1, 2, 0]]), np.array([True, False, True]), _numbers(width),
    )  # fmt: skip
    ends = (
        np.array([True, True]), _numbers(3, 3), np.array([1, 0]), _numbers(2, 2),
        np.array([False, True]), _numbers(2, 3, 4), _numbers(2, 2),
    )  # fmt: skip
    box = np.array([-1, 0, -2]), np.zeros(3), np.ones(3), np.array([True, False, True])
    poses = np.tile(np.eye(4), (2, 1, 1))
    return (
        (pose, 1.0, layers, bins, ends, box), poses, _RANDOM.random((2, width)), 1.0, 3,
        *_bounds(3), np.empty((2, 40, 3)),
    )  # fmt: skip


def member_answers() -> tuple:
    """Return the arguments that have two networks of two hidden layers answer for four joints."""
    members, inputs, hidden, joints = 2, 9, 6, 4
    layers = (
        _numbers(members, inputs, hidden), _numbers(members, hidden),
        _numbers(members, 1, hidden, hidden), _numbers(members, 1, hidden),
        _numbers(members, hidden, 2 * joints), _numbers(members, 2 * joints),
    )  # fmt: skip
    prismatic = np.array([False, True, False, False])
    return (
        (np.arange(inputs), 1.0, layers, prismatic, np.full(joints, 2.0)),
        np.tile(np.eye(4), (3, 1, 1)), np.empty((3, members, joints)),
    )  # fmt: skip


def completion_samples() -> tuple:
    """Return the arguments that complete an arm of four joints."""
    joints, hidden, components = 4, 6, 2
    network = (
        _numbers(joints, 2, 9, 4), _numbers(joints, hidden), _numbers(2, 2, hidden, 4),
        _numbers(2, hidden), _numbers(components, hidden, 4), _numbers(4 * components),
        _numbers(5),
    )  # fmt: skip
    links = (
        np.array([0, 0, 1, 1]), np.zeros(joints, np.bool_), _numbers(joints, 3),
        _numbers(joints, 3), _numbers(joints), _numbers(joints), np.full(joints, 2.0, np.float32),
        np.arange(joints), np.ones(joints, np.float32), np.zeros(joints), np.array([0, 1, 0, 0]),
    )  # fmt: skip
    known = _RANDOM.normal(size=(joints, 5, 3, 16)), np.array([2, 0, 0, 0]), np.ones(4, np.bool_)
    return (
        (network, links, known), _numbers(2, 9), _RANDOM.random((2, 2)), 3, _numbers(3, 2),
        np.ones(joints, np.bool_), *_bounds(joints), np.empty((2, 40, joints)),
    )  # fmt: skip
