"""Configurations from an autoregressive model by the native core."""

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.device_network import DeviceNetwork
from generative_ik_ros.learned.ggik.autoregressive.generator import AutoregressiveGenerator
from generative_ik_ros.learned.ggik.autoregressive.kinematics import Decision, decided_by
from generative_ik_ros.learned.ggik.autoregressive.model import (
    BOUNDS,
    AutoregressiveModel,
    spread_of,
)
from generative_ik_ros.learned.graph.lines import seen_from_tip
from generative_ik_ros.learned.graph.links import Links
from generative_ik_ros.learned.network_weights import in_blocks, single
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import recurrence


class NativeGenerator:
    """Draws configurations of one chain, the same as `AutoregressiveGenerator` up to rounding.

    Attributes:
        shifts: (tries, F) what each try adds to a seed's uniform numbers.
    """

    def __init__(
        self, generator: AutoregressiveGenerator, chain: KinematicChain, device: str = "cpu"
    ):
        known, self._links = generator.known, generator.links
        self._arm = (
            _network(generator.model, generator.encodings),
            _links(generator.links),
            (known.conditions.numpy(), np.array(known.counts), np.array(known.signed)),
        )
        self._there = DeviceNetwork(_core.DeviceArm, self._arm) if device == "cuda" else None
        self.shifts = generator.shifts
        self._from_tip = generator.from_tip
        self._periodic = np.array(chain.periodic)
        self._last = np.linalg.inv(self._links.lines.last_in_first.double().numpy())
        self._last_point = self._links.joint_points[-1].double().numpy()

    def draw(self, canonical: Floats, request: SeedRequest, drawn: Floats) -> None:
        """Write configurations (T, K, n) inside the bounds for canonical targets (T, 4, 4)."""
        width = self.shifts.shape[1]
        # A sequence has one dimension at least.
        numbers = recurrence(request.random_seed, max(width, 1))
        given = (
            self._goals(canonical), np.ascontiguousarray(numbers[:, :width]),
            request.first, self.shifts, self._periodic,
            np.ascontiguousarray(request.lower, np.float64),
            np.ascontiguousarray(request.upper, np.float64), drawn,
        )  # fmt: skip
        if self._there is None or not self._there.does(lambda arm: arm.samples(*given)):
            _core.completion_samples(self._arm, *given)

    def _goals(self, canonical: Floats) -> NDArray[np.float32]:
        """Return origin, z and x of frame m (T, 9), see `Links.end_frame`."""
        if self._from_tip:
            canonical = seen_from_tip(torch.from_numpy(canonical)).numpy()
        end = canonical @ self._last
        origin = end[:, :3, :3] @ self._last_point + end[:, :3, 3]
        z = float(self._links.sense[-1]) * canonical[:, :3, 2]
        parts = [origin / float(self._links.scale), z, canonical[:, :3, 0]]
        return np.concatenate(parts, axis=1).astype(np.float32)


def _network(model: AutoregressiveModel, encodings: list[torch.Tensor]) -> tuple[NDArray, ...]:
    """Return the weights of a model for one arm, given the encodings of its links, in blocks.

    Returns:
        (m, ceil(H / 4), GOAL_FEATURES, 4) first layer, gated by each joint's encoding.
        (m, H) its biases.
        (2 B, ceil(H / 4), H, 4) of the residual blocks.
        (2 B, H) likewise.
        (C, H, 4) of the mixture's outputs.
        (4 C,) likewise.
        (cells + 1,) spread of a component by its concentration, see `spread_of`.
    """
    shifts, gates = zip(*(one.chunk(2, dim=-1) for one in encodings), strict=True)
    weight, bias = model.sight.weight, model.sight.bias
    layers = [layer for block in model.rounds for layer in (block.first, block.second)]
    cells = 4096
    logs = torch.linspace(BOUNDS.least, BOUNDS.most, cells + 1, dtype=torch.float64)
    return (
        np.stack([in_blocks(((1.0 + gate[:, None]) * weight).T) for gate in gates]),
        np.stack([single((1.0 + g) * bias + s) for s, g in zip(shifts, gates, strict=True)]),
        np.stack([in_blocks(layer.weight.T) for layer in layers]),
        np.stack([single(layer.bias) for layer in layers]),
        in_blocks(model.head.weight.T),
        single(model.head.bias),
        single(spread_of(logs)),
    )


def _links(links: Links) -> tuple[NDArray, ...]:
    """Return the links of one arm; lengths are shares of the arm's.

    Returns:
        (m,) its `Decision`.
        (m,) whether the joint is prismatic.
        (m, 3) axis.
        (m, 3) normal at the middle of the range.
        (m,) link length.
        (m,) link offset, with a prismatic joint at the middle of its range.
        (m,) half range [rad or share].
        (m,) which variable drives the joint.
        (m,) change of the variable with the displacement.
        (m,) the variable at the middle of the joint's range [rad or m].
        (m,) which of the uniform numbers decides the joint.
    """
    lines, scale = links.lines, float(links.scale)
    prismatic, kinds = np.array(links.prismatic), np.array(decided_by(links))
    unit = np.where(prismatic, scale, 1.0)
    sense = single(links.sense)
    middle, offset, half = (
        part.double().cpu().numpy()
        for part in (links.mid_position, links.link_offset, links.half_range)
    )
    factor = np.array(lines.multiplier)
    return (
        kinds,
        prismatic,
        single(links.axis),
        single(links.mid_normal),
        single(links.link_length / scale),
        ((offset + np.where(prismatic, sense * middle, 0.0)) / scale).astype(np.float32),
        (half / unit).astype(np.float32),
        np.array(lines.variable),
        (sense * unit / factor).astype(np.float32),
        (middle - np.array(lines.offset)) / factor,
        np.where(kinds == Decision.SAMPLED, np.cumsum(kinds == Decision.SAMPLED) - 1, 0),
    )
