"""Task space regions: every tip inside its bounds, by an independent measurement."""

import numpy as np
import pytest
from region_truth import assert_inside, outside
from robots import NONE, urdf
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from generative_ik_ros import (
    IKSolver,
    KinematicChain,
    SolveStatus,
    TaskSpaceRegion,
    load_robot,
    pose_matrix,
)
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.region import check_regions
from generative_ik_ros.search.near import steps_problem

REGIONS = {
    "exact": TaskSpaceRegion.exact(),
    "free x": TaskSpaceRegion.free_axis("x"),
    "free y": TaskSpaceRegion.free_axis("y"),
    "free z": TaskSpaceRegion.free_axis("z"),
    "cone": TaskSpaceRegion.cone("z", 0.4),
    "wide cone": TaskSpaceRegion.cone("x", 2.0, (-0.1, 0, 0), (0.1, 0, 0)),
    "position": TaskSpaceRegion.position_only(),
    "orientation": TaskSpaceRegion.orientation_only(),
    "plane": TaskSpaceRegion.plane("y"),
    "band": TaskSpaceRegion([0, 0, -0.2, 0, 0, 0], [0, 0, 0.1, 0, 0, 0]),
    "box": TaskSpaceRegion([-0.1, 0, 0, -0.3, -0.2, -1], [0.1, 0.05, 0, 0.3, 0.4, 0.5]),
    "roll and yaw": TaskSpaceRegion([0, 0, 0, -0.5, 0, -2], [0, 0, 0, 0.5, 0, 2]),
    "turned": TaskSpaceRegion([0, 0, 0, 0.3, -0.4, 3.0], [0, 0, 0, 0.3, -0.4, 3.4]),
    "steep": TaskSpaceRegion([0, 0, 0, 0, 1.2, -0.1], [0, 0, 0, 0, 2.0, 0.1]),
}
each_region = pytest.mark.parametrize("region", REGIONS.values(), ids=REGIONS.keys())


@pytest.fixture(scope="module", params=["panda", "ur10"])
def arm(request):
    return load_robot(request.param)


def displaced(region, rng):
    """Return a pose somewhere inside a region, in the target's frame."""
    lower, upper = np.clip(region.lower, -0.2, None), np.clip(region.upper, None, 0.2)
    lower[3:], upper[3:] = region.lower[3:].clip(-np.pi), region.upper[3:].clip(None, np.pi + 1)
    numbers = rng.uniform(lower, upper)
    if region.cone_axis is not None:
        axis = np.eye(3)["xyz".index(region.cone_axis)]
        side = np.cross(axis, rng.normal(size=3))
        tilt = Rotation.from_rotvec(
            rng.uniform(0, region.half_angle) * side / np.linalg.norm(side)
        )
        turn = tilt * Rotation.from_rotvec(rng.uniform(-np.pi, np.pi) * axis)
    else:
        turn = Rotation.from_euler("xyz", numbers[3:])
    return pose_matrix(numbers[:3], turn.as_quat())


@each_region
def test_every_tip_is_inside(arm, region):
    rng = np.random.default_rng(0)
    q = rng.uniform(arm.lower, arm.upper, (40, arm.num_joints)) * 0.5
    inside = np.array([displaced(region, rng) for _ in q])
    targets = arm.forward(q) @ np.linalg.inv(inside)
    found = IKSolver(arm).solve(targets, 10, region=region)
    assert SolveStatus.NO_SOLUTION not in found.status
    known = ~np.isnan(found.positions[..., 0])
    q = found.positions[known]
    assert_inside(region, targets[np.nonzero(known)[0]], arm.forward(q))
    assert (q >= arm.lower).all() and (q <= arm.upper).all()


@pytest.mark.parametrize("axes", ["xy", "xyz", "RP", "RY", "RPY", "xyzRPY"])
@pytest.mark.parametrize("pitch", [0.2, 1.3])
def test_the_corner_of_one_sided_bounds_is_reached(axes, pitch):
    """Joints that move each coordinate alone, and end where the bounds begin."""
    corner = np.array([0.3, 0.2, -0.1, 0.4, pitch, -0.5])
    axis = {name: tuple(np.eye(3)[k % 3]) for k, name in enumerate("xyzRPY")}
    upper = np.where([name in axes for name in "xyzRPY"], corner, corner + 0.5)
    limits = {
        name: (low - 0.5, high) for name, low, high in zip("xyzRPY", corner, upper, strict=True)
    }
    gantry = KinematicChain.from_urdf(
        urdf(
            [
                ("prismatic" if name in "xyz" else "revolute", NONE, NONE, axis[name],
                 limits[name], "")
                for name in "xyzYPR"
            ]
        )
    )  # fmt: skip
    region = TaskSpaceRegion(corner, corner + 1.0)
    found = IKSolver(gantry).solve(np.eye(4), 1, region=region, random_seed=0)
    assert found.counts[0] == 1
    assert max(outside(region, np.eye(4), gantry.forward(found.positions[0, 0]))) <= 1e-12


