"""The record of a search for base poses: the best ones, and how well they do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class BasePlacements:
    """The K best poses of a base for T tasks, best first: those that reach all tasks, by score.

    Attributes:
        joint_names: Names of the n joints.
        objective: What scores are of; see `place_base`.
        bases: (K, 4, 4) what is placed, in the world [m].
        reached: (K, T) whether the tip reaches each task, verified by the solver.
        scores: (K,) score of each base: its worst task's, or the mean; NaN unless all tasks are
            reached.
        task_scores: (K, T) score of each task, NaN where it is not reached.
        num_tried: Bases that were tried, by map or solver.
        positions: (K, T, n) the best configuration for each task [rad or m], NaN likewise.
        num_solved: Bases that were solved for with scores and collisions.
        cells: (C, 3) positions on the grid that bases were tried at [m], or of all candidates.
        cell_shares: (C,) estimated share of the tasks that the best base there reaches, before
            collisions; what is missed narrowly counts in part.
    """

    joint_names: tuple[str, ...]
    objective: str
    bases: NDArray[np.float64]
    reached: NDArray[np.bool_]
    scores: NDArray[np.float64]
    task_scores: NDArray[np.float64]
    num_tried: int
    positions: NDArray[np.float64]
    num_solved: int
    cells: NDArray[np.float64]
    cell_shares: NDArray[np.float64]

    @property
    def share(self) -> NDArray[np.float64]:
        """(K,) share of the tasks that each base reaches."""
        return self.reached.mean(axis=1)

    def __repr__(self) -> str:
        """Say in a line how good the best base is."""
        best = f"the best reaches {self.reached[0].sum()} of {self.reached.shape[1]} tasks"
        if self.reached[0].all():
            best += f", {self.objective} {self.scores[0]:.3g}"
        return f"BasePlacements: {len(self.bases)} bases, {best}"
