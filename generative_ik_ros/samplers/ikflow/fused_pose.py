"""Canonical target poses and a flow's pose network in, hidden biases out: a CPU kernel."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from generative_ik_ros.samplers.ikflow.flow import ConditionalFlow
from generative_ik_ros.samplers.ikflow.fused_math import LEAK

POSE_INPUTS = ("6d", "cylindrical")
"""The pose inputs that the kernel knows."""


class FusedPose(NamedTuple):
    """The pose network's matrices, which multiply rows, and biases; see `ConditionalFlow`.

    Attributes:
        scale: Length that positions are divided by [m].
        cylindrical: Which of the two pose inputs.
        first: (F, C), without the row of the noise level, which is 0.
        first_bias: (C,).
        second: (C, C).
        second_bias: (C,).
        third: (C, L * N * H).
        third_bias: (L * N * H,).
    """

    scale: float
    cylindrical: bool
    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    third: NDArray[np.float32]
    third_bias: NDArray[np.float32]

    @classmethod
    def of(cls, flow: ConditionalFlow) -> "FusedPose":
        """Take the weights of a flow whose pose input is one of `POSE_INPUTS`."""
        weights = {
            name: values.detach().float().cpu().numpy()
            for name, values in flow.pose.named_parameters()
        }
        parts = []
        for layer in ("0", "2", "4"):
            matrix = weights[f"{layer}.weight"].T
            matrix = matrix[:-1] if layer == "0" else matrix
            parts += [np.ascontiguousarray(matrix), weights[f"{layer}.bias"].copy()]
        config = flow.config
        return cls(config.position_scale, config.pose_input == "cylindrical", *parts)


@njit(nogil=True, cache=True)
def condition(network, last_in_first):  # noqa: ANN001, ANN201
    """Compute (T, L * N * H) biases of canonical poses (T, 4, 4), as `ConditionalFlow` does."""
    features = np.empty((len(last_in_first), network.first.shape[0]), np.float32)
    for t in range(len(last_in_first)):
        pose = last_in_first[t]
        position, z, x = pose[:3, 3] / network.scale, pose[:3, 2], pose[:3, 0]
        _write(features[t], position, z, x, network.cylindrical)
        if network.cylindrical:
            back = np.empty(3)
            for i in range(3):
                back[i] = -(
                    pose[0, i] * position[0] + pose[1, i] * position[1] + pose[2, i] * position[2]
                )
            _write(features[t, 19:], back, pose[2, :3], pose[0, :3], True)
    hidden = np.dot(features, network.first)
    _activate(hidden, network.first_bias)
    hidden = np.dot(hidden, network.second)
    _activate(hidden, network.second_bias)
    biases = np.dot(hidden, network.third)
    for t in range(len(biases)):
        for i in range(len(network.third_bias)):
            biases[t, i] += network.third_bias[i]
    return biases


@njit(nogil=True, cache=True)
def _write(features, position, z, x, cylindrical):  # noqa: ANN001, ANN202
    for i in range(3):
        features[i], features[3 + i], features[6 + i] = position[i], z[i], x[i]
    if not cylindrical:
        return
    radius = np.sqrt(position[0] ** 2 + position[1] ** 2 + 1e-12)
    cosine, sine = position[0] / radius, position[1] / radius
    features[9], features[10], features[11] = radius, cosine, sine
    features[12] = np.arctan2(position[1], position[0]) / np.pi
    features[13] = cosine * z[0] + sine * z[1]
    features[14] = cosine * z[1] - sine * z[0]
    features[15] = z[2]
    features[16] = cosine * x[0] + sine * x[1]
    features[17] = cosine * x[1] - sine * x[0]
    features[18] = x[2]


@njit(nogil=True, cache=True)
def _activate(rows, bias):  # noqa: ANN001, ANN202
    for t in range(len(rows)):
        for i in range(len(bias)):
            value = rows[t, i] + bias[i]
            rows[t, i] = max(value, LEAK * value)
