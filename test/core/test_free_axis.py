"""Regions with one free coordinate: solutions of six joints are all branches wherever it is."""

import numpy as np
import pytest
from robots import assert_distinct_within_limits, nearest_lengths, poses
from scipy.spatial.transform import Rotation
from wrist_arm import wrist_arm

from generative_ik_ros import IKSolver, TaskSpaceRegion, load_robot

pytestmark = pytest.mark.slow

REGIONS = {
    "free x": TaskSpaceRegion.free_axis("x"),
    "free y": TaskSpaceRegion.free_axis("y"),
    "free z": TaskSpaceRegion.free_axis("z"),
    "no cone": TaskSpaceRegion.cone("y", 0.0),
    "roll": TaskSpaceRegion([0, 0, 0, -0.4, 0, 0], [0, 0, 0, 1.1, 0, 0]),
    "steep": TaskSpaceRegion([0, 0, 0, 0, 1.2, 0], [0, 0, 0, 0, 3.5, 0]),
    "behind": TaskSpaceRegion([0, 0, 0, 0, 0, 3.0], [0, 0, 0, 0, 0, 3.4]),
    "hardly": TaskSpaceRegion([0, 0, 0, 0, 0, -1e-6], [0, 0, 0, 0, 0, 1e-6]),
    "along x": TaskSpaceRegion([-0.3, 0, 0, 0, 0, 0], [0.2, 0, 0, 0, 0, 0]),
    "along y": TaskSpaceRegion([0, 0.05, 0, 0, 0, 0], [0, 0.1, 0, 0, 0, 0]),
    "along z": TaskSpaceRegion([0, 0, -2, 0, 0, 0], [0, 0, 3, 0, 0, 0]),
    "hardly along": TaskSpaceRegion([0, 0, -1e-6, 0, 0, 0], [0, 0, 1e-6, 0, 0, 0]),
}
AXES = {"free x": 0, "free y": 1, "free z": 2}
ALONG = {"along x": 0, "along y": 1, "along z": 2}


@pytest.fixture(scope="module", params=["ur10", "rounded"])
def chain(request):
    if request.param == "ur10":
        return load_robot("ur10")
    return wrist_arm(5e-6)


def outside(region, target, tips):
    """Return how far tips (N, 4, 4) are from the turns or shifts of a region, [m] and [rad].

    Roll, pitch and yaw would not do, for pitches are straight up or down here.
    """
    gap = np.linalg.inv(target) @ tips
    if (region.upper > region.lower)[:3].any():
        shift = np.clip(gap[:, :3, 3], region.lower[:3], region.upper[:3])
        turned = Rotation.from_matrix(gap[:, :3, :3]).magnitude()
        return np.linalg.norm(gap[:, :3, 3] - shift, axis=1), turned
    k = "xyz".index(region.cone_axis or "xyz"[int((region.upper - region.lower)[3:].argmax())])
    r, i, j = gap[:, :3, :3], (k + 1) % 3, (k + 2) % 3
    angle = np.arctan2(r[:, j, i] - r[:, i, j], r[:, i, i] + r[:, j, j])
    lower, upper = region.lower[3 + k], region.upper[3 + k]
    angle -= 2.0 * np.pi * np.rint((angle - (lower + upper) / 2.0) / (2.0 * np.pi))
    nearest = Rotation.from_rotvec(np.clip(angle, lower, upper)[:, None] * np.eye(3)[k])
    turned = (Rotation.from_matrix(r) * nearest.inv()).magnitude()
    return np.linalg.norm(gap[:, :3, 3], axis=1), turned


@pytest.mark.parametrize("name", REGIONS)
def test_solutions_are_inside_distinct_and_no_fewer_than_a_search_finds(solver, chain, name, rng):
    targets, region = poses(chain, rng, 8), REGIONS[name]
    found, others = (one.solve(targets, 60, region=region) for one in (solver, solver.searching()))
    # Within bounds some of the targets are out of reach, and searched for.
    steps, of_others = (one.timings.null_space_steps for one in (found, others))
    assert name not in AXES or steps < 0.2 * of_others
    assert found.counts.sum() >= 0.98 * others.counts.sum()
    assert (found.counts[others.counts > 0] > 0).all() and (found.counts > 0).sum() > 3
    for t in np.flatnonzero(found.counts):
        q = found.of(t)
        away, turned = outside(region, targets[t], chain.forward(q))
        assert away.max() <= 1e-5 and turned.max() <= 1.01e-5
        assert (found.position_error[t, : len(q)] <= 1e-5).all()
        assert_distinct_within_limits(chain, q)


def all_over(name):
    """Return (200, 4, 4) what a region leaves of its target."""
    moves, region = np.tile(np.eye(4), (200, 1, 1)), REGIONS[name]
    if name in ALONG:
        shares = np.linspace(0.0, 1.0, 200)[:, None]
        moves[:, :3, 3] = region.lower[:3] + shares * (region.upper - region.lower)[:3]
    else:
        turns = np.linspace(-np.pi, np.pi, 200)[:, None] * np.eye(3)[AXES[name]]
        moves[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix()
    return moves


@pytest.mark.parametrize("name", [*AXES, *ALONG])
def test_every_branch_everywhere_has_a_solution_nearby(solver, chain, name, rng):
    shares, moves = [], all_over(name)
    for target in poses(chain, rng, 3):
        every = solver.solve(target @ moves, 8).positions.reshape(-1, 6)
        every = every[np.isfinite(every[:, 0])]
        if not len(every):
            continue  # not all of what lies beside a pose can be reached
        for count, near in ((100, 0.6), (400, 0.3)):
            found = solver.solve(target, count, region=REGIONS[name]).of(0)
            shares.append((nearest_lengths(every, found) <= near).mean())
    assert np.mean(shares) > 0.97 and min(shares) > 0.9


def test_full_turns_count_where_there_is_little_else():
    chain = load_robot("ur10")
    solver, region = IKSolver(chain), TaskSpaceRegion([0] * 5 + [-0.05], [0] * 5 + [0.05])
    target = chain.forward(np.array([0.3, -1.0, 1.2, -0.5, 1.0, 0.4]))
    found = solver.solve(target, 100, region=region)
    apart = np.abs(found.of(0)[:, None] - found.of(0)[None]).max(axis=2)
    assert found.counts[0] == 100 and np.isclose(apart, 2.0 * np.pi, atol=0.05).any()
    assert apart[~np.eye(100, dtype=bool)].min() > 0.04
