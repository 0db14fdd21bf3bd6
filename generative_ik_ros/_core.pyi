"""The native core: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class ClosedForm:
    """A family of arms that have a closed form.

    Attributes:
        name: Of the family.
        address: Of its code, which takes the addresses of the three arrays that `find` takes.
        max_branches: Rows of memory that it needs.
    """

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def max_branches(self) -> int: ...
    def find(
        self,
        parameters: NDArray[np.float64],
        tip_pose: NDArray[np.float64],
        branches: NDArray[np.float64],
    ) -> int:
        """Write the branches of a pose to the first rows.

        Args:
            parameters: What the family takes of a chain, see `closed_form/family.py`.
            tip_pose: (4, 4) tip in base [m].
            branches: (max_branches or more, 6) out: values of the chain's variables before limits
                and turns are looked at [rad or m]. Rows behind them are of no meaning.

        Returns:
            How many, or -1 - count where the pose lies at, or within some 1e-5 [m or rad] of, a
            singular or continuous case, or of the border of where a branch exists: the branches
            are good, but there may be more. The same pose always gives the same branches.
        """

def closed_forms() -> list[ClosedForm]:
    """Return all families."""

def version() -> str:
    """Return the core's version, as "0.1.0"."""

def instruction_set() -> str:
    """Return the set of instructions that the lanes use on this processor.

    The widest that it has: "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
    """

def search(
    problem_floats: NDArray[np.float64],
    problem_ints: NDArray[np.int64],
    box: NDArray[np.float64],
    recurrence: NDArray[np.float64],
    poses: NDArray[np.float64],
    grid_floats: NDArray[np.float64],
    grid_ints: NDArray[np.int64],
    positions: NDArray[np.float64],
    errors: NDArray[np.float64],
    visits: NDArray[np.int64],
    counts: NDArray[np.int64],
    heads: NDArray[np.int32],
    before: NDArray[np.int32],
    targets: NDArray[np.void],
    queue: NDArray[np.int32],
    closest: NDArray[np.float64],
    given: NDArray[np.float64],
    lanes: NDArray[np.void],
    memory: NDArray[np.float64],
    run: NDArray[np.void],
    max_steps: int,
) -> int:
    """Search for solutions of some targets until all are closed or something is lacking.

    Args:
        problem_floats: A packed `Problem`, or `GoalProblem`.
        problem_ints: Likewise.
        box: (7 or more, n) rows of a `Box`.
        recurrence: (2, n) shift and ratios of the additive recurrence of seeds.
        poses: (T, 4, 4) targets, tip in base [m]; (T, G, 4, 4) for the goals of a GoalProblem;
            or the alternatives of the only target.
        grid_floats: A packed `Grid`.
        grid_ints: Likewise.
        positions: (T, C, n) the pool's arrays, see `PoolArrays`.
        errors: (T, C, 4) likewise.
        visits: (T, C) likewise.
        counts: (T,) likewise.
        heads: (T, H) likewise.
        before: (T, C) likewise.
        targets: (T,) TARGET records.
        queue: (T, Q, 2) null-space steps to take: a solution, and one behind it, or -1 where the
            direction is not known yet.
        closest: (T, n) the configuration closest to each target while there is no solution; the
            nearest solution during the refinement towards the seed state [rad or m].
        given: (A, K, n) seeds of some targets, see `seed_row` of TARGET [rad or m].
        lanes: (8,) LANE records.
        memory: The lanes' numbers, as many as `search_memory` or `goal_search_memory` says or
            more.
        run: (1,) RUN record.
        max_steps: Iterations of all lanes after which the call ends; the next one goes on.

    Returns:
        A `RunStatus`.
    """

def search_memory(num_joints: int, num_variables: int) -> int:
    """Return how many numbers `search` takes as `memory`."""

def goal_errors(
    tree: tuple[NDArray[Any], ...],
    bounded: NDArray[np.int64],
    checks: NDArray[np.float64],
    positions: NDArray[np.float64],
    targets: NDArray[np.float64],
    target_of_row: NDArray[np.int64],
    gaps: NDArray[np.float64],
) -> None:
    """Measure configurations by independent forward kinematics, see `GoalVerifier`.

    Args:
        tree: A RodriguesTree.
        bounded: (G,) 0 where a goal is a pose.
        checks: (R, G, 14) regions, one for all targets or one for each.
        positions: (S, n) configurations [rad or m].
        targets: (T, G, 4, 4) tip in reference [m].
        target_of_row: (S,) which target each configuration is meant for.
        gaps: (S, 2) out: the largest distance [m] and angle [rad] of all tips.
    """

def goal_search_memory(
    problem_floats: NDArray[np.float64], problem_ints: NDArray[np.int64]
) -> int:
    """Return how many numbers `search` takes as `memory` for several goals."""

def record_fields(record: str) -> list[tuple[str, int]]:
    """Return names and offsets of the fields of TARGET, LANE or RUN, as the core has them."""
