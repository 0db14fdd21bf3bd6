"""A flow's pose network as a CPU kernel."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.learned.fused_math import LEAK
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.pose_features import COLUMNS, SIDE

_ONE = np.float32(1.0)
_Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


class FusedPose(NamedTuple):
    """The pose network's matrices, which multiply rows, and biases; see `ConditionalFlow`.

    Attributes:
        scale: Length that positions are divided by [m].
        columns: (F,) which of the cylindrical numbers are its input.
        layers: Three times a matrix, (F, C), (C, C) and (C, L * S), and its bias. The first is
            without the row of the noise level, which is 0; 1 is added to the gains of the last.
    """

    scale: float
    columns: NDArray[np.int64]
    layers: tuple[_Layer, _Layer, _Layer]

    @classmethod
    def of(cls, flow: ConditionalFlow) -> "FusedPose":
        """Take the weights of a flow whose pose input is one of `COLUMNS`."""
        config, parameters = flow.config, list(flow.pose.parameters())
        arrays = [values.detach().float().cpu().numpy() for values in parameters]
        arrays[0] = arrays[0][:, :-1]
        first, second, third = (
            (np.ascontiguousarray(matrix.T), bias.copy())
            for matrix, bias in zip(arrays[::2], arrays[1::2], strict=True)
        )
        gains = config.hidden_layers * config.hidden
        third[1].reshape(config.layers, -1)[:, :gains] += 1.0
        columns = np.array(COLUMNS[config.pose_input])
        return cls(config.position_scale, columns, (first, second, third))


@kernel()
def condition(network, last_in_first):  # noqa: ANN001, ANN201
    """Return the outputs (T, L * S) for canonical poses (T, 4, 4), as `ConditionalFlow` does.

    Pose by pose: matrix products of a library round differently for one row than for many.
    """
    first, second, third = network.layers
    biases = np.empty((len(last_in_first), len(third[1])), np.float32)
    features = np.empty(len(network.columns), np.float32)
    hidden, other = np.empty_like(first[1]), np.empty_like(second[1])
    numbers, back = np.empty(2 * SIDE, np.float32), np.empty(3)
    for t in range(len(last_in_first)):
        pose = last_in_first[t]
        position = pose[:3, 3] / network.scale
        for i in range(3):
            back[i] = -(
                pose[0, i] * position[0] + pose[1, i] * position[1] + pose[2, i] * position[2]
            )
        _write(numbers, position, pose[:3, 2], pose[:3, 0])
        _write(numbers[SIDE:], back, pose[2, :3], pose[0, :3])
        for i in range(len(network.columns)):
            features[i] = numbers[network.columns[i]]
        _layer(features, first, LEAK, hidden)
        _layer(hidden, second, LEAK, other)
        _layer(other, third, _ONE, biases[t])
    return biases


@kernel()
def _write(features, position, z, x):  # noqa: ANN001, ANN202
    for i in range(3):
        features[i], features[3 + i], features[6 + i] = position[i], z[i], x[i]
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


@kernel(error_model="numpy")
def _layer(row, weights, leak, out):  # noqa: ANN001, ANN202
    """Write `row @ matrix + bias`, after a leaky ReLU if the leak is below 1."""
    matrix, bias = weights
    out[:] = bias
    for i in range(len(row)):
        for o in range(len(out)):
            out[o] += row[i] * matrix[i, o]
    for o in range(len(out)):
        out[o] = max(out[o], leak * out[o])