def test_solutions_are_spread_over_the_region(arm):
    target = arm.forward((arm.lower.clip(-3) + arm.upper.clip(None, 3)) / 2 + 0.4)
    found = IKSolver(arm).solve(target, 200, region=TaskSpaceRegion.free_axis("z"))
    turned = np.linalg.inv(target) @ arm.forward(found.of(0))
    angle = np.arctan2(turned[:, 1, 0], turned[:, 0, 0])
    sectors = np.histogram(angle, 12, (-np.pi, np.pi))[0]
    assert found.counts[0] == 200 and (sectors > 0).sum() >= 8


def test_diverse_by_the_place_in_the_region(arm):
    target = arm.forward((arm.lower.clip(-3) + arm.upper.clip(None, 3)) / 2 + 0.4)
    solver, region = IKSolver(arm), TaskSpaceRegion([0, 0, -0.2, 0, 0, 0], [0, 0, 0.2, 0, 0, 0])
    widest = {}
    for order in ("diverse", "diverse_tip"):
        found = solver.solve(target, 12, region=region, order_by=order)
        assert found.counts[0] == 12
        z = (np.linalg.inv(target) @ arm.forward(found.of(0)))[:, 2, 3]
        widest[order] = np.diff(np.sort(z)).max()
        # Each is as far from those before it as any that follows is from them.
        if order == "diverse_tip":
            gaps = [np.abs(z[k:, None] - z[:k]).min(axis=1) for k in range(1, 12)]
            assert all(gap[0] >= gap.max() - 1e-6 for gap in gaps)
    assert widest["diverse_tip"] < widest["diverse"]
    with pytest.raises(InvalidArgumentError, match="needs a region"):
        solver.solve(target, 12, order_by="diverse_tip")


def near_members(arm, region, rng, count):
    """Return targets, configurations whose tips are inside, and seed states about these."""
    q = rng.uniform(arm.lower, arm.upper, (count, arm.num_joints)) * 0.5
    q = np.clip(q, arm.lower, arm.upper)
    targets = arm.forward(q) @ np.linalg.inv([displaced(region, rng) for _ in q])
    seeds = np.clip(q + rng.uniform(-0.1, 0.1, q.shape), arm.lower, arm.upper)
    return targets, q, seeds


@each_region
def test_the_first_solution_is_the_nearest_to_a_seed_state(arm, region):
    targets, q, seeds = near_members(arm, region, np.random.default_rng(1), 30)
    solver, weights = IKSolver(arm), np.linspace(0.5, 1.5, arm.num_joints)
    for wanted, weight in ((1, np.ones(arm.num_joints)), (1, weights), (4, weights)):
        found = solver.solve(
            targets, wanted, seed_state=seeds, joint_weights=weight, region=region
        )
        assert SolveStatus.NO_SOLUTION not in found.status
        first = found.positions[:, 0]
        away, turned = outside(region, targets, arm.forward(first))
        assert max(away.max(), turned.max()) <= 1.01e-5
        gaps, known = (np.linalg.norm(weight * (each - seeds), axis=1) for each in (first, q))
        assert (gaps <= known + 1e-6).all()
        distances = np.linalg.norm(weight * (found.positions - seeds[:, None]), axis=2)
        assert (np.diff(distances, axis=1)[~np.isnan(np.diff(distances, axis=1))] >= -1e-9).all()
        for t in range(3):
            alone = solver.solve(
                targets[t], wanted, seed_state=seeds[t], joint_weights=weight, region=region
            )
            np.testing.assert_array_equal(alone.positions[0], found.positions[t])


