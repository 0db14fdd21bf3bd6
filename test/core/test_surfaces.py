"""Regions with more room than one angle: solutions are branches at many of their poses."""

import numpy as np
import pytest
from region_truth import outside
from robots import assert_distinct_within_limits, poses, random_positions
from wrist_arm import wrist_arm, wrist_urdf

from generative_ik_ros import (
    CollisionModel,
    IKSolver,
    Scene,
    SolveStatus,
    TaskSpaceRegion,
    load_robot,
)

WANTED = 30
"""As many as an LWA 4P, whose branches are zeros of a polynomial, has from branches."""
TURNED = np.array([0.3, -0.2, 0.1, 0.4, -0.5, 3.5])
REGIONS = {
    "cone": TaskSpaceRegion.cone("y", 0.4),
    "cone in a box": TaskSpaceRegion.cone("x", 0.3, [-0.05, 0.0, 0.0], [0.1, 0.0, 0.02]),
    "position only": TaskSpaceRegion.position_only(),
    "plane": TaskSpaceRegion.plane("x"),
    "orientation only": TaskSpaceRegion.orientation_only(),
    "band": TaskSpaceRegion([0, 0, -0.1, 0, 0, 0], [0, 0, 0.1, 0, 0, 0]),
    "aside": TaskSpaceRegion(TURNED - 0.2, TURNED + 0.2),
    "upright": TaskSpaceRegion([-0.2] * 3 + [0, 0, -np.pi], [0.2] * 3 + [0, 0, np.pi]),
}


@pytest.fixture(scope="module", params=["ur10", "rounded", "lwa4p", "panda"])
def chain(request):
    return wrist_arm(5e-6) if request.param == "rounded" else load_robot(request.param)


@pytest.mark.parametrize("name", REGIONS)
def test_solutions_are_inside_distinct_and_no_fewer_than_a_search_finds(solver, chain, name, rng):
    targets, region = poses(chain, rng, 8), REGIONS[name]
    found, others = (
        one.solve(targets, WANTED, region=region) for one in (solver, solver.searching())
    )
    assert (found.counts >= others.counts).all() and (found.counts > 0).sum() > 4
    for t in np.flatnonzero(found.counts):
        q = found.of(t)
        away, turned = outside(region, targets[t], chain.forward(q))
        assert away.max() <= 1e-5 and turned.max() <= 1.01e-5
        room = (region.upper > region.lower)[:3]
        inside = (np.linalg.inv(targets[t]) @ chain.forward(q))[:, :3, 3][:, room]
        assert (inside >= region.lower[:3][room]).all() and (
            inside <= region.upper[:3][room]
        ).all()
        assert_distinct_within_limits(chain, q)


@pytest.mark.parametrize("name", ["cone", "position only", "plane"])
def test_solutions_lie_all_over_the_region(chain, solver, name, rng):
    """No other solution is much further from those returned than from those of a search."""
    region, gaps = REGIONS[name], []
    for target in poses(chain, rng, 4):
        found, others = (
            one.solve(target, 60, region=region).of(0) for one in (solver, solver.searching())
        )
        more = solver.searching().solve(target, 300, region=region, random_seed=5).of(0)
        gaps.append([_distance(chain, more, some).mean() for some in (found, others)])
    assert np.divide(*np.mean(gaps, axis=0)) < 1.1


def _distance(chain, some, others):
    """Return the distance of each of (M, n) from the nearest of (N, n), on circles [rad]."""
    apart = some[:, None] - others[None]
    turned = np.where(chain.periodic, apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi)), apart)
    return np.linalg.norm(turned, axis=2).min(axis=1)


@pytest.mark.parametrize("rounded", [0.0, 5e-6])
def test_none_collides_and_there_are_no_fewer_than_a_search_finds(rounded, rng):
    pytest.importorskip("coal")
    chain, region = wrist_arm(rounded), REGIONS["cone"]
    solver = IKSolver(chain, collision=CollisionModel.from_urdf(wrist_urdf(rounded)))
    scene = Scene(boxes=[((0.4, 0.4, 0.9), (x, 0.5, 0.6)) for x in (-0.6, 0.6)])
    targets = poses(chain, rng, 20)
    found, others = (
        one.solve(targets, 40, scene=scene, region=region) for one in (solver, solver.searching())
    )
    assert found.counts.sum() >= 0.99 * others.counts.sum() and (found.counts > 0).sum() > 5
    for t in np.flatnonzero(found.counts):
        assert not solver.collides(found.of(t), scene=scene).any()
        assert outside(region, targets[t], chain.forward(found.of(t)))[1].max() <= 1.01e-5


def test_poses_out_of_reach_have_none(solver, chain, rng):
    far = poses(chain, rng, 2)
    far[:, :3, 3] *= 4.0
    found = solver.solve(far, 40, region=REGIONS["cone in a box"])
    assert found.status == (SolveStatus.NO_SOLUTION,) * 2
    assert np.isfinite(found.best_effort).all()


def test_consistency_limits_hold(solver, chain, rng):
    q = random_positions(chain, rng, 1)[0]
    target, region = chain.forward(q), REGIONS["position only"]
    found = solver.solve(
        target, 20, region=region, seed_state=q, consistency_limits=np.full(len(q), 0.5)
    )
    assert found.counts[0] > 0
    assert (np.abs(found.of(0) - q) <= 0.5 + 1e-9).all()
