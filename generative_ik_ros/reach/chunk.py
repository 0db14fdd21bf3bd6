"""One chunk of a reachability map: some positions, all orientations, by symmetry and search.

Poses that turns of the first and of the last revolute joint carry to each other are an orbit. One
of them is solved as if these joints had no limits: where it has no solution, none of the orbit
has. Where it has, turned copies of the solution that are inside the limits settle most poses of
the orbit; the rest is searched for one by one.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.reach.measures import measured
from generative_ik_ros.reach.orientations import QUARTERS
from generative_ik_ros.reach.spec import MapSpec
from generative_ik_ros.reach.symmetry import settle_turn, unlimited
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.verify import Verifier

_STREAM = 5
"""Separates the random numbers of what is tried from those of samplers."""

Arrays = Mapping[str, NDArray[np.generic]]


class ChunkSolver:
    """Computes the chunks of a map, in any order and on several threads at once.

    Args:
        spec: The map.
    """

    def __init__(self, spec: MapSpec):
        """Make the solvers, and check that collisions can be checked."""
        self._spec, chain = spec, spec.chain
        # What differs by full turns is the same configuration here.
        modulo_turns = unlimited(chain, chain.circular)
        turned = np.zeros(chain.num_joints, np.bool_)
        turned[[spec.symmetry.first] * spec.quarters + [spec.symmetry.last] * spec.turns] = True
        self._relaxed = IKSolver(unlimited(modulo_turns, turned))
        self._solver = IKSolver(modulo_turns, collision=spec.collision)
        self._verifier = Verifier(chain)
        self._check = None
        if spec.collision is not None:
            self._check = CollisionChecker(spec.collision, modulo_turns).at(spec.scene)

    def warm_up(self) -> None:
        """Compile or load the kernels."""
        self._relaxed.warm_up()
        self._solver.warm_up()

    def solve(self, index: int) -> Arrays:
        """Return the arrays of the positions from `index * rows` on, (rows, D, R) each."""
        spec = self._spec
        _, num_directions, num_turns = spec.shape
        rows = slice(index * spec.rows, (index + 1) * spec.rows)
        places = _Places(spec, rows, self._tried(index, rows))
        # Turned copies (C) of the turns that are solved (B): either is one.
        copies = num_turns if spec.turns else 1
        solved = spec.orientations.matrices[:, : num_turns // copies]
        targets = _poses(places.solved_positions[:, None], solved[places.solved_directions])
        found = self._relaxed.solve(
            targets.reshape(-1, 4, 4), num_solutions=1, random_seed=spec.random_seed
        )
        shape = *targets.shape[:2], -1
        reached = (found.counts > 0).reshape(shape[:2])
        settled, possible = self._turned(places, found.positions[:, 0].reshape(shape), reached)
        values = {
            name: np.zeros((places.size, *spec.shape[1:]), t) for name, t in spec.types.items()
        }
        at = places.row, places.direction
        if "tested" in values:
            values["tested"][at] = True
        if spec.measures:
            settled = np.zeros_like(possible)
        values["reachable"][at] = settled
        self._search(places, possible & ~settled, values)
        return values

    def _tried(self, index: int, rows: slice) -> NDArray[np.bool_]:
        """Say which directions of the first quarter are tried at each position, (rows, D)."""
        spec, count = self._spec, self._spec.shape[1]
        first = spec.layout.first_quarter[rows]
        if spec.share == 1.0:
            return np.ones((len(first), count), np.bool_)
        orbit = np.cumsum(np.r_[False, (first[1:] != first[:-1]).any(axis=1)])
        rng = np.random.default_rng((spec.random_seed, _STREAM, index))
        lots = rng.random((orbit[-1] + 1, count))
        wanted = max(1, round(spec.share * count))
        return (lots.argsort(axis=1).argsort(axis=1) < wanted)[orbit]

    def _turned(
        self,
        places: "_Places",
        solutions: NDArray[np.float64],
        reached: NDArray[np.bool_],
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Turn solutions to the poses of their orbits.

        Args:
            places: The M places of the chunk that are tried.
            solutions: (T, B, n) of the poses that were solved; NaN where there is none.
            reached: (T, B) where there is one.

        Returns:
            (M, R) whether a turned solution settles that a pose is reachable, and whether it may
            be reachable.
        """
        spec, chain, symmetry = self._spec, self._spec.chain, self._spec.symmetry
        num_turns = spec.shape[2]
        copies = num_turns // solutions.shape[1]
        q = np.repeat(solutions[places.solved], copies, axis=1)
        possible = np.repeat(reached[places.solved], copies, axis=1)
        turns = {
            symmetry.first: (symmetry.first_sign * TURN / QUARTERS * places.quarter)[:, None],
            symmetry.last: symmetry.last_sign * TURN / num_turns * np.arange(num_turns)
            if spec.turns
            else np.zeros(num_turns),
        }
        inside = possible.copy()
        for variable in range(chain.num_joints):
            angle = q[..., variable] + turns.get(variable, 0.0)
            if chain.periodic[variable]:
                limits = chain.lower[variable], chain.upper[variable]
                angle, within = settle_turn(angle, *limits)
                inside &= within
            q[..., variable] = angle
        return self._confirmed(places, q, inside), possible

    def _confirmed(
        self, places: "_Places", q: NDArray[np.float64], candidates: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Verify candidates (M, R) by their configurations (M, R, n), and that none collides."""
        chosen = np.nonzero(candidates)
        rows = np.ascontiguousarray(q[chosen])
        errors = self._verifier.errors(rows, places.poses(*chosen), np.arange(len(rows)))
        fine = errors[0] <= self._solver.position_tolerance
        fine &= errors[1] <= self._solver.orientation_tolerance
        if self._check is not None:
            fine[fine] = self._check.verdicts(rows[fine]) == Verdict.FREE
        confirmed = candidates.copy()
        confirmed[chosen] = fine
        return confirmed

    def _search(
        self, places: "_Places", wanted: NDArray[np.bool_], values: dict[str, NDArray[np.generic]]
    ) -> None:
        """Search for solutions of single poses, (M, R) wanted ones, and write what is found."""
        chosen, spec = np.nonzero(wanted), self._spec
        if not len(chosen[0]):
            return
        found = self._solver.solve(
            places.poses(*chosen),
            num_solutions=spec.num_solutions if spec.measures else 1,
            random_seed=spec.random_seed,
            scene=spec.scene,
        )
        at = places.row[chosen[0]], places.direction[chosen[0]], chosen[1]
        values["reachable"][at] = found.counts > 0
        for name in spec.measures:
            values[name][at] = measured(name, spec.chain, found)


class _Places:
    """The places of a chunk, pairs of a position and a direction that is tried, M in all.

    Args:
        spec: The map.
        rows: Its positions.
        tried: (rows, D) directions of the first quarter that are tried.

    Attributes:
        size: Number of positions.
        row: (M,) positions, counted from the first of the chunk.
        direction: (M,) directions.
        quarter: (M,) quarter turns from the first quarter.
        solved: (M,) which of T places in the first quarter each is a copy of.
        solved_positions: (T, 3) [m].
        solved_directions: (T,).
    """

    def __init__(self, spec: MapSpec, rows: slice, tried: NDArray[np.bool_]):
        """Find the places in the first quarter."""
        layout, num_directions = spec.layout, spec.shape[1]
        first, quarter = layout.first_quarter[rows], layout.quarter[rows]
        self._matrices, self._positions = spec.orientations.matrices, layout.positions[rows]
        self.size = len(first)
        self.row, home = np.nonzero(tried)
        self.quarter = quarter[self.row]
        ahead = self.quarter * (num_directions // QUARTERS)
        self.direction = (home + ahead) % num_directions
        # Positions of an orbit are side by side.
        orbit = np.cumsum(np.r_[False, (first[1:] != first[:-1]).any(axis=1)])
        numbers = orbit[self.row] * num_directions + home
        _, firsts, self.solved = np.unique(numbers, return_index=True, return_inverse=True)
        self.solved_positions = first[self.row[firsts]]
        self.solved_directions = home[firsts]

    def poses(self, place: NDArray[np.int64], turn: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the poses (N, 4, 4) of some places (N,) and turns (N,) [m]."""
        rotations = self._matrices[self.direction[place], turn]
        return _poses(self._positions[self.row[place]], rotations)


def _poses(positions: NDArray[np.float64], rotations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses (..., 4, 4) of positions (..., 3) and rotations (..., 3, 3)."""
    poses = np.zeros((*rotations.shape[:-2], 4, 4))
    poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = rotations, positions, 1.0
    return poses