@pytest.mark.parametrize("name", ["band", "box", "roll and yaw", "turned", "steep"])
def test_no_other_minimiser_comes_nearer_to_a_seed_state(arm, name):
    region = REGIONS[name]
    targets, q, seeds = near_members(arm, region, np.random.default_rng(2), 6)
    found = IKSolver(arm).solve(targets, 1, seed_state=seeds, region=region).positions[:, 0]

    def gap(x, target):
        place = pose_matrix(x[-6:-3], Rotation.from_euler("xyz", x[-3:]).as_quat())
        tip, goal = arm.forward(x[:-6]), target @ place
        turn = Rotation.from_matrix(goal[:3, :3].T @ tip[:3, :3]).as_rotvec()
        return np.r_[tip[:3, 3] - goal[:3, 3], turn]

    for target, start, seed, ours in zip(targets, q, seeds, found, strict=True):
        bounds = [*zip(arm.lower, arm.upper, strict=True),
                  *zip(region.lower, region.upper, strict=True)]  # fmt: skip
        inside = np.linalg.inv(target) @ arm.forward(start)
        angles = Rotation.from_matrix(inside[:3, :3]).as_euler("xyz")
        other = minimize(
            lambda x, seed=seed: ((x[:-6] - seed) ** 2).sum(), np.r_[start, inside[:3, 3], angles],
            method="SLSQP", bounds=bounds, options={"ftol": 1e-12, "maxiter": 80},
            constraints={"type": "eq", "fun": gap, "args": (target,)},
        )  # fmt: skip
        if np.abs(gap(other.x, target)).max() < 1e-6:
            assert np.linalg.norm(ours - seed) <= np.linalg.norm(other.x[:-6] - seed) + 1e-4


def test_consistency_limits_hold_in_a_region(arm):
    # The configurations that are known to be inside are within them.
    region, limits = REGIONS["box"], np.full(arm.num_joints, 0.1)
    targets, _, seeds = near_members(arm, region, np.random.default_rng(3), 20)
    found = IKSolver(arm).solve(
        targets, 1, seed_state=seeds, consistency_limits=limits, region=region
    )
    assert (found.counts == 1).all()
    assert np.abs(found.positions[:, 0] - seeds).max() <= 0.1


def test_a_cone_of_all_directions_bounds_no_rotation(arm):
    target = arm.forward((arm.lower + arm.upper) / 2 + 0.4)
    for sampler in ("auto", "quasi_random"):
        found = IKSolver(arm, sampler).solve(target, 5, region=TaskSpaceRegion.cone("z", np.pi))
        assert found.counts[0] == 5
        tips = arm.forward(found.of(0))
        np.testing.assert_allclose(tips[:, :3, 3], target[None, :3, 3].repeat(5, 0), atol=1.01e-5)


def test_out_of_reach_says_how_far_from_the_region(arm):
    target = np.eye(4)
    target[:3, 3] = 0.0, 5.0, 0.5
    band = TaskSpaceRegion([-1, -1, -1, -9, -9, -9], [1, 1, 1, 9, 9, 9])
    found = IKSolver(arm).solve(target, 1, region=band)
    assert found.status == (SolveStatus.NO_SOLUTION,)
    away, _ = outside(band, target, arm.forward(found.best_effort[0]))
    assert 1.0 < away <= found.best_effort_position_error[0] <= 4.0


BAD = {
    "inverted": ([0.1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], "x are inverted"),
    "NaN": ([np.nan] * 6, [0] * 6, "NaN"),
    "shape": ([0] * 3, [0] * 6, r"must be \(6,\)"),
    "words": (["a"] * 6, [0] * 6, "lower"),
    "degrees": ([0] * 6, [0, 0, 0, 90, 0, 0], "degrees"),
    "nowhere": ([np.inf] * 6, [np.inf] * 6, "no tip"),
}


@pytest.mark.parametrize(("lower", "upper", "words"), BAD.values(), ids=BAD.keys())
def test_bad_bounds(lower, upper, words):
    with pytest.raises(InvalidArgumentError, match=words):
        TaskSpaceRegion(lower, upper)


@pytest.mark.parametrize("count", [1, 3])
def test_a_goal_set_out_of_reach_of_a_region(arm, count):
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 2, 3] = 5.0 + np.arange(count)
    region = TaskSpaceRegion([0, 0, -0.1, 0, 0, 0], [0, 0, 0.1, 0.3, 0.1, 0.4])
    for seed in (None, (arm.lower + arm.upper) / 2.0):
        found = IKSolver(arm).solve(poses, 4, seed, goal_set=True, region=region)
        assert found.status == (SolveStatus.NO_SOLUTION,)
        assert found.best_effort.shape == (1, arm.num_joints)


