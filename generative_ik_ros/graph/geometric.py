"""Dense graphs in, torch_geometric's Data and Batch out: a view for its networks."""

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError
from generative_ik_ros.graph.arm_graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

_CLASSES = 3


def to_data(graph: Graph) -> "Data":
    """Return one graph as `Data`.

    Args:
        graph: A graph without batch axes.

    Returns:
        `x` (N, 3) one-hot classes, `pos` (N, 3) positions, zero where unknown [m], `known` (N,),
        `edge_index` (2, N (N - 1)) all ordered pairs, `edge_attr` (., 1) distances, zero where
        unknown [m] (T-RO, section III-C).

    Raises:
        InvalidArgumentError: The graph has batch axes.
        MissingDependencyError: torch_geometric is not installed.
    """
    if graph.positions.ndim != 2:
        raise InvalidArgumentError(
            f"to_data takes one graph, not a batch of shape {tuple(graph.positions.shape[:-2])}; "
            "use to_batch"
        )
    data, _ = _torch_geometric()
    count = len(graph.positions)
    pairs = ~torch.eye(count, dtype=torch.bool, device=graph.positions.device)
    edge_index = pairs.nonzero().T
    return data(
        x=functional.one_hot(graph.classes, _CLASSES).to(graph.positions.dtype),
        pos=graph.positions,
        known=graph.known,
        edge_index=edge_index,
        edge_attr=graph.distances[edge_index[0], edge_index[1]][:, None],
    )


def to_batch(graph: Graph) -> "Batch":
    """Return graphs (*S) of one arm as a `Batch`, in row-major order; raises as `to_data`."""
    _, batch = _torch_geometric()
    count = graph.positions.shape[-2]
    positions = graph.positions.reshape(-1, count, 3)
    distances = graph.distances.expand(*graph.positions.shape[:-2], count, count)
    one = [
        to_data(Graph(points, graph.known, lengths, graph.known_edges, graph.classes))
        for points, lengths in zip(positions, distances.reshape(-1, count, count), strict=True)
    ]
    return batch.from_data_list(one)  # pyright: ignore[reportArgumentType]


def _torch_geometric() -> tuple[type, type]:
    try:
        from torch_geometric.data import Batch, Data
    except ImportError as error:
        raise MissingDependencyError(
            "this view of a graph needs torch_geometric, which is not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error
    return Data, Batch
