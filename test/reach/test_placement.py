"""Base placement: optima that are known by construction, and what is returned is true."""

import math

import numpy as np
import pytest
from robots import NONE, Z, pose_gap, urdf

from generative_ik_ros import IKSolver, KinematicChain, ReachabilityMap, Scene, TaskSpaceRegion
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnknownNameError,
)
from generative_ik_ros.reach.base_rating import scene_about_base
from generative_ik_ros.reach.base_search import upright
from generative_ik_ros.reach.placement import place_base
from generative_ik_ros.robot.rigid import inverse, turn

STEP, YAW_STEP = 0.1, math.pi / 8.0


@pytest.fixture(scope="module")
def arm():
    """A planar arm of 1.8 m that turns by 155 degrees to either side."""
    joints = [
        ("revolute", NONE, NONE, Z, (-2.7, 2.7), ""),
        ("revolute", (1.0, 0, 0), NONE, Z, (-2.5, 2.5), ""),
        ("revolute", (0.5, 0, 0), NONE, Z, (-2.5, 2.5), ""),
        ("fixed", (0.3, 0, 0), NONE, Z, None, ""),
    ]
    return KinematicChain.from_urdf(urdf(joints))


def place(x, y, z, yaw):
    return upright(np.array([[x, y, z, yaw]]))[0]


def yaw_of(base):
    return math.atan2(base[1, 0], base[0, 0])


def turned(angle, other):
    return abs(math.remainder(angle - other, 2.0 * math.pi))


def all_reached(chain, base, tasks):
    return bool(IKSolver(chain).solve(inverse(base) @ tasks, 1).counts.all())


def assert_true(found, chain, tasks, mount=None):
    """Check each configuration by forward kinematics, and that nothing else is claimed."""
    frames = found.bases if mount is None else found.bases @ mount
    for base, reached, positions in zip(frames, found.reached, found.positions, strict=True):
        assert np.isfinite(positions).all(axis=1).tolist() == reached.tolist()
        gaps = pose_gap(base @ chain.forward(positions[reached]), tasks[reached])
        assert np.max(gaps, initial=0.0) < 2e-5
        assert (positions[reached] >= chain.lower - 1e-9).all()
        assert (positions[reached] <= chain.upper + 1e-9).all()


HIDDEN = [(0.33, -0.47, 0.6), (-0.71, 0.18, -2.4)]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_only_base_that_reaches_ten_tasks_is_found_within_the_grid(arm, hidden):
    x, y, yaw = hidden
    ways = np.linspace(-2.65, 2.65, 10)
    # Nearly stretched in all directions, to both ends of the first joint; what it cannot turn to
    # fits between no two neighbours.
    stretched = np.column_stack([ways, np.full(10, 0.2), np.full(10, -0.1)])
    tasks = place(x, y, 0.0, yaw) @ arm.forward(stretched)
    # No base at the distance of the grid's step, or turned by its angle, reaches all of them.
    for angle in np.arange(8) * math.pi / 4.0:
        moved = x + STEP * math.cos(angle), y + STEP * math.sin(angle)
        assert not all_reached(arm, place(*moved, 0.0, yaw), tasks)
    for other in (yaw - YAW_STEP, yaw + YAW_STEP):
        assert not all_reached(arm, place(x, y, 0.0, other), tasks)

    found = place_base(arm, tasks, step=STEP, yaw_step=YAW_STEP, num_bases=1)
    assert found.reached[0].all() and found.share[0] == 1.0
    assert np.linalg.norm(found.bases[0][:2, 3] - (x, y)) < STEP
    assert turned(yaw_of(found.bases[0]), yaw) < YAW_STEP
    assert found.bases[0][2, 3] == 0.0
    assert_true(found, arm, tasks)


@pytest.fixture(scope="module")
def stretched(panda):
    """Ten poses of the Panda, as far away as can be: all around, up and down too, (10, 4, 4)."""
    rng = np.random.default_rng(5)
    q = rng.uniform(panda.lower, panda.upper, (40_000, 7))
    q[:, 3] = rng.uniform(-0.3, -0.07, len(q))
    tips = panda.forward(q)
    away = tips[:, :3, 3] - panda.joint_origins[0, :3, 3]
    far = np.linalg.norm(away, axis=1)
    rows = []
    for number, height in enumerate(np.tile([-0.35, 0.6], 5)):
        way = np.array([math.cos(0.6 * number), math.sin(0.6 * number), height])
        near = away @ (way / np.linalg.norm(way)) > 0.98 * far
        rows.append(np.argmax(np.where(near, far, 0.0)))
    return tips[rows]


