"""Node embeddings and points in, the same after E(3)-equivariant message passing out; dense.

V. G. Satorras, E. Hoogeboom, M. Welling, E(n) equivariant graph neural networks, ICML 2021;
equation 10 of GGIK (T-RO). Every node hears every other, so messages are one dense tensor: no
gather, no scatter. sparse_egnn.py has the same network in torch_geometric.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ggik.problems import EDGE_FEATURES, Problems

STRETCH = 16.0
"""Factor of the mean by which points move. A point has to come from anywhere to its place with
the help of a few known points; a plain mean over all nodes asks for huge factors."""


class EGNNLayer(nn.Module):
    """One round of messages.

    The message of j to i is an MLP of both embeddings, their points' squared distance and the
    edge's features. Its first layer is linear in each of them, so that it is computed a node and
    an edge apart and only added a pair. Means take the place of sums: arms differ in size.

    Args:
        hidden: Width of embeddings and messages.
        frame: Whether to see and move points in the base's axes, too.
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
        """Return messages (..., H) from what receiver, sender and edge each contribute."""
        weight = self.pair.weight
        pair = functional.linear(edges, weight[:, 1:])
        # One tensor of all pairs, then in place: these are the bulk of all memory traffic.
        mixed = torch.addcmul(pair, squared[..., None], weight[:, 0])
        mixed = mixed.add_(received).add_(sent)
        spare = not torch.is_grad_enabled()
        return functional.silu(self.message(functional.silu(mixed, spare)), spare)

    def updated(self, nodes: Tensor, heard: Tensor) -> Tensor:
        """Return embeddings (..., H) after hearing the mean messages (..., H)."""
        return self.norm(nodes + self.update(torch.cat([nodes, heard], dim=-1)))

    def look(self, nodes: Tensor, points: Tensor, origin: Tensor, axes: Tensor) -> Tensor:
        """Add where points (*B, N, 3) are in the base's axes to embeddings (*B, N, H)."""
        if self.seen is None:
            return nodes
        return nodes + self.seen((points - origin) @ axes.mT)

    def step(self, nodes: Tensor, axes: Tensor) -> Tensor | float:
        """Return how far points move (*B, N, 3) for what embeddings say in the base's axes."""
        return 0.0 if self.place is None else self.place(nodes) @ axes

    def forward(self, nodes: Tensor, points: Tensor, edges: Tensor, share: Tensor) -> tuple:
        """Pass messages between all nodes.

        Args:
            nodes: (*B, N, H).
            points: (*B, N, 3).
            edges: (*B, N, N, 2), receiver first; axes of length 1 broadcast.
            share: (*B, N, N) weight of each message: 1 over their number, 0 for none.

        Returns:
            New (*B, N, H) and how far the points move, (*B, N, 3).
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
    """Layers of message passing.

    Args:
        inputs: Features of a node.
        hidden: Width.
        layers: Rounds.
        frame: Whether to see and move points in the base's axes, too.
        hold_known: Leave known points where they are.
    """

    def __init__(self, inputs: int, hidden: int, layers: int, frame: bool, hold_known: bool):
        """Make the weights."""
        super().__init__()
        self.embed = nn.Linear(inputs, hidden)
        self.rounds = [EGNNLayer(hidden, frame) for _ in range(layers)]
        self.layers = nn.ModuleList(self.rounds)
        self.hold_known = hold_known

    def forward(self, inputs: Tensor, points: Tensor, problems: Problems) -> tuple[Tensor, Tensor]:
        """Return embeddings (*B, N, H) and points (*B, N, 3) after all rounds.

        Args:
            inputs: (*B, N, F) node features.
            points: (*B, N, 3) where the points begin.
            problems: (*B) or broadcasting with it: edges, and which nodes are there.
        """
        linked = problems.linked.to(points.dtype)
        share = linked / linked.sum(-1, keepdim=True).clamp(min=1.0)
        free = (~problems.known if self.hold_known else problems.exists)[..., None]
        free = free.to(points.dtype)
        nodes = self.embed(inputs)
        origin, axes = problems.positions[..., :1, :], problems.base_frame
        for layer in self.rounds:
            nodes = layer.look(nodes, points, origin, axes)
            nodes, moved = layer(nodes, points, problems.edges, share)
            points = points + free * (moved + layer.step(nodes, axes))
        return nodes, points
