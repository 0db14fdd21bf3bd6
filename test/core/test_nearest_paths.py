"""Paths of solvers that prefer something: one error is 0 all the way, the other at its least."""

import numpy as np
import pytest
from nearest_truth import Nearest, errors_of
from scipy.spatial.transform import Rotation

from generative_ik_ros import IKSolver, TaskSpaceRegion, load_robot
from generative_ik_ros.errors import InvalidArgumentError

pytestmark = pytest.mark.slow


def line(chain, number=60, tilt=0.4):
    """Poses on a smooth curve, the tool tilted sideways, which five joints cannot do."""
    q = np.linspace(0.35, 0.55, number)[:, None] * (chain.upper - chain.lower) + chain.lower
    targets = chain.forward(q)
    tilts = tilt * np.cos(np.linspace(0.0, 3.0, number))
    targets[:, :3, :3] @= Rotation.from_euler("x", tilts[:, None]).as_matrix()
    return targets


def test_the_position_is_exact_and_the_orientation_at_its_least_all_the_way(so101, rng):
    targets = line(so101)
    assert IKSolver(so101).solve_path(targets).num_reached < 5
    path = IKSolver(so101, prefer="position").solve_path(targets)
    assert path.complete and not path.reason
    distance, angle = np.array(
        [errors_of(so101, q, t) for q, t in zip(path.positions, targets, strict=True)]
    ).T
    assert distance.max() < 1e-5
    np.testing.assert_allclose(path.position_error, distance, atol=1e-9)
    np.testing.assert_allclose(path.orientation_error, angle, atol=1e-6)
    assert angle.max() > 0.01
    assert (path.positions >= so101.lower).all() and (path.positions <= so101.upper).all()
    # Minima lie on a smooth curve: motions differ little from one pose to the next.
    motions = np.diff(path.positions, axis=0)
    assert np.abs(motions).max() <= 0.2 and np.abs(np.diff(motions, axis=0)).max() < 0.02
    for k in range(0, len(targets), 12):
        truth = Nearest(so101, targets[k])
        end = truth.descend(path.positions[k])
        assert end is None or end[1] >= angle[k] - 1e-4
        assert angle[k] <= truth.least(rng, 12) + 1e-3


def test_of_several_ways_that_with_the_least_error_is_taken(so101):
    """Another start leads along a branch that is further off; its path is valid as well."""
    targets, solver = line(so101), IKSolver(so101, prefer="position")
    found = solver.solve(targets[0], 20).of(0)
    best = solver.solve_path(targets)
    paths = [solver.solve_path(targets, q) for q in found]
    others = [path for path in paths if path.complete]
    assert others
    least = best.orientation_error.mean()
    assert least <= min(path.orientation_error.mean() for path in others) + 1e-6
    assert max(path.orientation_error.mean() for path in others) > 1.2 * least
    for path in others:
        assert path.position_error.max() <= 1e-5


def test_the_orientation_may_be_exact_and_the_position_at_its_least(so101):
    targets = line(so101, tilt=0.0)
    targets[:, 1, 3] += 0.02 * np.sin(np.linspace(0.0, 6.0, len(targets)))
    assert not IKSolver(so101).solve_path(targets).complete
    path = IKSolver(so101, prefer="orientation").solve_path(targets)
    assert path.complete
    assert path.orientation_error.max() <= 1e-5 and path.position_error.max() > 1e-3
    assert path.position_error.max() < 0.02


def test_poses_with_solutions_are_met_exactly():
    """A Panda whose poses go out of reach and come back: exact where it can be."""
    panda = load_robot("panda")
    start = panda.forward([0.0, 0.4, 0.0, -1.6, 0.0, 2.0, 0.7])
    targets = np.repeat(start[None], 80, 0)
    # Past what the wrist's limits allow, and back.
    angles = 2.0 * np.sin(np.linspace(0.0, np.pi, 80))
    targets[:, :3, :3] @= Rotation.from_euler("y", angles[:, None]).as_matrix()
    assert not IKSolver(panda).solve_path(targets, max_step=0.4).complete
    path = IKSolver(panda, prefer="position").solve_path(targets, max_step=0.4)
    assert path.complete and path.position_error.max() <= 1e-5
    assert path.orientation_error[0] <= 1e-5 and path.orientation_error[-1] <= 1e-5
    assert path.orientation_error.max() > 0.01


def test_ends_closed_paths_and_objectives(so101):
    targets, solver = line(so101), IKSolver(so101, prefer="position")
    free = solver.solve_path(targets)
    given = solver.solve_path(targets, free.positions[0], end_state=free.positions[-1])
    assert given.complete
    np.testing.assert_allclose(given.positions, free.positions, atol=1e-6)
    there_and_back = np.concatenate([targets, targets[-2::-1]])
    closed = solver.solve_path(there_and_back, closed=True)
    assert closed.complete
    np.testing.assert_array_equal(closed.positions[0], closed.positions[-1])
    for objective in ("length", "largest_step", "limit_margin"):
        path = solver.solve_path(targets, objective=objective, timeout=5.0)
        assert path.complete and path.position_error.max() <= 1e-5


def test_regions_are_refused(so101):
    solver = IKSolver(so101, prefer="position")
    with pytest.raises(InvalidArgumentError, match="not for regions"):
        solver.solve_path(line(so101), region=TaskSpaceRegion.free_axis("z"))
