"""Paths through layers of configurations, by dynamic programming, as Descartes finds them.

A node is a configuration of one pose, an edge a step to the next pose that no joint exceeds. The
shortest path over nodes that are free comes first; where a motion on its way collides, that edge
is struck out and the search goes on from there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from generative_ik_benchmarks.path_following import SceneMotions
from generative_ik_ros.array_types import Bools, Floats, Ints

_STRUCK = 200
"""How often motions are struck out before a search is given up."""


@dataclass(frozen=True)
class Edges:
    """The steps from one layer to the next, by the node they lead to.

    Attributes:
        source: (E,) nodes of the layer before.
        goal: (E,) nodes of the layer after, ascending.
        length: (E,) lengths of the steps, in `joint_units`.
        goals: (G,) the nodes of the layer after that a step leads to.
        begin: (G,) where the steps to each of them begin.
    """

    source: NDArray[np.int32]
    goal: NDArray[np.int32]
    length: NDArray[np.float32]
    goals: NDArray[np.int32]
    begin: Ints


@dataclass
class PathGraph:
    """Layers of configurations, and the steps between them.

    Attributes:
        layers: For each pose (K, n) configurations [rad or m].
        max_step: (n,) largest step of each joint.
        units: (n,) the joints' units, for lengths.
        circular: (n,) joints where a full turn is no difference.
        edges: The steps, made when they are first needed.
    """

    layers: Sequence[Floats]
    max_step: Floats
    units: Floats
    circular: Bools
    edges: dict[int, Edges] = field(default_factory=dict)

    def steps(self, i: int) -> Edges:
        """Return the steps from layer i to layer i + 1."""
        if i not in self.edges:
            self.edges[i] = self._steps(i)
        return self.edges[i]

    def _steps(self, i: int) -> Edges:
        box = np.where(self.circular, 2 * np.pi / self.max_step, 0.0)
        trees = [KDTree(self._scaled(layer), boxsize=box) for layer in self.layers[i : i + 2]]
        if not all(tree.n for tree in trees):
            none = np.zeros(0, np.int32)
            return Edges(none, none, np.zeros(0, np.float32), none, np.zeros(0, np.int64))
        found = trees[0].sparse_distance_matrix(trees[1], 1.0, p=np.inf, output_type="ndarray")
        order = np.argsort(found["j"], kind="stable")
        source, goal = found["i"][order].astype(np.int32), found["j"][order].astype(np.int32)
        gap = np.abs(self.layers[i + 1][goal] - self.layers[i][source])
        gap = np.where(self.circular, np.minimum(gap, 2 * np.pi - gap), gap)
        length = np.linalg.norm(gap / self.units, axis=1).astype(np.float32)
        goals, begin = np.unique(goal, return_index=True)
        return Edges(source, goal, length, goals, begin)

    def _scaled(self, layer: Floats) -> Floats:
        turned = np.where(self.circular, np.mod(layer, 2 * np.pi), layer)
        return turned / self.max_step


@dataclass(frozen=True)
class GraphPath:
    """What a search found.

    Attributes:
        positions: (B, n) the path [rad or m], or as many rows as can be reached.
        reason: Why it ends before the last pose; "" if it does not.
    """

    positions: Floats
    reason: str = ""


class GraphSearch:
    """The shortest free path through a graph.

    Args:
        graph: The graph.
        motions: Checks of collisions; None: everything is free.
        exact: Whether the shapes themselves decide where spheres cannot; else these collide.
        nodes_free: Whether all nodes are known to be free, and only motions are checked.
        stop: Called before each layer; the search ends when it returns True.
    """

    def __init__(
        self,
        graph: PathGraph,
        motions: SceneMotions | None,
        *,
        exact: bool = True,
        nodes_free: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ):
        """Prepare a search in which nothing is known."""
        self._graph, self._motions, self._exact, self._stop = graph, motions, exact, stop
        self._nodes_free = nodes_free or motions is None
        size = len(graph.layers)
        self._free: list[NDArray[np.int8]] = [np.full(len(k), -1, np.int8) for k in graph.layers]
        self._struck: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        self._cost: list[Floats] = []
        self._parent: list[Ints] = []

    def decide_exactly(self) -> None:
        """Let the shapes decide from now on, also on what spheres took for colliding."""
        self._exact = True
        for known in self._free:
            known[known == 0] = -1

    def run(self) -> GraphPath:
        """Return the shortest path, or the longest beginning of one."""
        self._begin()
        for _ in range(_STRUCK):
            last = self._forward()
            if last + 1 < len(self._graph.layers):
                reason = "stopped" if self._stop() else f"no free step to pose {last + 1}"
                return GraphPath(self._backward(last)[0], reason)
            path, nodes = self._backward(last)
            steps = self._motions.colliding_steps(path) if self._motions else np.zeros(0, int)
            if not len(steps):
                return GraphPath(path)
            for step in steps.tolist():
                self._struck[step].append((nodes[step], nodes[step + 1]))
            first = int(steps[0])
            del self._cost[first + 1 :], self._parent[first + 1 :]
        return GraphPath(self._graph.layers[0][:0], "too many motions collide")

    def _begin(self) -> None:
        nodes = np.arange(len(self._graph.layers[0]))
        free = self._are_free(0, nodes)
        self._cost = [np.where(free, 0.0, np.inf)]
        self._parent = [np.full(len(nodes), -1, np.int64)]

    def _forward(self) -> int:
        """Extend the costs layer by layer; return the last layer that can be reached, or -1."""
        if not np.isfinite(self._cost[0]).any():
            return -1
        for i in range(len(self._cost) - 1, len(self._graph.layers) - 1):
            if self._stop():
                return i
            cost, parent = self._layer(i)
            if not np.isfinite(cost).any():
                return i
            self._cost.append(cost)
            self._parent.append(parent)
        return len(self._graph.layers) - 1

    def _layer(self, i: int) -> tuple[Floats, Ints]:
        """Return costs and parents of the nodes of layer i + 1."""
        edges = self._graph.steps(i)
        size = len(self._graph.layers[i + 1])
        cost, parent = np.full(size, np.inf), np.full(size, -1, np.int64)
        if not len(edges.goals):
            return cost, parent
        total = self._cost[i][edges.source] + edges.length
        for source, goal in self._struck[i]:
            total[(edges.source == source) & (edges.goal == goal)] = np.inf
        cost[edges.goals] = np.minimum.reduceat(total, edges.begin)
        nodes = np.flatnonzero(np.isfinite(cost))
        cost[nodes[~self._are_free(i + 1, nodes)]] = np.inf
        best = np.flatnonzero((total == cost[edges.goal]) & np.isfinite(total))
        parent[edges.goal[best]] = edges.source[best]
        return cost, parent

    def _are_free(self, i: int, nodes: NDArray[np.integer]) -> Bools:
        """Say which nodes of a layer are free; what was checked before is remembered."""
        if self._nodes_free or self._motions is None:
            return np.ones(len(nodes), bool)
        known = self._free[i]
        new = nodes[known[nodes] < 0]
        if len(new):
            known[new] = self._motions.free(self._graph.layers[i][new], exact=self._exact)
        return known[nodes] > 0

    def _backward(self, last: int) -> tuple[Floats, list[int]]:
        """Return the best path to a layer, and its nodes."""
        if last < 0:
            return self._graph.layers[0][:0], []
        nodes = [int(np.argmin(self._cost[last]))]
        for i in range(last, 0, -1):
            nodes.append(int(self._parent[i][nodes[-1]]))
        nodes.reverse()
        rows = [self._graph.layers[i][node] for i, node in enumerate(nodes)]
        path = np.array(rows)
        circular = self._graph.circular
        path[:, circular] = np.unwrap(path[:, circular], axis=0)
        return path, nodes