def test_the_height_of_a_table_is_found(panda, stretched):
    hidden = place(0.12, -0.07, 0.73, 0.4)
    tasks = hidden @ stretched
    for lift in (-0.1, 0.1):
        assert not all_reached(panda, place(0.12, -0.07, 0.73 + lift, 0.4), tasks)
    bounds = (0.12, -0.07, 0.5), (0.12, -0.07, 1.0)
    found = place_base(panda, tasks, bounds=bounds, step=STEP, yaw_step=1.6, num_bases=1)
    assert found.reached[0].all()
    assert abs(found.bases[0][2, 3] - 0.73) < STEP and len(found.cells) == 6
    assert_true(found, panda, tasks)


@pytest.fixture(scope="module")
def ring():
    """Four places on a circle of 1.2 m about (2, 1), the tip free to turn, (4, 4, 4)."""
    ways = np.arange(4) * math.pi / 2.0
    return upright(
        np.column_stack([2 + 1.2 * np.cos(ways), 1 + 1.2 * np.sin(ways), np.zeros((4, 2))])
    )


def test_the_best_base_among_tasks_on_a_circle_is_its_centre(ring):
    # Alike in all directions, the arm is best placed for the worst of four tasks in the middle.
    joints = [
        ("continuous", NONE, NONE, Z, None, ""),
        ("revolute", (1.0, 0, 0), NONE, Z, (-2.6, 2.6), ""),
        ("fixed", (1.0, 0, 0), NONE, Z, None, ""),
    ]
    arm = KinematicChain.from_urdf(urdf(joints))
    found = place_base(
        arm, ring, region=TaskSpaceRegion.position_only(), objective="limit_margin", step=0.15,
        yaw_step=7.0, bounds=((1.43, 0.62, 0), (2.6, 1.5, 0)), num_bases=2,
    )  # fmt: skip
    assert np.linalg.norm(found.bases[0][:2, 3] - (2, 1)) < 0.15
    assert found.scores[0] == pytest.approx(found.task_scores[0].min())
    # Two links of 1 m that reach 1.2 m: by the cosine law, and of a range of 5.2 rad.
    elbow = math.pi - math.acos(1.0 - 1.2**2 / 2.0)
    assert found.scores[0] == pytest.approx((2.6 - elbow) / 5.2, abs=0.01)
    assert found.scores[0] >= found.scores[-1]


def test_another_robot_s_base_is_avoided(panda, stretched):
    from generative_ik_ros import CollisionModel
    from generative_ik_ros.robot.known import robot_urdf_path

    urdf_file = robot_urdf_path("panda")
    model = CollisionModel.from_urdf(urdf_file, srdf=urdf_file.with_suffix(".srdf"))
    task = place(0.5, 0.0, 0.4, 0.0) @ np.diag([1.0, -1.0, -1.0, 1.0])
    options = {"bounds": ((-0.2, -0.2, 0), (0.2, 0.2, 0)), "step": 0.2, "yaw_step": 7.0,
               "num_bases": 1, "collision": model}  # fmt: skip
    free = place_base(panda, task, **options)
    at = free.bases[0][:3, 3]
    other = Scene(cylinders={"other": (0.12, 0.6, (at[0], at[1], 0.3))})
    among = place_base(panda, task, scene=other, **options)
    assert among.reached.all()
    for base in among.bases:
        # The links about the base are wider than 5 cm in every direction.
        assert np.linalg.norm(base[:2, 3] - at[:2]) > 0.17
    assert_true(among, panda, task[None])
    solver = IKSolver(panda, collision=model)
    for base, positions in zip(among.bases, among.positions, strict=True):
        x, y, z = (inverse(base) @ (*at[:2], 0.3, 1.0))[:3]
        assert not solver.collides(positions[0], scene=Scene(cylinders=[(0.12, 0.6, (x, y, z))]))


