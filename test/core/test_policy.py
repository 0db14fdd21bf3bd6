"""How long a search goes on; core/test/stopping_policy_test.cpp has its course, seed by seed."""

import numpy as np
import pytest
from robots import NONE, Z, urdf

from generative_ik_ros import IKSolver, KinematicChain
from generative_ik_ros.search.policy import GIVE_UP, next_batch, persistence_of


def test_longer_chains_are_searched_longer():
    errors, most = zip(*(persistence_of(n) for n in (1, 7, 8, 9, 40)), strict=True)
    assert list(errors) == sorted(errors) and list(most) == sorted(most)
    assert most[-1] == GIVE_UP


@pytest.mark.parametrize(("converged", "batch"), [(0, 1024), (10, 320), (100, 32), (50, 64)])
def test_a_batch_is_as_large_as_an_estimate_needs(converged, batch):
    assert next_batch(100, converged) == batch


def test_a_continuous_set_of_solutions_is_filled():
    """Three planar joints, position wanted only: the elbow's circle of solutions, all of it."""
    wide = (-3.1, 3.1)
    joints = [("revolute", (x, 0, 0), NONE, Z, wide, "") for x in (0, 0.5, 0.4)]
    joints.append(("fixed", (0.3, 0, 0), NONE, Z, None, ""))
    chain = KinematicChain.from_urdf(urdf(joints))
    solver = IKSolver(chain, orientation_tolerance=np.inf, distinct_distance=0.2)
    target = chain.forward([0.3, 0.9, -0.8])
    found = solver.solve(target, 2000).of()
    dense = IKSolver(chain, orientation_tolerance=np.inf, distinct_distance=0.02)
    reference = dense.solve(target, 5000).of()
    gap = np.abs(reference[:, None] - found[None]).max(axis=2).min(axis=1)
    assert len(reference) > 5 * len(found) and (gap < 0.2).mean() > 0.97
