"""Markers that show solutions as translucent arms."""

from dataclasses import dataclass

import numpy as np
from visualization_msgs.msg import MarkerArray

from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.drawing.tips import targets_in_base
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.ros.marker_layout import MarkerLayout
from generative_ik_ros.solutions import IKSolutions


@dataclass(frozen=True)
class ShownTargets:
    """How many targets are drawn."""

    max_targets: int = 100
    """Most targets drawn."""
    max_closest: int = 5
    """Most targets without a solution for which the closest configuration is drawn."""


SHOWN = ShownTargets()


class SolutionMarkers:
    """Creates marker messages, each of which replaces the previous one completely.

    Each arm has its own namespace, so that it can be switched off in RViz. Colours range from
    blue for the best solution to yellow for the last one drawn; what all arms of a target share,
    such as its tip, is drawn once, in grey, with the first. For a target without a solution the
    closest configuration is drawn in vermilion, with a line along the remaining distance.

    A message moves the markers of the previous one and deletes those it does not need. RViz then
    keeps the meshes it has loaded, which is much cheaper than loading them for every message.
    """

    def __init__(self) -> None:
        self._layout: MarkerLayout | None = None
        self._kind: object = None
        self._room = 0

    def draw(
        self,
        chain: KinematicChain | KinematicTree,
        solutions: IKSolutions,
        targets: Floats,
        limit: int,
        opacity: float,
        meshes: bool = True,
    ) -> bytes | MarkerArray:
        """Draw the best solutions of every target, and the targets.

        Args:
            chain: The chain that was solved, or a tree with K tips.
            solutions: The solutions for the B targets.
            targets: (B, 4, 4) targets, or (B, K, 4, 4), each tip's in its reference link [m].
                Where that moves, it is as in the best solution.
            limit: Most arms to draw; 0: only targets.
            opacity: Opacity of the arms, from 0 to 1.
            meshes: Whether links have the shapes of the description, instead of cylinders.

        Returns:
            A message, or its bytes, for `Publisher.publish`.
        """
        best = _first(solutions)[: SHOWN.max_targets]
        targets = targets_in_base(chain, targets[: SHOWN.max_targets], best)
        num_closest = min(len(targets), SHOWN.max_closest, limit)
        missed = np.flatnonzero(solutions.counts[: len(targets)] == 0)[:num_closest]
        chosen = _best(solutions, limit)
        # A power of two, so that a growing number of solutions seldom needs a new layout.
        room = min(limit, 1 << (len(chosen) - 1).bit_length()) if len(chosen) else 0
        kind, layout = (id(chain), len(targets), num_closest, meshes), self._layout
        clear = layout is None or kind != self._kind or room > self._room
        if layout is None or clear:
            layout = MarkerLayout(chain, len(targets), num_closest, room, meshes)
            self._layout, self._kind, self._room = layout, kind, room
        layout.show_targets(targets)
        layout.show_arms(solutions.positions[tuple(chosen.T)], chosen[:, 0], opacity)
        layout.show_closest(solutions.best_effort[missed], targets[missed])
        return layout.message(clear=clear)


def _first(solutions: IKSolutions) -> Floats:
    """Return the best configuration of each target (B, n), the closest where there is none."""
    if not solutions.positions.shape[1]:
        return solutions.best_effort
    found = (solutions.counts > 0)[:, None]
    return np.where(found, solutions.positions[:, 0], solutions.best_effort)


def _best(solutions: IKSolutions, limit: int) -> Ints:
    """Return (A, 2) target and solution indices: every target's best, then every second best."""
    indices = np.arange(solutions.positions.shape[1])[:, None]
    order, target = np.nonzero(indices < solutions.counts[None, :])
    return np.stack([target, order], axis=1)[:limit]
