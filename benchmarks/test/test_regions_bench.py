"""Regions in numpy: what is inside, what is drawn from them, and all solutions of one."""

import numpy as np
import pytest
from arms import in_plane, planar_with_wrist
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.metrics.space import JointSpace
from generative_ik_benchmarks.reference.region_sets import RegionSettings, region_set, region_sets
from generative_ik_benchmarks.region_specs import REGIONS, RegionChecker, RegionSpec
from generative_ik_ros import IKSolver


def moved(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose[None]


@pytest.mark.parametrize("name", REGIONS)
def test_what_is_drawn_is_inside(name, rng):
    spec = REGIONS[name]
    poses = spec.draw(rng.random((200, 6)), 2.0)
    distance, angle = spec.excess(poses)
    assert distance.max() < 1e-12 and angle.max() < 1e-7
    assert not spec.beyond(poses, 1e-7).any()
    assert len(np.unique(poses.reshape(200, -1).round(6), axis=0)) == 200


@pytest.mark.parametrize("name", REGIONS)
def test_what_is_drawn_fills_it(name, rng):
    """Each bound that is finite is nearly reached, and nothing is beyond it."""
    spec = REGIONS[name]
    poses = spec.draw(rng.random((4000, 6)), 2.0)
    width = np.where(np.isfinite(spec.box[1, :3]), spec.box[1, :3], 2.0)
    assert np.allclose(np.abs(poses[:, :3, 3]).max(axis=0), width, atol=0.01 * width.max() + 1e-12)
    tilt = np.arccos(np.clip(poses[:, 2, 2], -1, 1)).max()
    most = {"free x": np.pi, "free y": np.pi, "position only": np.pi, "box": np.arccos(
        np.cos(0.2) ** 2), "cone 20 deg": np.radians(20.0)}  # fmt: skip
    assert tilt == pytest.approx(most.get(name, 0.0), abs=0.05)


def test_the_smallest_rotation_is_found(rng):
    """Beside the nearest of many rotations of the region."""
    box = REGIONS["box"]
    inside = box.draw(rng.random((20_000, 6)), 1.0)[:, :3, :3]
    for rotation in Rotation.random(2, random_state=1).as_matrix():
        pose = np.eye(4)
        pose[:3, :3] = rotation
        angle = box.excess(pose[None])[1][0]
        nearest = np.arccos((np.einsum("kij,ij->k", inside, rotation).max() - 1.0) / 2.0)
        assert angle <= nearest + 1e-6 and angle > nearest - 0.05


@pytest.mark.parametrize("name", REGIONS)
def test_the_package_has_the_same_regions(name):
    region, spec = REGIONS[name].region, REGIONS[name]
    assert region is spec.region  # one for all calls
    if spec.cone is None:
        assert np.array_equal([region.lower, region.upper], spec.box)
    else:
        assert (region.cone_axis, region.half_angle) == spec.cone


@pytest.fixture
def yaw_is_free():
    return RegionSpec("yaw", np.array([[0.0] * 5 + [-np.pi], [0.0] * 5 + [np.pi]]))


def test_all_solutions_of_a_region_are_found(yaw_is_free):
    """The wrist goes round the target, elbow up or elbow down: two closed curves."""
    chain = planar_with_wrist(1.0, 0.5, 0.2)
    solver, target = IKSolver(chain), in_plane(1.0, 0.0, 0.0)
    settings = RegionSettings(first_poses=64, max_poses=1024, solutions=4)
    found = region_set(solver, yaw_is_free, target, settings, 0.3)
    assert found.saturated and len(np.unique(found.labels)) == 2
    elbow = np.sign(found.positions[:, 1])
    for side in (-1, 1):
        assert len(np.unique(found.labels[elbow == side])) == 1
    tips = chain.forward(found.positions)
    assert np.allclose(tips[:, :3, 3], [1.0, 0.0, 0.0], atol=1e-4)
    space = JointSpace.of(chain)
    assert found.sets_reached(space, found.positions[:1]) == 0.5
    assert found.sets_reached(space, found.positions) == 1.0
    again = region_set(solver, yaw_is_free, target, settings, 0.3)
    assert np.array_equal(again.positions, found.positions)
    few = RegionSettings((1e-3, 0.5), first_poses=32, max_poses=128, max_size=60, solutions=4)
    finest = region_sets(solver, yaw_is_free, target[None], few)
    assert finest[0].spacing == 0.5  # at the finer one there is no end of it


def test_tips_outside_are_found(panda, rng):
    pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
    from generative_ik_benchmarks.chains import known_cases
    from generative_ik_benchmarks.oracle import Oracle

    case, spec = known_cases(["panda"])[0], REGIONS["band"]
    oracle = Oracle.of(case)
    checker = RegionChecker(oracle, case.chain, 1e-5, 1e-5, spec=spec)
    q = rng.uniform(panda.lower, panda.upper)[None]
    tip = oracle.forward(q)[0]
    for shift, outside in ((0.05, 0), (0.1 + 1e-6, 1), (0.11, 1)):
        target = tip @ moved(0, 0, shift)[0]
        assert checker.outside(target, q) == outside
        assert checker.violations(target, q).wrong == (shift > 0.105)


@pytest.mark.slow
def test_the_protocol_runs(evaluate):
    pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
    words = ["--robot", "panda", "--region", "free z", "--region", "cone 20 deg", "--quick"]
    code, report, _ = evaluate("regions", *words)
    (table,) = report["tables"]
    assert code == 0
    assert [row["region"] for row in table["rows"]] == ["free z", "cone 20 deg"]
    for row in table["rows"]:
        assert row["solved"] == 1.0 and row["outside"] == 0 and row["found"] > 50
        assert 0.5 < row["coverage"] <= row["whole_coverage"] <= 1.0
        assert row["coverage"] - 0.05 <= row["twice_coverage"] <= 1.0
        assert 0.0 < row["drawn_coverage"] <= row["best_coverage"] <= 1.0
        assert row["over_pose"]["median"] > 0.0
