"""Collision checks of calls on a GPU, whose kernels run on the CPU here, against coal."""

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle

from generative_ik_ros import IKSolver, SolveStatus
from generative_ik_ros.device import open as device_open
from generative_ik_ros.device.open import Opened
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.search import on_device


@pytest.fixture(autouse=True)
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU take the place of a GPU."""
    monkeypatch.setenv(device_open.VARIABLE, "emulated")
    monkeypatch.setattr(on_device, "OPENED", Opened())


@pytest.mark.parametrize("seed", range(3))
def test_solutions_are_free(arm, arm_urdf, arm_model, random_scene, seed):
    """All of them by the shapes themselves, whether the device or the CPU has found them."""
    scene = random_scene(np.random.default_rng(seed), 6) if seed else None
    oracle = Oracle(arm_urdf, scene)
    q = random_configurations(arm, 60, seed)
    targets = arm.forward(np.array([one for one in q if oracle.free(one)][:30]))
    solver, cpu = (IKSolver(arm, device=d, collision=arm_model) for d in ("cuda", "cpu"))
    found, expected = (one.solve(targets, 1, scene=scene) for one in (solver, cpu))
    assert found.timings.on_device > 10
    assert [status == SolveStatus.SOLVED for status in found.status].count(True) >= (
        expected.counts > 0
    ).sum()
    for t in range(len(targets)):
        assert all(oracle.free(one) for one in found.of(t))
    # What is measured when it is read is what would have been measured at once.
    there = np.arange(1) < found.counts[:, None]
    clearance = solver.clearance(found.positions[there], scene=scene)
    np.testing.assert_allclose(found.clearance[there], clearance, atol=1e-12)
    assert np.isnan(found.clearance[~there]).all()
    assert len(found.blocked_by) == len(targets)


def test_many_free_solutions(arm, arm_urdf, arm_model, random_scene):
    scene = random_scene(np.random.default_rng(7), 4)
    oracle = Oracle(arm_urdf, scene)
    q = np.array([one for one in random_configurations(arm, 60, 7) if oracle.free(one)][:4])
    solver = IKSolver(arm, device="cuda", collision=arm_model)
    found = solver.solve(arm.forward(q), 12, scene=scene)
    for t in range(len(q)):
        assert all(oracle.free(one) for one in found.of(t))
    assert (found.counts > 0).all()