def test_bad_regions():
    arm = load_robot("panda")
    solver, target = IKSolver(arm), arm.forward((arm.lower + arm.upper) / 2)
    with pytest.raises(UnknownNameError, match="x, y, z"):
        TaskSpaceRegion.free_axis("w")
    with pytest.raises(InvalidArgumentError, match="half_angle"):
        TaskSpaceRegion.cone("x", -1.0)
    with pytest.raises(InvalidArgumentError, match="half_angle must be a number, not 'wide'"):
        TaskSpaceRegion.cone("x", "wide")
    with pytest.raises(InvalidArgumentError, match="TaskSpaceRegion"):
        solver.solve(target, region="free")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidArgumentError, match="2 regions for 1 tips"):
        solver.solve(target, region=[None, None])
    with pytest.raises(UnknownNameError, match="panda_hand|hand"):
        solver.solve(target, region={"elbow": TaskSpaceRegion.free_axis()})
    with pytest.raises(InvalidArgumentError, match="nothing to solve"):
        solver.solve(target, region=TaskSpaceRegion.free())
    cone = TaskSpaceRegion([-np.inf] * 6, [np.inf] * 6, cone_axis="z", half_angle=0.1)
    assert solver.solve(target, 2, region=cone).counts[0] == 2


def test_any_pose_of_a_goal_set(arm):
    rng = np.random.default_rng(3)
    grasps = arm.forward(rng.uniform(arm.lower, arm.upper, (12, arm.num_joints)) * 0.5)
    far = grasps.copy()
    far[:, :3, 3] += 9.0
    poses = np.concatenate([far, grasps[:4], far, grasps[4:]])
    for region in (None, TaskSpaceRegion.free_axis("x")):
        found = IKSolver(arm).solve(poses, 40, goal_set=True, region=region)
        assert found.counts.tolist() == [40] and found.status == (SolveStatus.SOLVED,)
        assert found.target_of is not None and found.target_of.shape == (1, 40)
        reached = poses[found.target_of[0]]
        tips = arm.forward(found.of(0))
        away, turned = outside(region or TaskSpaceRegion.exact(), reached, tips)
        assert max(away.max(), turned.max()) <= 1.01e-5
        assert len(set(found.target_of[0].tolist())) >= 6
    one = IKSolver(arm).solve(poses, 1, goal_set=True)
    assert one.counts[0] == 1 and one.target_of is not None and one.target_of[0, 0] >= 12


def test_goal_sets_near_a_seed_state_and_out_of_reach(arm):
    seed = (arm.lower + arm.upper) / 2 + 0.1
    poses = arm.forward(np.stack([seed + 0.5, seed + 0.01, seed - 0.8]))
    found = IKSolver(arm).solve(poses, 3, seed_state=seed, goal_set=True)
    assert found.target_of is not None and found.target_of[0, 0] == 1
    assert np.linalg.norm(found.of(0)[0] - seed) <= 0.0101 * np.sqrt(arm.num_joints)
    poses[:, :3, 3] += (5.0, 0.0, 0.0), (3.0, 0.0, 0.0), (9.0, 0.0, 0.0)
    none = IKSolver(arm).solve(poses, 3, goal_set=True)
    assert none.status == (SolveStatus.NO_SOLUTION,) and none.counts[0] == 0
    tip = arm.forward(none.best_effort[0])[:3, 3]
    gaps = np.linalg.norm(tip - poses[:, :3, 3], axis=1)
    assert gaps.argmin() == 1
    assert none.best_effort_position_error[0] == pytest.approx(gaps[1], abs=1e-9)
    assert none.target_of is not None and (none.target_of == -1).all()


def test_what_comes_nearer_goes_first_unless_the_caller_refuses_it(panda):
    region, seed = REGIONS["free z"], (panda.lower + panda.upper) / 2.0
    target, solver = panda.forward(seed + 0.2), IKSolver(panda)
    given = solver.solve(target, 4, region=region).of(0)
    given = given[np.argsort(np.linalg.norm(given - seed, axis=1))]
    core = steps_problem(solver._within(check_regions(region, panda.tip_links)))

    def come_nearer(keep):
        notes = np.array([[4, 1, 0, 0, 0]])
        rows = given[None].copy()
        answers = notes, rows, np.zeros((1, 4, 2))
        core.come_nearer(target[None], seed, np.ones(7), 0.05, 9.0, answers, keep)
        return rows[0, : notes[0, 0]]

    def refuse(rows, counts):
        assert rows.shape == (1, 7) and counts.tolist() == [True]
        counts[:] = False

    first, *others = come_nearer(None)
    assert np.linalg.norm(first - seed) < 0.9 * np.linalg.norm(given[0] - seed)
    apart = np.abs(given - first).max(axis=1) > 0.05
    assert np.array_equal(others, given[apart][:3])
    assert np.array_equal(come_nearer(refuse), given)
    with pytest.raises(ZeroDivisionError):
        come_nearer(lambda rows, counts: 1 / 0)
