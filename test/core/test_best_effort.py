"""What is offered where there is no solution: the closest approach to each target."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from robots import pose_gap
from scipy.spatial.transform import Rotation

from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.search import search
from generative_ik_ros.search.budget import budget_of
from generative_ik_ros.solutions import SolveStatus


@pytest.mark.parametrize("sampler", ["quasi_random", "uniform"])
def test_every_target_of_a_batch_gets_as_near_as_alone(panda, rng, sampler):
    targets = panda.forward(rng.uniform(panda.lower, panda.upper, (30, 7)))
    targets[:, :3, 3] *= 2.0 * panda.reach / np.linalg.norm(targets[:, :3, 3], axis=1)[:, None]
    solver = IKSolver(panda, sampler)
    together = solver.solve(targets, 1)
    assert set(together.status) == {SolveStatus.NO_SOLUTION}
    length = panda.characteristic_length

    def error(found):
        return np.hypot(
            found.best_effort_position_error / length, found.best_effort_orientation_error
        )

    alone = np.concatenate([error(solver.solve(target, 1)) for target in targets])
    if sampler == "quasi_random":
        np.testing.assert_allclose(error(together), alone, rtol=1e-6)
    else:
        # Drawn for all targets of a call at once, so that each has other seeds than alone.
        np.testing.assert_allclose(error(together), alone, rtol=0.02)


def test_the_closest_orientation_is_closest_as_an_angle():
    """Far off, an angle still grows where its chord hardly does."""
    chain = load_robot("planar_3r")
    target = np.eye(4)
    target[:3, 3] = -0.9604, -0.7596, 0.0
    target[:3, :3] = Rotation.from_quat([0.0242, 0.9051, 0.1372, 0.4016]).as_matrix()
    found = IKSolver(chain).solve(target, 1)
    assert found.status == (SolveStatus.NO_SOLUTION,)
    length = chain.characteristic_length
    offered = np.hypot(
        found.best_effort_position_error[0] / length, found.best_effort_orientation_error[0]
    )
    # An independent search: the best of many configurations.
    grid = np.stack(np.meshgrid(*[np.linspace(-3.0, 3.0, 61)] * 3), axis=-1).reshape(-1, 3)
    distance, angle = pose_gap(chain.forward(grid), target)
    assert offered <= np.hypot(distance / length, angle).min() + 1e-9


def test_of_targets_with_solutions_it_is_the_first_also_in_copies(ur10):
    """It is told when it is read; a copy has it, too."""
    target = ur10.forward(np.full(6, 0.4))
    found = IKSolver(ur10).solve(target, 8)
    copy = pickle.loads(pickle.dumps(found))
    for one in (found, copy, replace(found, sampler="another")):
        np.testing.assert_array_equal(one.best_effort, found.positions[:, 0])
        np.testing.assert_array_equal(one.best_effort_position_error, found.position_error[:, 0])
        np.testing.assert_array_equal(
            one.best_effort_orientation_error, found.orientation_error[:, 0]
        )
    assert found.best_effort_message() == "" and found.target_of is None


@pytest.mark.parametrize("copied", [False, True])
def test_a_closest_configuration_that_solves_the_pose_counts_as_solution(
    panda, rng, copied, monkeypatch
):
    """A search that ends too soon is put right by what is found when the best effort is read."""
    solver = IKSolver(panda, "quasi_random")
    hasty = replace(solver._stages, deficient=True)
    monkeypatch.setattr(search, "budget_of", lambda _, request: budget_of(hasty, request))
    half = rng.random((1500, 7)) < 0.5
    q = np.where(half, panda.lower, rng.uniform(panda.lower, panda.upper, (1500, 7)))
    found = solver.solve(panda.forward(q), 2)
    missed = np.flatnonzero(found.counts == 0)
    assert len(missed) >= 5
    if copied:
        found = pickle.loads(pickle.dumps(found))
    within = (found.best_effort_position_error <= 1e-5) & (
        found.best_effort_orientation_error <= 1e-5
    )
    assert within[missed].any()
    assert ((found.counts > 0) == within).all()
    for t in missed[within[missed]]:
        assert found.status[t] is SolveStatus.PARTIAL and found.counts[t] == 1
        np.testing.assert_array_equal(found.of(t), found.best_effort[t : t + 1])
        assert found.best_effort_message(t) == ""