def test_a_scene_in_the_world_is_seen_from_the_base(panda, rng):
    from generative_ik_ros import CollisionModel
    from generative_ik_ros.robot.known import robot_urdf_path

    solver = IKSolver(panda, collision=CollisionModel.from_urdf(robot_urdf_path("panda")))
    base, ball = place(0.3, -0.8, 0.2, 1.1), np.array([0.9, -0.6, 0.6])
    points = ball + (0.0, 0.0, 0.4) + rng.uniform(-0.1, 0.1, (50, 3))
    seen = scene_about_base(Scene(spheres=[(0.1, ball)], points=points), base, "panda_link0")
    other = inverse(base)
    there = other[:3, :3] @ ball + other[:3, 3]
    by_hand = Scene(spheres=[(0.1, there)], points=points @ other[:3, :3].T + other[:3, 3])
    q = rng.uniform(panda.lower, panda.upper, (20, 7))
    assert np.allclose(solver.clearance(q, scene=seen), solver.clearance(q, scene=by_hand))
    # What stands in the frame of a link moves with the robot.
    mounted = Scene(spheres=[(0.1, (0.5, 0.0, 0.6))], frame="panda_link0")
    same = scene_about_base(mounted, base, "panda_link0")
    assert np.allclose(solver.clearance(q, scene=same), solver.clearance(q, scene=mounted))

    task = place(0.5, 0.0, 0.4, 0.0) @ np.diag([1.0, -1.0, -1.0, 1.0])
    options = {"collision": CollisionModel.from_urdf(robot_urdf_path("panda")),
               "objective": "clearance", "candidates": np.eye(4)}  # fmt: skip
    near = place_base(panda, task, scene=Scene(spheres=[(0.1, (0.5, 0.25, 0.45))]), **options)
    far = place_base(panda, task, scene=Scene(spheres=[(0.1, (0.5, 1.5, 0.45))]), **options)
    assert far.scores[0] > near.scores[0] > 0.0


def test_candidates_are_ranked_and_stay_where_they_are(panda):
    task = place(0.5, 0.0, 0.4, 0.0) @ np.diag([1.0, -1.0, -1.0, 1.0])
    far, good, near = place(3.0, 0, 0, 0), place(0, 0, 0, 0), place(0.1, 0, 0.1, 0)
    tilted = good @ turn(np.array([1.0, 0.0, 0.0]), np.array(0.3))
    found = place_base(panda, task, candidates=[far, near, good, tilted], num_bases=4)
    assert np.array_equal(found.bases[-1], far) and not found.reached[-1].any()
    assert np.isnan(found.scores[-1]) and found.share[-1] == 0.0
    scores = found.scores[np.isfinite(found.scores)]
    assert len(scores) == 3 and (np.diff(scores) <= 0.0).all()
    assert_true(found, panda, task[None])


def test_an_arm_on_a_vehicle_places_the_vehicle(arm):
    mount = place(0.3, 0.0, 0.5, 0.0)
    task = place(2.0, 0.0, 0.5, 0.0)
    found = place_base(
        arm, task, mount=mount, num_bases=1, bounds=((0.3, -0.3, 0), (0.9, 0.3, 0)), yaw_step=2.1
    )
    assert found.reached.all() and (found.bases[:, 2, 3] == 0.0).all()
    assert_true(found, arm, task[None], mount)


@pytest.mark.parametrize("objective", ["limit_margin", "num_solutions"])
def test_objectives_rank_and_the_same_call_gives_the_same(arm, objective):
    tasks = np.stack([place(1.2, 0.1, 0.0, 0.5), place(1.0, -0.6, 0.0, -1.0)])
    options = {"objective": objective, "bounds": ((-0.3, -0.3, 0), (0.3, 0.3, 0)), "num_bases": 2}
    found = place_base(arm, tasks, mean=True, **options)
    again = place_base(arm, tasks, mean=True, **options)
    assert found.objective == objective and found.reached.all()
    assert np.allclose(found.scores, found.task_scores.mean(axis=1))
    assert np.array_equal(found.bases, again.bases)
    assert np.array_equal(found.positions, again.positions)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"step": 0.0}, InvalidArgumentError, "step"),
        ({"step": math.inf}, InvalidArgumentError, "finite"),
        ({"bounds": [[0, 0, 0]]}, InvalidArgumentError, "bounds must be"),
        ({"bounds": [[1, 0, 0], [0, 0, 0]]}, InvalidArgumentError, "bounds must be"),
        ({"step": 1e-5}, InvalidArgumentError, "too many"),
        ({"yaw_step": 5e-324}, InvalidArgumentError, "inf bases are too many"),
        ({"objective": "beauty"}, UnknownNameError, "manipulability"),
        ({"objective": "clearance"}, InvalidArgumentError, "collision="),
        ({"scene": Scene()}, InvalidArgumentError, "collision="),
        ({"num_bases": 0}, InvalidArgumentError, "num_bases"),
        ({"candidates": np.zeros((0, 4, 4))}, InvalidArgumentError, "candidates"),
        ({"candidates": np.eye(3)}, InvalidTargetError, "4"),
        ({"candidates": np.eye(4), "bounds": np.zeros((2, 3))}, InvalidArgumentError, "not both"),
    ],
)
def test_misuse_says_what_is_wrong(arm, options, error, says):
    with pytest.raises(error, match=says):
        place_base(arm, place(1.0, 0.0, 0.0, 0.0), **options)


