"""All solutions of a region of poses, by solving an ever finer sample of it pose by pose."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from scipy.stats import qmc

from generative_ik_benchmarks.metrics.coverage import coverage
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.reference.cache import Arrays, cached
from generative_ik_benchmarks.reference.saturation import last_growth
from generative_ik_benchmarks.region_specs import RegionSpec
from generative_ik_ros import _core
from generative_ik_ros.array_types import Floats, Ints
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain

_REACH = 5.0 / 3.0
"""How near a solution has to be to a configuration of the set, in spacings."""
_WHOLE = 0.03
"""A set to which a doubling of the poses adds less than this share is whole."""
_LINK = 2.0
"""Configurations of one connected set of solutions are nearer than so many spacings: the spacing
leaves no gap on it that is wider."""


@dataclass(frozen=True)
class RegionSettings:
    """The effort with which all solutions of a region are looked for.

    Attributes:
        spacings: Of the set, the finest that is saturated counts, Euclidean over joints [rad].
        growth: A doubling of the poses that adds less than this share to the set is the last.
        first_poses: Poses of the region in the first round.
        max_poses: Greatest number of poses.
        max_size: Most configurations in a set; one that reaches it is too fine.
        solutions: Solutions wanted of each pose.
    """

    spacings: tuple[float, ...] = (0.3, 0.45, 0.7, 1.0)
    growth: float = 0.01
    first_poses: int = 256
    max_poses: int = 4096
    max_size: int = 3000
    solutions: int = 30


@dataclass(frozen=True)
class RegionSet:
    """The solutions of one region.

    Attributes:
        positions: (m, n), no two nearer than the spacing [rad or m].
        spacing: [rad].
        growth: What the last doubling of the poses added.
        poses: How many poses of the region were solved.
        labels: (m,) the connected set that each belongs to.
    """

    positions: Floats
    spacing: float
    growth: float
    poses: int
    labels: Ints

    @property
    def saturated(self) -> bool:
        """Whether the last doubling of the poses added so little that the set is whole."""
        return self.growth < _WHOLE

    @property
    def near(self) -> float:
        """How near a solution has to be to count as one of the set [rad]."""
        return _REACH * self.spacing

    def sets_reached(self, space: JointSpace, found: Floats) -> float:
        """Return the share of the connected sets that have a solution (k, n) nearby."""
        reached = space.nearest(self.positions, found, within=self.near) <= self.near
        return len(np.unique(self.labels[reached])) / len(np.unique(self.labels))

    def shares(
        self,
        chain: KinematicChain,
        found: Floats,
        twice: Floats,
        as_many: Floats,
        rng: np.random.Generator,
    ) -> list[float]:
        """Return the shares of the set that are near some configurations (see `coverage`).

        Args:
            chain: Whose set it is.
            found: (k, n) solutions of a call.
            twice: Those of a call for twice as many.
            as_many: (m, n) those of a call for as many as the set has.
            rng: Where random numbers come from.

        Returns:
            The share reached by `found`; by `twice`; by `found` and `as_many`; and by k of the set
            itself, the most diverse and drawn at random.
        """
        space, count = JointSpace.of(chain), min(len(found), len(self.positions))
        joints = chain.lower, chain.upper, chain.periodic, chain.joint_units
        rows, ends = np.ascontiguousarray(self.positions), np.array([len(self.positions)])
        ranks = _core.diverse_ranks(rows, ends, joints, count, _core.ORDER_WORK)[0]
        diverse = self.positions[ranks]
        drawn = self.positions[rng.integers(len(self.positions), size=len(found))]
        everything = np.concatenate([found, as_many])
        return [
            coverage(space, each, self.positions, self.near)
            for each in (found, twice, everything, diverse, drawn)
        ]


def region_set(
    solver: IKSolver,
    spec: RegionSpec,
    target: Floats,
    settings: RegionSettings,
    spacing: float,
) -> RegionSet:
    """Find all solutions of a region about a target (4, 4), no two nearer than a spacing [rad]."""
    chain, space = solver.chain, JointSpace.of(solver.chain)
    facts = {
        "region": spec.name, "box": spec.box.tolist(), "cone": spec.cone, "spacing": spacing,
        "growth": settings.growth, "first": settings.first_poses, "most": settings.max_poses,
        "size": settings.max_size, "solutions": settings.solutions,
    }  # fmt: skip
    arrays = cached(
        "region", chain, target, facts,
        lambda: _search(solver, spec, target, settings, spacing),
        lambda arrays: set(arrays) == {"positions", "counts", "poses"},
    )  # fmt: skip
    positions, counts = arrays["positions"], arrays["counts"]
    growth = last_growth(counts.tolist())
    labels = _labels(space, positions, _LINK * spacing)
    return RegionSet(positions, spacing, growth, int(arrays["poses"][-1]), labels)


def region_sets(
    solver: IKSolver, spec: RegionSpec, targets: Floats, settings: RegionSettings
) -> list[RegionSet]:
    """Return the sets of targets (T, 4, 4) at the finest spacing at which the first is whole."""
    chosen = settings.spacings[-1]
    for spacing in settings.spacings[:-1] if len(targets) else ():
        first = region_set(solver, spec, targets[0], settings, spacing)
        if first.growth < settings.growth and len(first.positions) < settings.max_size:
            chosen = spacing
            break
    return [region_set(solver, spec, target, settings, chosen) for target in targets]


def _search(
    solver: IKSolver, spec: RegionSpec, target: Floats, settings: RegionSettings, spacing: float
) -> Arrays:
    space, reach = JointSpace.of(solver.chain), solver.chain.reach
    numbers = qmc.Sobol(6, seed=0)  # pyright: ignore[reportCallIssue] (its newer name is rng)
    kept = np.empty((0, solver.chain.num_joints))
    counts, poses = [], []
    size = settings.first_poses
    while True:
        drawn = numbers.random(size)
        found = solver.solve(target @ spec.draw(drawn, reach), settings.solutions)
        # Pose after pose: what one finds first is its most diverse.
        flat = found.positions.transpose(1, 0, 2).reshape(-1, kept.shape[1])
        flat = flat[np.isfinite(flat).all(axis=1)]
        new = space.thin(flat, spacing, kept=kept, most=settings.max_size - len(kept))
        kept = np.concatenate([kept, flat[new]])
        poses.append(size + (poses[-1] if poses else 0))
        counts.append(len(kept))
        if len(kept) >= settings.max_size or 2 * poses[-1] > settings.max_poses:
            break
        if last_growth(counts) < settings.growth:
            break
        size = poses[-1]
    return {"positions": kept, "counts": np.array(counts), "poses": np.array(poses)}


def _labels(space: JointSpace, positions: Floats, distance: float) -> Ints:
    """Return the connected component (m,) of each configuration (m, n)."""
    if not len(positions):
        return np.empty(0, np.int64)
    boxes = np.where(space.circular, 2.0 * np.pi, 0.0)
    tree = KDTree(space.coordinates(positions), boxsize=boxes)
    near = tree.sparse_distance_matrix(tree, distance, output_type="coo_matrix")
    return connected_components(near, directed=False)[1].astype(np.int64)
