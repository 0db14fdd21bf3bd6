"""E(3)-equivariant graph networks, with messages between all nodes as dense tensors.

V. G. Satorras, E. Hoogeboom, M. Welling, E(n) equivariant graph neural networks, ICML 2021;
equation 10 of GGIK (T-RO). Every node hears every other, so that there is nothing to gather or
scatter, as there would be with torch_geometric's edge lists.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ggik.latent.problems import EDGE_FEATURES, Problems

STRETCH = 16.0
"""Factor of the mean shift of a point. Only a few known points tell where a point has to go, so
that a plain mean over all nodes would need huge weights."""


class EGNNLayer(nn.Module):
    """One round of message passing.

    The message of j to i is an MLP of both embeddings, their points' squared distance and the
    edge's features. Its first layer is linear in each of them, so that it is computed once a node
    and once an edge, and added up for each pair. Means replace sums, since arms differ in size.

    Args:
        hidden: Width of embeddings and messages.
        frame: Whether to see and move points in the base frame as well.
    """

    def __init__(self, hidden: int, frame: bool):
        """Make the weights; points hardly move at first."""
        super().__init__()
        self.receiver = nn.Linear(hidden, hidden)
        self.sender = nn.Linear(hidden, hidden, bias=False)
        self.pair = nn.Linear(1 + EDGE_FEATURES, hidden, bias=False)
        self.message = nn.Linear(hidden, hidden)
        self.shift = nn.Linear(hidden, 1, bias=False)
        self.update = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.SiLU(), nn.Linear(hidden, hidden)
        )
        self.norm = nn.LayerNorm(hidden)
        nn.init.xavier_uniform_(self.shift.weight, gain=0.1)
        self.seen = nn.Linear(3, hidden, bias=False) if frame else None
        self.place = nn.Linear(hidden, 3) if frame else None

    def messages(self, received: Tensor, sent: Tensor, squared: Tensor, edges: Tensor) -> Tensor:
        """Return messages (..., H) from the contributions of receiver, sender and edge."""
        weight = self.pair.weight
        pair = functional.linear(edges, weight[:, 1:])
        # In place: tensors of all pairs are most of the memory traffic.
        mixed = torch.addcmul(pair, squared[..., None], weight[:, 0])
        mixed = mixed.add_(received).add_(sent)
        in_place = not torch.is_grad_enabled()
        return functional.silu(self.message(functional.silu(mixed, in_place)), in_place)

    def updated(self, nodes: Tensor, heard: Tensor) -> Tensor:
        """Return embeddings (..., H) updated by the mean messages (..., H)."""
        return self.norm(nodes + self.update(torch.cat([nodes, heard], dim=-1)))

    def look(self, nodes: Tensor, points: Tensor, origin: Tensor, axes: Tensor) -> Tensor:
        """Add coordinates of points (*B, N, 3) in the base frame to embeddings (*B, N, H)."""
        if self.seen is None:
            return nodes
        return nodes + self.seen((points - origin) @ axes.mT)

    def step(self, nodes: Tensor, axes: Tensor) -> Tensor | float:
        """Return shifts of points (*B, N, 3) that embeddings predict in the base frame."""
        return 0.0 if self.place is None else self.place(nodes) @ axes

    def forward(self, nodes: Tensor, points: Tensor, edges: Tensor, share: Tensor) -> tuple:
        """Pass messages between all nodes.

        Args:
            nodes: (*B, N, H).
            points: (*B, N, 3).
            edges: (*B, N, N, 2), receiver first; axes of length 1 broadcast.
            share: (*B, N, N) weight of each message: 1 over their number, 0 for none.

        Returns:
            New embeddings (*B, N, H) and shifts of the points (*B, N, 3).
        """
        away = points[..., :, None, :] - points[..., None, :, :]
        squared = away.square().sum(-1)
        received, sent = self.receiver(nodes)[..., :, None, :], self.sender(nodes)[..., None, :, :]
        messages = self.messages(received, sent, squared, edges)
        factors = STRETCH * self.shift(messages).squeeze(-1) * share
        # The mean of factor (x_i - x_j) without a tensor of all differences times factors.
        moved = factors.sum(-1, keepdim=True) * points - factors @ points
        heard = (share[..., None, :] @ messages).squeeze(-2)
        return self.updated(nodes, heard), moved


class EGNN(nn.Module):
    """Several rounds of message passing.

    Args:
        inputs: Features of a node.
        hidden: Width.
        layers: Rounds.
        frame: Whether to see and move points in the base frame as well.
        hold_known: Do not move known points.
    """

    def __init__(self, inputs: int, hidden: int, layers: int, frame: bool, hold_known: bool):
        super().__init__()
        self.embed = nn.Linear(inputs, hidden)
        self.rounds = [EGNNLayer(hidden, frame) for _ in range(layers)]
        self.layers = nn.ModuleList(self.rounds)
        self.hold_known = hold_known

    def forward(self, inputs: Tensor, points: Tensor, problems: Problems) -> tuple[Tensor, Tensor]:
        """Return embeddings (*B, N, H) and points (*B, N, 3) after all rounds.

        Args:
            inputs: (*B, N, F) node features.
            points: (*B, N, 3) initial points.
            problems: (*B) or broadcasting with it: edges, and which nodes exist.
        """
        linked = problems.linked.to(points.dtype)
        share = linked / linked.sum(-1, keepdim=True).clamp(min=1.0)
        movable = problems.movable(self.hold_known)
        nodes = self.embed(inputs)
        origin, axes = problems.positions[..., :1, :], problems.base_frame
        for layer in self.rounds:
            nodes = layer.look(nodes, points, origin, axes)
            nodes, moved = layer(nodes, points, problems.edges, share)
            points = points + movable * (moved + layer.step(nodes, axes))
        return nodes, points
