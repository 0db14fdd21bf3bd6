"""What others' solvers return is true, what they cannot take is said, and the hard ones are right.

The closed form is checked on all branches of a pose; the distance-geometric solver on points whose
configuration is known.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases, serial_case
from generative_ik_benchmarks.interleaved import checker_of, run_interleaved
from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.analytic import Analytic
from generative_ik_benchmarks.peers.distance_graph import DistanceGraph
from generative_ik_benchmarks.peers.registry import available_peers, peer, peer_names
from generative_ik_benchmarks.peers.riemannian import Riemannian
from generative_ik_benchmarks.prismatic_chains import Joint
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
PANDA, UR10, COMPI, SLIDE = known_cases(["panda", "ur10", "compi", "rail_and_arm"])


def _arm(joints):
    """An arm of revolute joints, each (xyz in the joint before, axis)."""
    limits = "lower='-3.1' upper='3.1'"
    return serial_case("arm", [Joint("revolute", *joint, limits) for joint in joints])


WRIST = [("0 0 0.4", "0 0 1"), ("0 0 0", "0 1 0"), ("0 0 0", "0 0 1")]
FAMILIES = {
    "shoulder joints parallel": [
        ("0 0 0.3", "0 0 1"), ("0.1 0.05 0", "0 1 0"), ("0 0 0.5", "0 -1 0"), *WRIST,
    ],
    "shoulder joints meet": [
        ("0 0 0.3", "0 0 1"), ("0 0 0", "0 1 0"), ("0 0.1 0.5", "0.6 0 0.8"),
        ("0.1 0 0.4", "1 0 0"), ("0 0 0", "0 1 0"), ("0 0 0", "0.6 0 0.8"),
    ],
    "three parallel": [
        ("0 0 0.1", "0 0 1"), ("0 0.1 0", "0 1 0"), ("0 0 0.6", "0 -1 0"),
        ("0 0.02 0.5", "0 1 0"), ("0 0.1 0", "0 0 -1"), ("0 0 0.1", "0.6 0.8 0"),
    ],
}  # fmt: skip


def _distances(space, positions):
    return space.distances(positions[:, None], positions[None]) + 9 * np.eye(len(positions))


@pytest.mark.parametrize("name", [name for name in peer_names() if name != "riemannian"])
def test_solutions_are_true(name):
    for case in (PANDA, UR10):
        solvers, absent = available_peers([name], case, 5, 1)
        if absent:
            assert name in ("analytic", "eaik") and case is PANDA, absent
        targets = random_reachable_poses(case.chain, 2 if name == "slsqp" else 6, 3)
        figures, results = run_interleaved(case, solvers, targets, 1)
        for one, result in zip(figures, results, strict=True):
            assert one.violations.total == 0, one.solver
            # TRAC-IK's deadline is by the clock: a busy machine may leave it few solutions.
            assert one.solved == 1.0 or "TRAC-IK" in one.solver
            assert one.poses == len(result) == len(targets)
            assert one.ratio.low <= one.ratio.median <= one.ratio.high


def test_all_eight_branches_of_the_ur10():
    q = np.array([0.4, -1.1, 1.3, -0.7, 0.9, 0.5])
    target = UR10.chain.forward(q)
    solver = Analytic(UR10.chain)
    found = solver.solve(target)
    assert found.shape == (8, 6)
    reached = Oracle.of(UR10).forward(found)
    assert np.abs(reached - target).max() < 1e-9
    space = JointSpace.of(UR10.chain)
    assert _distances(space, found).min() > 0.1
    assert space.distances(found, q).min() < 1e-9
    # Shoulder left and right, wrist up and down, elbow up and down: two values, each four times.
    for joint, digits in ((0, 6), (4, 6)):
        signs = found[:, joint] if joint else np.cos(found[:, 0] - q[0])
        values = np.unique(np.sign(np.round(signs - signs.mean(), digits)), return_counts=True)[1]
        assert values.tolist() == [4, 4]


@pytest.mark.parametrize("family", FAMILIES)
def test_closed_form_has_every_branch(family):
    ssik = pytest.importorskip("ssik")
    case = _arm(FAMILIES[family])
    chain, solver = case.chain, Analytic(case.chain)
    space, checker = JointSpace.of(chain), checker_of(solver, case, Oracle.of(case))
    other = ssik.Manipulator.from_transforms(
        np.concatenate([chain.joint_origins, chain.tip_in_last_joint[None]]),
        chain.joint_axes,
        limits=np.stack([chain.lower, chain.upper], axis=1),
    )
    for q in random_configurations(chain, 10, 4):
        target = chain.forward(q)
        found = solver.solve(target)
        assert checker.violations(target, found).total == 0
        assert space.distances(found, q).min() < 1e-6
        theirs = np.array([one.q for one in other.solve(target)])
        assert len(theirs) == len(found)
        assert max(space.distances(found, one).min() for one in theirs) < 1e-5


def test_closed_form_of_an_unreachable_pose_is_empty():
    target = UR10.chain.forward(np.zeros(6))
    target[0, 3] += 5.0
    assert Analytic(UR10.chain).solve(target).shape == (0, 6)


def test_closed_form_makes_up_for_rounded_angles(tmp_path):
    file = tmp_path / "rounded.urdf"
    file.write_text(COMPI.urdf.replace("1.5707963267948966", "1.570796"))
    case = replace(COMPI, urdf_path=file)
    solver = Analytic(case.chain)
    checker = checker_of(solver, case, Oracle.of(case))
    for q in random_configurations(case.chain, 5, 2):
        target = case.chain.forward(q)
        found = solver.solve(target)
        assert len(found) == 8 and checker.violations(target, found).total == 0


def test_what_is_not_taken_is_said():
    mimic = replace(PANDA, tip_link="panda_rightfinger")
    solvers, absent = available_peers(["ssik", "analytic", "riemannian"], SLIDE)
    assert not solvers and all("prismatic" in why for why in absent.values())
    with pytest.raises(UnsupportedChainError, match="6 joints, not 7"):
        peer("analytic", PANDA)
    with pytest.raises(UnsupportedChainError, match="mimic"):
        peer("trac-ik", mimic)


def test_arms_that_ssik_sweeps_are_refused():
    pytest.importorskip("ssik")
    fetch = [
        ("0.12 0 0.35", "0 0 1"), ("0.117 0 0.06", "0 1 0"), ("0.219 0 0", "1 0 0"),
        ("0.133 0 0", "0 1 0"), ("0.197 0 0", "1 0 0"), ("0.1245 0 0", "0 1 0"),
        ("0.1385 0 0", "1 0 0"),
    ]  # fmt: skip
    with pytest.raises(UnsupportedChainError, match="seconds a pose"):
        peer("ssik", _arm(fetch))


@pytest.mark.parametrize("name, module", [("ssik", "ssik"), ("riemannian", "pymanopt.optimizers")])
def test_missing_libraries_are_named(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=f"peer '{name}' needs .*pip install"):
        peer(name, UR10)
    assert name in available_peers([name], UR10)[1]


@pytest.mark.parametrize("case", [PANDA, UR10], ids=lambda case: case.robot)
def test_points_and_configurations_are_the_same_thing(case):
    graph, rng = DistanceGraph(case.chain), np.random.default_rng(1)
    for q in random_configurations(case.chain, 5, 2):
        target, points = case.chain.forward(q), graph.points(q)
        gaps = points[graph.edges[:, 0]] - points[graph.edges[:, 1]]
        assert np.allclose((gaps**2).sum(axis=1), graph.squared_distances(target), atol=1e-12)
        # Distances know neither place nor turn nor mirror.
        turned = points @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + rng.normal(size=3)
        back = graph.configuration(turned, target)
        assert np.abs(np.sin((back - q) / 2)).max() < 1e-12


def test_riemannian_solver():
    pytest.importorskip("pymanopt")
    solver = Riemannian(UR10.chain, starts=6)
    checker = checker_of(solver, UR10, Oracle.of(UR10))
    found = [(t, solver.solve(t)) for t in random_reachable_poses(UR10.chain, 3, 3)]
    assert sum(len(positions) for _, positions in found) >= 2
    assert all(checker.violations(target, positions).total == 0 for target, positions in found)


def test_riemannian_derivatives():
    pymanopt = pytest.importorskip("pymanopt")
    solver = Riemannian(UR10.chain)
    target = UR10.chain.forward(np.full(6, 0.4))
    problem = solver._problem(solver._graph.squared_distances(target) / solver._scale**2)
    point = solver._graph.points(np.full(6, 0.7)) / solver._scale
    change = np.random.default_rng(1).normal(size=point.shape)
    step = 1e-6
    ahead, behind = point + step * change, point - step * change
    slope = (problem.cost(ahead) - problem.cost(behind)) / (2 * step)
    assert (problem.euclidean_gradient(point) * change).sum() == pytest.approx(slope, rel=1e-6)
    bend = (problem.euclidean_gradient(ahead) - problem.euclidean_gradient(behind)) / (2 * step)
    assert np.allclose(problem.euclidean_hessian(point, change), bend, atol=1e-6)
    manifold = pymanopt.manifolds.PSDFixedRank(*point.shape)
    ours = solver._manifold.projection(point, change)
    assert np.allclose(ours, manifold.projection(point, change), atol=1e-9)
    assert problem.cost(solver._graph.points(np.full(6, 0.4)) / solver._scale) < 1e-24
