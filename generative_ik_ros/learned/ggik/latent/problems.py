"""IK problems as the graph networks see them: node features, edge features, initial points."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from generative_ik_ros.learned.ggik.config import LatentConfig
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.layout import BASE_FRAME, NodeClass

EDGE_FEATURES = 2


def num_features(config: LatentConfig) -> int:
    """Return the number of features of a node."""
    return len(NodeClass) + (0 if config.features == "paper" else 5)


@dataclass(frozen=True, eq=False)
class Problems:
    """Partial graphs of arms that may differ, padded to one number of nodes.

    Lengths are shares of the arm's. Under a rotation, translation or reflection of the known
    points, `positions` moves along and all else stays.

    Attributes:
        features: (*B, N, F) of the nodes.
        positions: (*B, N, 3) known points, and initial positions of unknown ones.
        known: (*B, N) which are known.
        exists: (*B, N) which nodes are not padding.
        edges: (*B, N, N, 2) known distance, and whether it is known.
        scale: (*B) length of the arm [m].
    """

    features: Tensor
    positions: Tensor
    known: Tensor
    exists: Tensor
    edges: Tensor
    scale: Tensor

    def __getitem__(self, index) -> "Problems":  # noqa: ANN001 (any index of a tensor)
        """Index every tensor; None adds an axis."""
        return Problems(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    @property
    def base_frame(self) -> Tensor:
        """(*B, 3, 3) unit axes of the base, row by row; left-handed in a mirrored graph."""
        base = self.positions[..., list(BASE_FRAME), :]
        return functional.normalize(base[..., 1:, :] - base[..., :1, :], dim=-1)

    @property
    def linked(self) -> Tensor:
        """(*B, N, N) pairs of nodes that exchange messages: all."""
        count = self.exists.shape[-1]
        pairs = self.exists[..., :, None] & self.exists[..., None, :]
        return pairs & ~torch.eye(count, dtype=torch.bool, device=pairs.device)

    def movable(self, hold_known: bool) -> Tensor:
        """Return (*B, N, 1): 1 for nodes that a network moves, else 0."""
        nodes = ~self.known if hold_known else self.exists
        return nodes[..., None].to(self.positions.dtype)

    def padded(self, count: int) -> "Problems":
        """Pad with nodes that do not exist, up to `count`."""
        more = count - self.exists.shape[-1]
        if not more:
            return self
        return replace(
            self,
            features=functional.pad(self.features, (0, 0, 0, more)),
            positions=functional.pad(self.positions, (0, 0, 0, more)),
            known=functional.pad(self.known, (0, more)),
            exists=functional.pad(self.exists, (0, more)),
            edges=functional.pad(self.edges, (0, 0, 0, more, 0, more)),
        )

    def flattened(self) -> "Problems":
        """Return the same with one batch axis."""
        parts = (getattr(self, name) for name in self.__dataclass_fields__)
        batch = self.scale.ndim
        return Problems(*(part.flatten(0, batch - 1) for part in parts))

    @classmethod
    def joined(cls, parts: list["Problems"]) -> "Problems":
        """Concatenate batches (B_i, ...) of different arms, padded to one number of nodes."""
        count = max(part.exists.shape[-1] for part in parts)
        parts = [part.padded(count) for part in parts]
        names = cls.__dataclass_fields__
        return cls(*(torch.cat([getattr(part, name) for part in parts]) for name in names))


class ArmProblems:
    """Makes the problems of one arm, or of a batch of arms of one layout."""

    def __init__(self, arm: ArmGraph, config: LatentConfig):
        self.arm = arm
        layout, like = arm.layout, arm.at_zero
        classes = torch.as_tensor(layout.classes, device=like.device)
        self._features = functional.one_hot(classes, len(NodeClass)).to(like.dtype)
        if config.features == "full":
            self._features = _with_joint_type_and_range(arm, self._features)
        self._base = torch.as_tensor(BASE_FRAME, device=like.device)
        # In the frame of the base points o, x, y, z, so that initial points move with them.
        frame = like[..., self._base[1:], :].mT
        middle = config.start == "middle"
        begin = arm.points(arm.lines.middle) if middle else torch.zeros_like(like)
        self._in_base = torch.linalg.solve(frame, begin.mT).mT
        self.scale = arm.scale
        self.num_nodes = layout.num_nodes

    def of_targets(self, last_in_first: Tensor) -> Problems:
        """Return the problems of canonical targets (*B, 4, 4) [m]; A broadcasts with B."""
        return self.of_points(*self.arm.partial(last_in_first))

    def of_points(self, known_points: Tensor, distances: Tensor) -> Problems:
        """Return the problems of known points, in any pose, and known distances.

        Args:
            known_points: (*B, N, 3), of no meaning where unknown [m].
            distances: (*B, N, N), 0 where unknown [m].
        """
        arm, shape = self.arm, known_points.shape[:-2]
        nodes, scale = self.num_nodes, self.scale.expand(shape)
        base = known_points[..., self._base, :]
        frame = base[..., 1:, :] - base[..., :1, :]
        begin = self._in_base @ frame + base[..., :1, :]
        positions = torch.where(arm.known[:, None], known_points, begin) / scale[..., None, None]
        lengths = (distances / scale[..., None, None]).expand(*shape, nodes, nodes)
        edges = torch.stack([lengths, arm.known_edges.to(lengths.dtype).expand_as(lengths)], -1)
        return Problems(
            features=self._features.expand(*shape, nodes, -1),
            positions=positions,
            known=arm.known.expand(*shape, nodes),
            exists=torch.ones_like(arm.known).expand(*shape, nodes),
            edges=edges,
            scale=scale,
        )


def _with_joint_type_and_range(arm: ArmGraph, features: Tensor) -> Tensor:
    """Append place along the chain, place in the pair, type and half range of the joint."""
    layout, lines = arm.layout, arm.lines
    batch = arm.scale.shape
    like = arm.at_zero

    def constant(values) -> Tensor:  # noqa: ANN001
        return torch.as_tensor(values, dtype=like.dtype, device=like.device)

    joint = torch.as_tensor(layout.nodes["joint"], device=like.device)
    of_joint = constant([abs(factor) for factor in lines.multiplier])
    half = lines.half[..., list(lines.variable)] * of_joint
    slides = torch.as_tensor(lines.prismatic, device=like.device)
    half = torch.where(slides, half / arm.scale[..., None], half.clamp(max=torch.pi) / torch.pi)
    at_joint = joint.clamp(min=0)
    ranges = torch.where(joint < 0, torch.zeros_like(half[..., at_joint]), half[..., at_joint])
    columns = [
        constant(layout.nodes["first_link"] / layout.num_joints),
        constant(layout.nodes["second"]),
        constant(layout.nodes["off_axis"]),
        slides[at_joint].to(like.dtype) * (joint >= 0),
        ranges,
    ]
    added = torch.stack([column.expand(*batch, layout.num_nodes) for column in columns], dim=-1)
    return torch.cat([features.expand(*batch, *features.shape[-2:]), added], dim=-1)
