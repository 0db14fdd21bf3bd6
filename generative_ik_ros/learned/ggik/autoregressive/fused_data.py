"""An arm and an autoregressive model's weights as the CPU kernel takes them."""

from collections import namedtuple

import numpy as np
import torch
from numpy.typing import NDArray

from generative_ik_ros.learned.fused_chunks import in_blocks
from generative_ik_ros.learned.ggik.autoregressive.kinematics import SAMPLED, decided_by
from generative_ik_ros.learned.ggik.autoregressive.known_distances import KnownDistances
from generative_ik_ros.learned.ggik.autoregressive.model import AutoregressiveModel
from generative_ik_ros.learned.ggik.autoregressive.von_mises import LEAST, MOST, spread_of
from generative_ik_ros.learned.graph.links import Links

_CELLS = 4096


class FusedNetwork(
    namedtuple("FusedNetwork", "inputs starts middle shifts head head_shifts spreads")
):
    """The weights for one arm, float32.

    A matrix (I, O) is stored as (ceil(O / 4), I, 4), padded with zeros: in the order of use.

    Attributes:
        inputs: (m, ceil(H / 4), GOAL_FEATURES, 4) first layer, gated by each joint's encoding.
        starts: (m, H) likewise.
        middle: (2 B, ceil(H / 4), H, 4) of the residual blocks.
        shifts: (2 B, H).
        head: (ceil(4 C / 4), H, 4).
        head_shifts: (4 C,).
        spreads: (cells + 1,) spread of a component by its concentration, see `spread_of`.
    """

    __slots__ = ()

    @classmethod
    def of(cls, model: AutoregressiveModel, encodings: list[torch.Tensor]) -> "FusedNetwork":
        """Take the weights of a model, and its encodings of an arm's links."""
        shifts, gates = zip(*(one.chunk(2, dim=-1) for one in encodings), strict=True)
        weight, bias = model.sight.weight, model.sight.bias
        layers = [layer for block in model.rounds for layer in (block.first, block.second)]
        logs = torch.linspace(LEAST, MOST, _CELLS + 1, dtype=torch.float64)
        return cls(
            np.stack([in_blocks(((1.0 + gate[:, None]) * weight).T) for gate in gates]),
            np.stack([_single((1.0 + g) * bias + s) for s, g in zip(shifts, gates, strict=True)]),
            np.stack([in_blocks(layer.weight.T) for layer in layers]),
            np.stack([_single(layer.bias) for layer in layers]),
            in_blocks(model.head.weight.T),
            _single(model.head.bias),
            _single(spread_of(logs)),
        )


class FusedLinks(
    namedtuple(
        "FusedLinks",
        "decided_by prismatic axis mid_normal link_length link_offset half_range variable slope "
        "mid_value column",
    )
):
    """The links of one arm, see `Links`, float32; lengths are shares of the arm's.

    Attributes:
        decided_by: (m,) SAMPLED, CLOSED_FORM or MIMIC, int64.
        prismatic: (m,) bool.
        axis: (m, 3).
        mid_normal: (m, 3).
        link_length: (m,).
        link_offset: (m,) with a prismatic joint at the middle of its range.
        half_range: (m,) [rad or share].
        variable: (m,) which variable drives the joint, int64.
        slope: (m,) change of the variable with the displacement.
        mid_value: (m,) the variable at the middle of the joint's range [rad or m].
        column: (m,) of the uniform numbers, int64.
    """

    __slots__ = ()

    @classmethod
    def of(cls, links: Links) -> "FusedLinks":
        """Prepare one arm."""
        lines, scale = links.lines, float(links.scale)
        prismatic, kinds = np.array(links.prismatic), np.array(decided_by(links))
        unit = np.where(prismatic, scale, 1.0)
        sense = _single(links.sense)
        middle, offset, half = (
            part.double().cpu().numpy()
            for part in (links.mid_position, links.link_offset, links.half_range)
        )
        factor = np.array(lines.multiplier)
        return cls(
            kinds,
            prismatic,
            _single(links.axis),
            _single(links.mid_normal),
            _single(links.link_length / scale),
            ((offset + np.where(prismatic, sense * middle, 0.0)) / scale).astype(np.float32),
            (half / unit).astype(np.float32),
            np.array(lines.variable),
            (sense * unit / factor).astype(np.float32),
            ((middle - np.array(lines.offset)) / factor).astype(np.float32),
            np.where(kinds == SAMPLED, np.cumsum(kinds == SAMPLED) - 1, 0),
        )


class FusedKnown(namedtuple("FusedKnown", "conditions counts signed")):
    """What known distances ask of one arm's joints, see `KnownDistances`.

    Attributes:
        conditions: (m, CONDITIONS, 3, BASIS) float64.
        counts: (m,) how many there are, int64.
        signed: (m,) whether their second part has two signs, bool.
    """

    __slots__ = ()

    @classmethod
    def of(cls, known: KnownDistances) -> "FusedKnown":
        """Prepare one arm's."""
        return cls(known.conditions.numpy(), np.array(known.counts), np.array(known.signed))


def _single(values: torch.Tensor) -> NDArray[np.float32]:
    return np.ascontiguousarray(values.detach().cpu().numpy(), np.float32)
