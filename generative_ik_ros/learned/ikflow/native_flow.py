"""A spline flow in the native core.

The core computes what `ConditionalFlow.condition` and `generate` do, in single precision and
without their likelihood, and what `Closing` and `JointBox.inside` do with the result. Library
calls for every small operation would take longer than the arithmetic.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.device_network import DeviceNetwork
from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.pose_features import COLUMNS
from generative_ik_ros.learned.network_weights import in_blocks, single
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.ends import Ends
from generative_ik_ros.samplers.quasi_random import recurrence


class NativeFlow(NamedTuple):
    """A flow and its chain as the core takes them.

    Attributes:
        pose: Columns of the cylindrical numbers that are the pose network's input, then three
            times a matrix, (F, C), (C, C) and (C, L * S), and its bias. The first is without the
            row of the noise level, which is 0; 1 is added to the gains of the last.
        position_scale: Length that positions are divided by [m].
        layers: Matrices in blocks: first (L, ceil(H / 4), I, 4), middle (L, N - 1, ceil(H / 4), H,
            4) and last (L, ceil(M P / 4), H, 4); then orders (L, D), which coordinates are
            circles (D,), and the angle at the ends of the box (D,) [rad].
        bins: K.
        ends: See `_ends`.
        box: See `_box`.
    """

    pose: tuple[NDArray, ...]
    position_scale: float
    layers: tuple[NDArray, ...]
    bins: int
    ends: tuple[NDArray, ...]
    box: tuple[NDArray, ...]

    @classmethod
    def of(cls, flow: ConditionalFlow, chain: KinematicChain) -> "NativeFlow":
        """Take the weights of a spline flow whose pose input is one of `COLUMNS`."""
        config = flow.config
        circular = np.array(config.circular)
        layers = (
            in_blocks(flow.first),
            in_blocks(flow.middle),
            in_blocks(flow.last),
            np.array(config.permutations, np.int64),
            circular,
            np.where(circular, np.pi, config.half_turn).astype(np.float32),
        )
        return cls(
            _pose(flow), config.position_scale, layers, config.bins, _ends(chain, config),
            _box(chain, config),
        )  # fmt: skip

    def draw(
        self,
        chain: KinematicChain,
        request: SeedRequest,
        temperature: float,
        there: DeviceNetwork[_core.DeviceFlow] | None = None,
    ) -> Floats:
        """Return configurations (T, K, n) inside the bounds, drawn there or on the CPU."""
        poses = np.ascontiguousarray(chain.canonical_target(request.targets))
        positions = np.empty((len(poses), request.count, chain.num_joints))
        width = self.layers[3].shape[1]
        given = (
            poses, recurrence(request.random_seed, width), temperature, request.first,
            np.ascontiguousarray(request.lower, np.float64),
            np.ascontiguousarray(request.upper, np.float64), positions,
        )  # fmt: skip
        if there is None or not there.does(lambda flow: flow.samples(*given)):
            _core.flow_samples(self, *given)
        return positions


def _pose(flow: ConditionalFlow) -> tuple[NDArray, ...]:
    config = flow.config
    arrays = [single(values) for values in flow.pose.parameters()]
    arrays[0] = arrays[0][:, :-1]
    gains = config.hidden_layers * config.hidden
    arrays[-1] = arrays[-1].copy()
    arrays[-1].reshape(config.layers, -1)[:, :gains] += 1.0
    pairs = zip(arrays[::2], arrays[1::2], strict=True)
    layers = [part for matrix, bias in pairs for part in (np.ascontiguousarray(matrix.T), bias)]
    return np.array(COLUMNS[config.pose_input]), *layers


def _box(chain: KinematicChain, config: FlowConfig) -> tuple[NDArray, ...]:
    """Return how coordinates become positions inside the bounds of a request.

    Each joint's coordinate of the flow, -1 for the first and -2 for the last joint where they
    follow in closed form; the position where the coordinate is 0 and its change up to 1 [rad or
    m], 0 and 1 for joints that follow; whether it may be full turns away from the bounds: (n,).
    """
    box, modelled = JointBox.of(chain), config.modelled
    columns = np.full(chain.num_joints, -1)
    columns[modelled] = np.arange(len(modelled))
    last = int(chain.joint_variable[-1])
    if last in config.closed:
        columns[last] = -2
    closed = columns < 0
    least = np.where(closed, 0.0, box.middle - box.half)
    return columns, least, np.where(closed, 1.0, 2.0 * box.half), box.circular | closed


def _ends(chain: KinematicChain, config: FlowConfig) -> tuple[NDArray, ...]:
    """Return the joints that the flow models, and what is known of the two that follow from them.

    The chain is a product of rotations about z axes (or translations along them) and constant
    frames between them; three vectors are transformed by it from the last joint inwards.

    Returns:
        (2,) whether the first and the last joint follow in closed form.
        (3, 3) position, x and y axis of the last frame before the first step [m].
        (J,) coordinate of the flow that moves each step's joint, last joint first.
        (J, 2) the joint's value where the coordinate is 0, and its change up to 1 [rad or m].
        (J,) whether the joint is prismatic.
        (J, 3, 4) constant frame before the joint [m].
        (2, 2) of the first and the last joint: the position where the joint's value is 0 [rad],
        and its direction, +1 or -1.
    """
    ends, box, modelled = Ends.of(chain), JointBox.of(chain), config.modelled
    first = ends.first_variable in config.closed
    last = ends.last_variable in config.closed
    joints = len(chain.joint_variable)
    at_zero = _joint_frames(chain)
    between = [inverse(one) @ two for one, two in zip(at_zero, at_zero[1:], strict=False)]
    steps = range(joints - 2 if last else joints - 1, 0 if first else -1, -1)
    before = np.stack([between[j - 1] if j else np.eye(4) for j in steps])
    variables = [int(chain.joint_variable[j]) for j in steps]
    multiplier, offset = chain.joint_multiplier, chain.joint_offset
    half, middle = box.half[variables], box.middle[variables]
    least = offset[list(steps)] + multiplier[list(steps)] * (middle - half)
    values = np.stack([least, 2.0 * multiplier[list(steps)] * half], axis=1)
    zeros = -offset[[0, -1]] / multiplier[[0, -1]]
    return (
        np.array([first, last]),
        np.ascontiguousarray(between[steps[0]][:3, [3, 0, 1]].T, np.float32),
        np.array([modelled.index(v) for v in variables]),
        values.astype(np.float32),
        np.ascontiguousarray(chain.joint_prismatic[list(steps)], np.bool_),
        np.ascontiguousarray(before[:, :3], np.float32),
        np.stack([zeros, (ends.first_sign, ends.last_sign)], axis=1).astype(np.float32),
    )


def _joint_frames(chain: KinematicChain) -> list[Floats]:
    """Return a frame on each joint's axis at zero, then the last frame, in the first joint's.

    Each has its z axis along the joint's; the last joint's and the last are the same.
    """
    canonical = chain.canonical
    frames = [np.eye(4)]
    for axis, point in zip(canonical.axis_directions, canonical.axis_points, strict=True):
        frame = np.eye(4)
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        x = side / np.linalg.norm(side)
        frame[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
        frame[:3, 3] = point
        frames.append(frame)
    last = canonical.last_joint_in_first_joint
    return [np.eye(4), *frames[2:-1], last, last]
