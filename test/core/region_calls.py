"""What calls promise for regions, whichever way they are answered."""

import copy
import pickle

import numpy as np
import pytest
from clock import in_time
from robots import random_positions
from wrist_arm import wrist_arm, wrist_urdf

from generative_ik_ros import CollisionModel, IKSolver, Scene, SolveStatus


def poses(chain, rng, count):
    return chain.forward(random_positions(chain, rng, count))


def calls_repeat(solver, targets, region, more):
    """In batches, copies and with deadlines; one over `more` times the targets ends in time."""
    expected = solver.solve(targets, 40, region=region).positions
    for other in (copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))):
        np.testing.assert_array_equal(other.solve(targets, 40, region=region).positions, expected)
    for t in range(4):
        alone = solver.solve(targets[t], 40, timeout=10.0, region=region)
        np.testing.assert_array_equal(alone.positions[0], expected[t])
    many = np.tile(targets, (more, 1, 1))
    late = in_time(lambda: solver.solve(many, 100, timeout=5e-3, region=region), 0.5)
    assert SolveStatus.TIMED_OUT in late.status


def none_collides(rounded, region, count, outside, rng):
    """Return how many are found among boxes, and how many by a search, for each target."""
    pytest.importorskip("coal")
    chain = wrist_arm(rounded)
    solver = IKSolver(chain, collision=CollisionModel.from_urdf(wrist_urdf(rounded)))
    scene = Scene(boxes=[((0.4, 0.4, 0.9), (x, 0.5, 0.6)) for x in (-0.6, 0.6)])
    targets = poses(chain, rng, 20)
    found, others = (
        one.solve(targets, count, scene=scene, region=region)
        for one in (solver, solver.searching())
    )
    assert found.counts.sum() >= 0.99 * others.counts.sum() and (found.counts > 0).sum() > 5
    for t in np.flatnonzero(found.counts):
        assert not solver.collides(found.of(t), scene=scene).any()
        assert outside(region, targets[t], chain.forward(found.of(t)))[1].max() <= 1.01e-5
    return found.counts, others.counts


def out_of_reach_is_said(solver, chain, region, rng):
    far = poses(chain, rng, 2)
    far[:, :3, 3] *= 4.0
    found = solver.solve(far, 40, region=region)
    assert found.status == (SolveStatus.NO_SOLUTION,) * 2
    assert np.isfinite(found.best_effort).all()
