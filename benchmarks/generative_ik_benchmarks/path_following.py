"""Paths pose by pose: each pose is solved from the configuration at the pose before.

That is what MoveIt's `compute_cartesian_path` does with a solver. It knows one way only; where
that ends, it begins again from another solution of the first pose, until time is up.
Collisions are checked by the package, for these solvers as for those that search a graph.
"""

import time
from collections.abc import Iterable

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.path_oracle import motion_points, step_limits
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.collision.checker import SceneCheck
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.robot.chain import KinematicChain

_ROUNDING = 1e-9


RESOLUTION = 0.02
"""Largest motion of a joint between two checks of a motion, in its unit; that of `solve_path`."""


class SceneMotions:
    """Checks configurations of a chain, and the motions between them, among obstacles."""

    def __init__(self, chain: KinematicChain, check: SceneCheck):
        """Remember them."""
        self._spacing, self._check = RESOLUTION * chain.joint_units, check

    def free(self, positions: Floats, *, exact: bool) -> Bools:
        """Say which configurations (N, n) are free.

        Args:
            positions: The configurations [rad or m].
            exact: Whether the shapes themselves decide where spheres cannot; else these collide.
        """
        if exact:
            return ~self._check.colliding(positions)
        return self._check.verdicts(positions) == Verdict.FREE

    def colliding_steps(self, path: Floats) -> Ints:
        """Return the steps of a path (B, n) on whose way something collides, ends left out."""
        points, step_of = motion_points(path, self._spacing)
        return np.unique(step_of[self._check.colliding(points)])


class Newton(SeededSolver):
    """Newton's method with the pseudoinverse, clamped to the limits, as KDL's `NR_JL` solver.

    Written in numpy: whether it finds a path compares with KDL, its time does not.
    """

    name = "Newton, as KDL"
    _ITERATIONS, _ACCURACY = 100, 1e-5

    def __init__(self, chain: KinematicChain):
        """Remember the chain."""
        self._chain = chain

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return where the steps converge (n,), see `SeededSolver`."""
        chain, q, target = self._chain, seed_state, tip_in_base
        for _ in range(self._ITERATIONS):
            tip, jacobian = chain.tip_and_jacobian(q)
            turn = Rotation.from_matrix(target[:3, :3] @ tip[:3, :3].T).as_rotvec()
            error = np.concatenate([target[:3, 3] - tip[:3, 3], turn])
            if np.abs(error).max() <= self._ACCURACY:
                return q
            step = np.linalg.pinv(jacobian, 1e-5) @ error
            q = np.clip(q + step, chain.lower, chain.upper)
        return None


def follow(
    solver: SeededSolver,
    chain: KinematicChain,
    motions: SceneMotions,
    targets: Floats,
    starts: Iterable[Floats],
    deadline: float,
) -> Floats:
    """Return the longest path (L, n) that a solver finds, from one start after the other.

    Starts are free solutions of the first of poses (B, 4, 4); the deadline is a reading of
    `time.perf_counter` [s].

    What its own rounding lets through beyond the limits is clipped.
    """
    largest = step_limits(chain) + _ROUNDING

    def path_from(start: Floats) -> Floats:
        path = [start]
        for target in targets[1:]:
            found = solver.near(target, path[-1])
            if found is None or time.perf_counter() >= deadline:
                break
            inside = np.clip(found, chain.lower, chain.upper)
            found = np.where(np.abs(inside - found) <= solver.limit_slack, inside, found)
            step = found - path[-1]
            turned = step - 2 * np.pi * np.round(step / (2 * np.pi))
            found = path[-1] + np.where(chain.continuous, turned, step)
            if (np.abs(found - path[-1]) > largest).any():
                break
            if not motions.free(found[None], exact=True)[0]:
                break
            if len(motions.colliding_steps(np.stack([path[-1], found]))):
                break
            path.append(found)
        return np.array(path)

    best = np.zeros((0, chain.num_joints))
    for start in starts:
        path = path_from(start)
        if len(path) > len(best):
            best = path
        if len(best) == len(targets) or time.perf_counter() >= deadline:
            break
    return best
