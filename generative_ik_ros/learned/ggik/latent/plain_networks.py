"""Graph networks without equivariance, for the ablation of table V."""

import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GATConv, GCNConv, MessagePassing, SAGEConv

from generative_ik_ros.learned.ggik.latent.problems import EDGE_FEATURES, Problems


class MPNNLayer(MessagePassing):
    """J. Gilmer et al., Neural message passing for quantum chemistry, ICML 2017: MLP messages."""

    def __init__(self, hidden: int):
        super().__init__(aggr="mean")
        self.net = nn.Sequential(
            nn.Linear(2 * hidden + EDGE_FEATURES, hidden), nn.SiLU(), nn.Linear(hidden, hidden)
        )
        self.merge = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.SiLU(), nn.Linear(hidden, hidden)
        )

    def forward(self, nodes: Tensor, edge_index: Tensor, edges: Tensor) -> Tensor:
        """Return new embeddings (V, H)."""
        heard = self.propagate(edge_index, nodes=nodes, edges=edges)
        return self.merge(torch.cat([nodes, heard], dim=-1))

    def message(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, nodes_i: Tensor, nodes_j: Tensor, edges: Tensor
    ) -> Tensor:
        """Return the message (E, H) of every edge."""
        return self.net(torch.cat([nodes_i, nodes_j, edges], dim=-1))


_LAYERS = {
    "mpnn": MPNNLayer,
    "gat": lambda hidden: GATConv(hidden, hidden, edge_dim=EDGE_FEATURES),
    "gcn": lambda hidden: GCNConv(hidden, hidden),
    "sage": lambda hidden: SAGEConv(hidden, hidden),
}


class PlainNetwork(nn.Module):
    """The interface of `EGNN`, with coordinates as ordinary features.

    Args:
        kind: "mpnn", "gat" (P. Velickovic et al., ICLR 2018), "gcn" (T. Kipf and M. Welling,
            ICLR 2017) or "sage" (W. Hamilton et al., NeurIPS 2017).
        inputs: Features of a node.
        hidden: Width.
        layers: Rounds.
        hold_known: Do not move known points.
    """

    def __init__(self, kind: str, inputs: int, hidden: int, layers: int, hold_known: bool):
        super().__init__()
        self.kind, self.hold_known = kind, hold_known
        self.embed = nn.Linear(inputs + 3, hidden)
        self.layers = nn.ModuleList([_LAYERS[kind](hidden) for _ in range(layers)])
        remove_generated_sources()
        self.norms = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(layers)])
        self.shift = nn.Linear(hidden, 3)

    def forward(self, inputs: Tensor, points: Tensor, problems: Problems) -> tuple[Tensor, Tensor]:
        """Return embeddings (*B, N, H) and points (*B, N, 3), as `EGNN` does."""
        shape = points.shape[:-1]
        edge_index, edges = edge_list(problems, shape)
        nodes = torch.cat([inputs.expand(*shape, -1), points], dim=-1).flatten(0, -2)
        nodes = self.embed(nodes)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            takes_edges = self.kind in ("mpnn", "gat")
            heard = layer(nodes, edge_index, edges) if takes_edges else layer(nodes, edge_index)
            nodes = norm(nodes + functional.silu(heard))
        nodes = nodes.unflatten(0, shape)
        return nodes, points + problems.movable(self.hold_known) * self.shift(nodes)


def remove_generated_sources() -> None:
    """Delete the sources of modules that torch_geometric leaves in the temporary folder."""
    folder = Path(tempfile.gettempdir())
    for name, module in list(sys.modules.items()):
        if name.endswith(("_propagate", "_edge_updater")) and module.__file__:
            file = Path(module.__file__)
            if file.parent == folder:
                file.unlink(missing_ok=True)


def edge_list(problems: Problems, shape: torch.Size) -> tuple[Tensor, Tensor]:
    """Return the edges of a batch of graphs as torch_geometric lists them.

    Args:
        problems: The graphs.
        shape: (*B, N) that they are to be taken to.

    Returns:
        `edge_index` (2, E), senders then receivers, numbered through the batch, and the edges'
        features (E, 2).
    """
    nodes = shape[-1]
    linked = problems.linked.expand(*shape, nodes).reshape(-1, nodes, nodes)
    features = problems.edges.expand(*shape, *problems.edges.shape[-2:])
    graph, receiver, sender = linked.nonzero().T
    edge_index = torch.stack([sender, receiver]) + graph * nodes
    return edge_index, features.reshape(-1, nodes, nodes, features.shape[-1])[linked]