def test_tasks_too_far_apart_for_any_base(arm):
    tasks = np.stack([place(0.0, 0.0, 0.0, 0.0), place(9.0, 0.0, 0.0, 0.0)])
    with pytest.raises(InvalidArgumentError, match="further apart"):
        place_base(arm, tasks)
    found = place_base(arm, tasks, bounds=((0, -1, 0), (1, 1, 0)), step=0.5, num_bases=1)
    assert found.share[0] == 0.5 and np.isnan(found.scores[0])
    with pytest.raises(InvalidArgumentError, match="no poses"):
        place_base(arm, np.zeros((0, 4, 4)))


def test_of_bases_that_miss_tasks_those_that_reach_more_come_first(arm):
    tasks = np.stack([place(1.0, 0.3, 0.0, 0.0), place(1.0, -0.3, 0.0, 0.0), place(3.9, 0, 0, 0)])
    one_and_two_narrowly, two = place(2.785, 0.0, 0.0, 3.1), place(0.0, 0.0, 0.0, 0.0)
    found = place_base(
        arm, tasks, candidates=np.stack([one_and_two_narrowly, two]),
        region=TaskSpaceRegion.free_axis("z"),
    )  # fmt: skip
    assert found.reached.sum(axis=1).tolist() == [2, 1]
    np.testing.assert_allclose(found.bases[0], two)
    assert np.isfinite(found.task_scores).sum(axis=1).tolist() == [2, 1]
    assert np.isnan(found.scores).all()


def test_scores_are_not_computed_where_tasks_are_missed(arm, monkeypatch):
    tasks = np.stack([place(0.0, 0.0, 0.0, 0.0), place(9.0, 0.0, 0.0, 0.0)])
    solve, scored = IKSolver.solve, []

    def counted(self, targets, *args, **options):
        scored.append(len(targets) if options.get("optimize") else 0)
        return solve(self, targets, *args, **options)

    monkeypatch.setattr(IKSolver, "solve", counted)
    found = place_base(arm, tasks, bounds=((0, -1, 0), (1, 1, 0)), step=0.5, num_bases=2)
    # Those of what is returned, where it is not far out of reach.
    assert sum(scored) == len(found.bases)


@pytest.mark.parametrize(
    ("region", "with_map"),
    [(None, False), (None, True), (TaskSpaceRegion.free_axis("z"), False)],
)
def test_what_is_far_out_of_reach_is_not_solved_for(arm, monkeypatch, region, with_map):
    """Of a wide floor, and of tasks far from it, only what may be reached costs time."""
    tasks = np.stack([place(0.0, 0.0, 0.0, 0.0), place(0.5, 0.5, 0.0, 0.0)])
    map = ReachabilityMap.compute(arm, 0.5, 32, random_seed=0) if with_map else None
    options = {"step": 0.5, "num_bases": 2, "yaw_step": 1.0, "region": region, "map": map}
    near = place_base(arm, tasks, bounds=((-3, -3, 0), (3, 3, 0)), **options)
    solve, solved = IKSolver.solve, []

    def noted(self, targets, *args, **options):
        solved.extend(np.linalg.norm(np.asarray(targets)[:, :3, 3], axis=1))
        return solve(self, targets, *args, **options)

    monkeypatch.setattr(IKSolver, "solve", noted)
    wide = place_base(arm, tasks, bounds=((-30, -3, 0), (30, 3, 0)), **options)
    np.testing.assert_allclose(wide.bases, near.bases)
    np.testing.assert_allclose(wide.scores, near.scores)
    assert 0.0 < max(solved) < arm.reach + 0.5 * arm.size
    solved.clear()
    away = place_base(arm, tasks, bounds=((97, -3, 0), (103, 3, 0)), **options)
    assert not solved and not away.reached.any()
    # Which is nearest is known all the same.
    assert (away.bases[:, 0, 3] == 97.0).all()


def test_progress_goes_on_to_the_end(arm):
    calls = []
    place_base(arm, place(1.0, 0.0, 0.0, 0.0), step=0.5, on_progress=lambda *of: calls.append(of))
    done, total = zip(*calls, strict=True)
    assert len(set(total)) == 1 and list(done) == sorted(set(done)) and done[-1] == total[-1]
    assert total[0] // 2 in done


def test_an_interrupt_ends_the_search(arm):
    def interrupt(done, total):
        assert 0 < done <= total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place_base(arm, place(1.0, 0.0, 0.0, 0.0), step=0.5, on_progress=interrupt)
