"""What is nearest to goals that cannot be met, among obstacles."""

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle
from scipy.spatial.transform import Rotation

from generative_ik_ros import IKSolver, KinematicChain, SolveStatus

pytestmark = pytest.mark.slow

FIXED = {"joint3": 0.2, "joint5": -0.1}


@pytest.fixture(scope="module")
def five(arm_urdf, arm):
    """The arm with five of its joints."""
    return KinematicChain.from_urdf(arm_urdf, arm.base_link, arm.tip_link, fixed=FIXED)


def test_they_are_the_free_ones_of_all(five, arm, arm_model, arm_urdf, random_scene):
    """Of all minima those are left out that collide, and the least of the others comes first."""
    rng, left_out = np.random.default_rng(11), 0
    blind = IKSolver(five, prefer="position")
    solver = IKSolver(five, prefer="position", collision=arm_model)
    for _ in range(6):
        scene = random_scene(rng, 10)
        oracle = Oracle(arm_urdf, scene)
        target = five.forward(rng.uniform(five.lower, five.upper))
        target[:3, :3] = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        found, everything = solver.solve(target, 50, scene=scene), blind.solve(target, 50)
        assert everything.status == (SolveStatus.APPROXIMATE,)
        whole = np.array([_whole(arm, five, q) for q in everything.of()])
        free = np.array([oracle.free(q) for q in whole])
        left_out += np.count_nonzero(~free)
        q = found.of()
        assert all(oracle.free(_whole(arm, five, one)) for one in q)
        assert len(q) == np.count_nonzero(free)
        if not free.any():
            assert found.blocked_by[0] is not None
            continue
        assert found.status == (SolveStatus.APPROXIMATE,)
        least = everything.orientation_error[0, : len(free)][free]
        np.testing.assert_allclose(found.orientation_error[0, : len(q)], least, atol=1e-6)
        one = solver.solve(target, 1, scene=scene)
        np.testing.assert_allclose(one.orientation_error[0, 0], least[0], atol=1e-6)
        assert (found.position_error[0, : len(q)] <= 1e-5).all()
    assert left_out > 5


def _whole(arm, five, q):
    """The configuration (7,) of the arm whose other joints are fixed."""
    values = {**FIXED, **dict(zip(five.joint_names, q, strict=True))}
    return np.array([values[name] for name in arm.joint_names])
