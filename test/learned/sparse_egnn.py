"""GGIK's EGNN on torch_geometric's edge lists, to compare the dense one with."""

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from generative_ik_ros.learned.ggik.latent.egnn import EGNN, STRETCH, EGNNLayer
from generative_ik_ros.learned.ggik.latent.plain_networks import (
    edge_list,
    remove_generated_sources,
)
from generative_ik_ros.learned.ggik.latent.problems import Problems


class SparseEGNNLayer(MessagePassing):
    """One round of messages along listed edges, with the weights of a dense layer."""

    def __init__(self, layer: EGNNLayer):
        super().__init__(aggr="mean", flow="source_to_target")
        self.layer = layer

    def forward(
        self, nodes: Tensor, points: Tensor, edge_index: Tensor, edges: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return new embeddings (V, H) and shifts of the points (V, 3)."""
        layer = self.layer
        both = self.propagate(
            edge_index,
            received=layer.receiver(nodes),
            sent=layer.sender(nodes),
            points=points,
            edges=edges,
        )
        return layer.updated(nodes, both[:, 3:]), both[:, :3]

    def message(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, received_i: Tensor, sent_j: Tensor, points_i: Tensor, points_j: Tensor, edges: Tensor
    ) -> Tensor:
        """Return shift (., 3) and message (., H) of every edge, side by side."""
        away = points_i - points_j
        message = self.layer.messages(received_i, sent_j, away.square().sum(-1), edges)
        return torch.cat([STRETCH * self.layer.shift(message) * away, message], dim=-1)


class SparseEGNN(nn.Module):
    """Computes the same as `EGNN`, with its weights, by gather and scatter over edges."""

    def __init__(self, network: EGNN):
        super().__init__()
        self.network = network
        self.rounds = [SparseEGNNLayer(layer) for layer in network.rounds]
        self.layers = nn.ModuleList(self.rounds)
        remove_generated_sources()

    def forward(self, inputs: Tensor, points: Tensor, problems: Problems) -> tuple[Tensor, Tensor]:
        """Return what `EGNN` does, for batches (B, N, ...)."""
        shape = points.shape[:-1]
        edge_index, edges = edge_list(problems, shape)
        movable = problems.movable(self.network.hold_known)
        origin, axes = problems.positions[..., :1, :], problems.base_frame
        nodes = self.network.embed(inputs).expand(*shape, -1)
        for layer in self.rounds:
            nodes = layer.layer.look(nodes, points, origin, axes)
            flat, moved = layer(nodes.flatten(0, -2), points.flatten(0, -2), edge_index, edges)
            nodes, moved = flat.unflatten(0, shape), moved.unflatten(0, shape)
            points = points + movable * (moved + layer.layer.step(nodes, axes))
        return nodes, points
