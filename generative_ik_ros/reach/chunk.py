"""One chunk of a reachability map: some positions, all orientations, by symmetry and search.

Poses that turns of the first and of the last revolute joint carry to each other are an orbit. One
of them is solved as if these joints had no limits: where it has no solution, none of the orbit
has. Where it has, turned copies of the solution that are inside the limits settle most poses of
the orbit; the rest is searched for one by one.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros._core import nearest_turn
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.collision.checker import CollisionChecker, SceneCheck
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.reach.orientations import QUARTERS
from generative_ik_ros.reach.spec import MapSpec
from generative_ik_ros.reach.symmetry import settle_turn, unlimited
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN
from generative_ik_ros.select.preferences import SCORES
from generative_ik_ros.select.verify import Verifier
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from generative_ik_ros.collision.scene import Scene


def measured(name: str, chain: KinematicChain, found: IKSolutions) -> NDArray[np.generic]:
    """Return a measure of each of B targets, (B,), 0 where there is no solution.

    Args:
        name: One of `MEASURES`.
        chain: The chain with its limits.
        found: Solutions, full turns aside.
    """
    if name == "num_solutions":
        return found.counts
    exists = np.arange(found.positions.shape[1]) < found.counts[:, None]
    if name == "clearance":
        assert found.clearance is not None  # noqa: S101
        return np.where(exists, found.clearance, 0.0).max(axis=1, initial=0.0)
    q = np.ascontiguousarray(found.positions[exists])
    limited = chain.circular & ~chain.continuous
    middle = (np.where(limited, chain.lower, 0.0) + np.where(limited, chain.upper, 0.0)) / 2.0
    q = nearest_turn(q, middle, chain.lower, chain.upper, limited)
    values = np.zeros(exists.shape)
    values[exists] = SCORES[name](chain, q)
    return values.max(axis=1, initial=0.0)


Arrays = Mapping[str, NDArray[np.generic]]
_Poses = tuple[Ints, Ints]
"""Poses of a chunk: (N,) places, and (N,) turns about their directions."""


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
        # Poses of a direction that are turned copies of one.
        self._copies = spec.shape[2] if spec.turns else 1
        self._check = self._tool_check = None
        if spec.collision is not None:
            checker = CollisionChecker(spec.collision, modulo_turns)
            self._check = checker.at(spec.scene)
            self._tool_check = _tool_check(checker, modulo_turns, spec.scene)

    def solve(self, index: int) -> Arrays:
        """Return the arrays of the positions from `index * rows` on, (rows, D, R) each."""
        spec = self._spec
        rows = slice(index * spec.rows, (index + 1) * spec.rows)
        places = _Places(spec, rows, self._tried(index, rows))
        values = {
            name: np.zeros((places.size, *spec.shape[1:]), kind)
            for name, kind in spec.types.items()
        }
        if "tested" in values:
            values["tested"][places.row, places.direction] = True
        every = np.arange(len(places.solved_positions))
        first = self._solved(places, every, 1)
        # (M, R) may be reachable; poses are pairs of a place and a turn from here on.
        possible = np.repeat(~np.isnan(first[places.solved, :, 0, 0]), self._copies, axis=1)
        place, turn = np.nonzero(possible)
        left = place, turn
        if not spec.measures:
            left = self._settle(places, left, first, values["reachable"])
            # Solutions of a pose whose turned copies are tried where those of the first do not do.
            others = 8
            some = np.unique(places.solved[left[0]])
            if len(some):
                more = np.full((*first.shape[:2], others, first.shape[3]), np.nan)
                more[some] = self._solved(places, some, others)
                left = self._settle(places, left, more, values["reachable"])
        left = self._not_in_the_way(places, left, first)
        self._search(places, left, values)
        return values

    def _tried(self, index: int, rows: slice) -> Bools:
        """Say which directions of the first quarter are tried at each position, (rows, D)."""
        spec, count = self._spec, self._spec.shape[1]
        first = spec.layout.first_quarter[rows]
        if spec.share == 1.0:
            return np.ones((len(first), count), np.bool_)
        orbit = _orbits(first)
        # 5 separates these random numbers from those of samplers.
        rng = np.random.default_rng((spec.random_seed, 5, index))
        lots = rng.random((orbit[-1] + 1, count))
        wanted = max(1, round(spec.share * count))
        return (lots.argsort(axis=1).argsort(axis=1) < wanted)[orbit]

    def _solved(self, places: "_Places", some: Ints, count: int) -> Floats:
        """Solve poses of the first quarter without limits of the joints that turn poses.

        Args:
            places: Those of the chunk.
            some: (S,) of the T places in the first quarter.
            count: Solutions of each pose.

        Returns:
            (S, B, count, n) configurations, of all turns (B = R) or the first of each direction
            (B = 1); NaN where there are no more.
        """
        matrices = self._spec.orientations.matrices
        solved = matrices[places.solved_directions[some], : matrices.shape[1] // self._copies]
        targets = _poses(places.solved_positions[some, None], solved)
        found = self._relaxed.solve(
            targets.reshape(-1, 4, 4), num_solutions=count, random_seed=self._spec.random_seed
        )
        return found.positions.reshape(*targets.shape[:2], count, -1)

    def _settle(
        self, places: "_Places", poses: "_Poses", solutions: Floats, reachable: NDArray[np.generic]
    ) -> "_Poses":
        """Turn solutions (T, B, S, n) to poses of their orbits, note which that settles.

        Returns the others.
        """
        for k in range(solutions.shape[2]):
            q, inside = self._turned(places, poses, solutions[:, :, k])
            settled = inside.copy()
            settled[inside] = self._are_solutions(
                q[inside], places.targets((poses[0][inside], poses[1][inside]))
            )
            place, turn = poses[0][settled], poses[1][settled]
            reachable[places.row[place], places.direction[place], turn] = True
            poses = poses[0][~settled], poses[1][~settled]
        return poses

    def _turned(
        self, places: "_Places", poses: "_Poses", solutions: Floats
    ) -> tuple[Floats, Bools]:
        """Turn solutions (T, B, n) to N poses of their orbits.

        Returns:
            (N, n) configurations, and (N,) whether they are inside the limits.
        """
        spec, chain, symmetry = self._spec, self._spec.chain, self._spec.symmetry
        place, turn = poses
        q = solutions[places.solved[place], turn % solutions.shape[1]]
        if spec.quarters:
            quarters = symmetry.first_sign * TURN / QUARTERS * places.quarter[place]
            q[:, symmetry.first] += quarters
        if spec.turns:
            q[:, symmetry.last] += symmetry.last_sign * TURN / spec.shape[2] * turn
        inside = ~np.isnan(q[:, 0])
        for variable in np.flatnonzero(self._relaxed.chain.continuous):
            limits = chain.lower[variable], chain.upper[variable]
            q[:, variable], within = settle_turn(q[:, variable], *limits)
            inside &= within
        return q, inside

    def _are_solutions(self, q: Floats, targets: Floats) -> Bools:
        """Verify configurations (N, n) of targets (N, 4, 4), and that none collides, (N,)."""
        errors = self._verifier.errors(q, targets, np.arange(len(q)))
        solver = self._solver
        tolerances = solver.position_tolerance, solver.orientation_tolerance
        fine = np.logical_and.reduce(errors <= tolerances, axis=1)
        if self._check is not None:
            fine[fine] = self._check.verdicts(q[fine]) == Verdict.FREE
        return fine

    def _not_in_the_way(self, places: "_Places", poses: "_Poses", solutions: Floats) -> "_Poses":
        """Leave out poses in which what moves with the tip collides with what stands.

        Where these links are, the pose alone says.
        """
        if self._tool_check is None:
            return poses
        q, _ = self._turned(places, poses, solutions[:, :, 0])
        free = self._tool_check.verdicts(q) < Verdict.INSIDE
        return poses[0][free], poses[1][free]

    def _search(
        self, places: "_Places", poses: "_Poses", values: dict[str, NDArray[np.generic]]
    ) -> None:
        """Search for solutions of single poses, and write what is found."""
        spec = self._spec
        if not len(poses[0]):
            return
        found = self._solver.solve(
            places.targets(poses),
            num_solutions=spec.num_solutions if spec.measures else 1,
            random_seed=spec.random_seed,
            scene=spec.scene,
        )
        at = places.row[poses[0]], places.direction[poses[0]], poses[1]
        values["reachable"][at] = found.counts > 0
        for name in spec.measures:
            values[name][at] = measured(name, spec.chain, found)


def _tool_check(
    checker: CollisionChecker, chain: KinematicChain, scene: "Scene | None"
) -> SceneCheck | None:
    """Return a check of what moves with the tip against what stands.

    None if nothing does, or if a scene attaches things to links, which may be anywhere on the arm.
    """
    if scene is not None and scene.attached:
        return None
    model, frame_of = checker.model, checker.frames.link_frame
    wanted = 0, frame_of[chain.tip_link]
    links = tuple(link for link in model.links if frame_of[link.parent] in wanted)
    if not any(frame_of[link.parent] for link in links):
        return None
    part = replace(model, links=links, allowed=model.unchecked)
    return CollisionChecker(part, chain).at(scene)


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

    def __init__(self, spec: MapSpec, rows: slice, tried: Bools):
        """Find the places in the first quarter."""
        layout, num_directions = spec.layout, spec.shape[1]
        first, quarter = layout.first_quarter[rows], layout.quarter[rows]
        self._matrices, self._positions = spec.orientations.matrices, layout.positions[rows]
        self.size = len(first)
        self.row, home = np.nonzero(tried)
        self.quarter = quarter[self.row]
        ahead = self.quarter * (num_directions // QUARTERS)
        self.direction = (home + ahead) % num_directions
        numbers = _orbits(first)[self.row] * num_directions + home
        _, firsts, self.solved = np.unique(numbers, return_index=True, return_inverse=True)
        self.solved_positions = first[self.row[firsts]]
        self.solved_directions = home[firsts]

    def targets(self, poses: "_Poses") -> Floats:
        """Return poses as matrices (N, 4, 4) [m]."""
        place, turn = poses
        rotations = self._matrices[self.direction[place], turn]
        return _poses(self._positions[self.row[place]], rotations)


def _orbits(first: Floats) -> Ints:
    """Number the orbits of positions (P, 3) in the first quarter, which are side by side, (P,)."""
    return np.cumsum(np.r_[False, (first[1:] != first[:-1]).any(axis=1)])


def _poses(positions: Floats, rotations: Floats) -> Floats:
    """Return poses (..., 4, 4) of positions (..., 3) and rotations (..., 3, 3)."""
    poses = np.zeros((*rotations.shape[:-2], 4, 4))
    poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = rotations, positions, 1.0
    return poses
