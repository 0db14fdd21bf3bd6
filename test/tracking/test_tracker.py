"""What trackers do on courses whose answers are known."""

import pickle

import numpy as np
import pytest
from courses import configuration, errors, follow
from robots import NONE, Z, pose_gap, urdf
from two_arms import two_arms

import generative_ik_ros
from generative_ik_ros import (
    GenerativeIKError,
    IKSolver,
    KinematicChain,
    TaskSpaceRegion,
    TrackingStatus,
    load_robot,
)
from generative_ik_ros.select.preferences import SCORES

PERIOD = 0.001


def swing(chain, start, count=4000, width=0.25, rate=2.0):
    """A feasible course: (count, n) configurations that swing from a start at rest."""
    phase = rate * PERIOD * np.arange(count)[:, None] * (1.0 + 0.1 * np.arange(chain.num_joints))
    return start + 0.5 * width * (1.0 - np.cos(phase))


@pytest.mark.parametrize("name", ["panda", "iiwa", "ur10"])
def test_a_feasible_course_is_followed_within_the_tolerances(name):
    chain = load_robot(name)
    start = configuration(chain)
    targets = chain.forward(swing(chain, start))
    tracker = IKSolver(chain).track(start, PERIOD)
    steps = follow(tracker, targets, start)
    position, angle = errors(chain, steps, targets)
    assert position.max() <= 1e-8 and angle.max() <= 1e-8
    assert {step.status for step in steps} == {TrackingStatus.TRACKING}
    assert {step.reason for step in steps} == {""}
    claimed = np.array([step[4:] for step in steps])
    np.testing.assert_allclose(claimed, np.transpose([position, angle]), atol=1e-7)


def test_a_branch_is_kept_through_a_whole_course(ur10):
    start = configuration(ur10, 0.45)
    path = swing(ur10, start)
    steps = follow(IKSolver(ur10).track(start, PERIOD), ur10.forward(path), start)
    assert np.abs([step.positions for step in steps] - path).max() < 1e-3


def test_a_distant_target_is_reached_almost_straight_and_not_passed(ur10):
    start = np.array([0.3, -1.2, 1.6, -0.8, 1.3, 0.2])
    target = ur10.forward(start)
    target[:3, 3] += 0.2, -0.15, 0.1
    steps = follow(IKSolver(ur10).track(start, PERIOD), [target] * 4000, start)
    tips = ur10.forward(np.array([step.positions for step in steps]))[:, :3, 3]
    begin, end = ur10.forward(start)[:3, 3], target[:3, 3]
    way = (end - begin) / np.linalg.norm(end - begin)
    along = (tips - begin) @ way
    across = np.linalg.norm((tips - begin) - along[:, None] * way, axis=1)
    assert across.max() < 0.05 * np.linalg.norm(end - begin)
    assert along.max() <= np.linalg.norm(end - begin) + 1e-6
    assert {step.status for step in steps[:200]} == {TrackingStatus.LIMITED}
    away = np.array([step.position_error for step in steps])
    assert (np.diff(away) <= 1e-9).all() and away[-1] < 1e-9
    assert steps[-1].status == TrackingStatus.TRACKING
    assert np.abs(steps[-1].velocities).max() < 1e-9


@pytest.mark.parametrize("name", ["panda", "ur10"])
def test_out_of_reach_it_stands_still_and_comes_back(name):
    chain = load_robot(name)
    start = configuration(chain, 0.45)
    home, far = chain.forward(start), chain.forward(start)
    far[:3, 3] += 0.8
    steps = follow(IKSolver(chain).track(start, PERIOD), [far] * 8000 + [home] * 5000, start)
    held = steps[7999]
    assert held.status == TrackingStatus.HELD
    assert held.reason in ("unreachable", "joint_limits")
    # No configuration nearby is nearer, by the error that is minimised.
    rng, length = np.random.default_rng(0), chain.characteristic_length
    near = held.positions + rng.uniform(-0.05, 0.05, (300, chain.num_joints))
    near = np.clip(near, chain.lower, chain.upper)
    gaps = [pose_gap(chain.forward(q), far) for q in (held.positions[None], near)]
    here, others = ((p / length) ** 2 + (2.0 * np.sin(angle / 2.0)) ** 2 for p, angle in gaps)
    assert here[0] <= others.min() + 1e-4
    assert np.abs(held.velocities).max() < 0.05
    assert steps[-1].status == TrackingStatus.TRACKING


@pytest.mark.parametrize("period", [0.1, 0.02, 0.01, 0.001])
@pytest.mark.parametrize("tolerance", [1e-5, np.inf])
def test_out_of_reach_it_does_not_go_to_and_fro_in_any_period(period, tolerance):
    chain = load_robot("panda")
    start = configuration(chain, 0.45)
    far = chain.forward(start)
    far[:3, 3] *= 10.0
    solver = IKSolver(chain, orientation_tolerance=tolerance)
    tracker = solver.track(start, period, velocity_limits=3.0, acceleration_limits=30.0)
    steps = [tracker.step(far) for _ in range(int(6.0 / period) + 100)]
    assert (steps[-1].status, steps[-1].reason) == (TrackingStatus.HELD, "unreachable")
    last = np.array([step.velocities for step in steps[-10:]])
    assert np.abs(last).max() < 0.05 and np.abs(np.diff(last, axis=0)).max() < 1e-3
    assert steps[-1].position_error < min(step.position_error for step in steps) + 5e-3


def test_at_a_limit_it_slides_as_near_as_it_can():
    chain = KinematicChain.from_urdf(urdf([
        ("revolute", NONE, NONE, Z, (-1.0, 1.0), ""),
        ("revolute", (1.0, 0, 0), NONE, Z, (-2.5, 2.5), ""),
        ("fixed", (1.0, 0, 0), NONE, Z, None, ""),
    ]))  # fmt: skip
    solver = IKSolver(chain, orientation_tolerance=np.inf)
    start, q = np.array([0.5, 1.0]), np.array([1.3, 1.0])
    steps = follow(solver.track(start, PERIOD), [chain.forward(q)] * 6000, start)
    assert (steps[-1].status, steps[-1].reason) == (TrackingStatus.HELD, "joint_limits")
    assert steps[-1].positions[0] == 1.0
    # The elbow is where the tip is nearest, by hand: it points from the elbow to the target.
    elbow = np.array([np.cos(1.0), np.sin(1.0)])
    to_target = chain.forward(q)[:2, 3] - elbow
    angle = np.arctan2(to_target[1], to_target[0]) - 1.0
    assert steps[-1].positions[1] == pytest.approx(angle, abs=1e-4)


def test_a_redundant_arm_comes_to_a_limit_without_an_error(panda):
    start = np.array([0.2, -0.6, 0.3, -1.4, 0.3, 1.3, 0.4])
    path = np.repeat(start[None], 6000, 0)
    phase = 0.5 * PERIOD * np.arange(len(path))
    path[:, 1] += 0.5 * (panda.upper[1] + 0.3 - start[1]) * (1.0 - np.cos(phase))
    # It comes to the limit on the way, with a third of a radian a second.
    targets = panda.forward(path)[: int(np.argmax(path[:, 1] > panda.upper[1])) + 60]
    tracker = IKSolver(panda).track(start, PERIOD, acceleration_limits=4.0 * panda.velocity_limits)
    steps = follow(tracker, targets, start)
    position, _ = errors(panda, steps, targets)
    assert panda.upper[1] - steps[-1].positions[1] < 0.03
    assert position.max() < 1e-5


def test_a_continuous_joint_turns_on():
    chain = KinematicChain.from_urdf(urdf([
        ("continuous", NONE, NONE, Z, None, ""),
        ("fixed", (0.5, 0, 0), NONE, Z, None, ""),
    ]))  # fmt: skip
    turns = np.linspace(0.0, 8.0 * np.pi, 20000)[:, None]
    tracker = IKSolver(chain).track([0.0], PERIOD, velocity_limits=2.0, acceleration_limits=5.0)
    steps = follow(tracker, chain.forward(turns), [0.0])
    assert steps[-1].positions[0] == pytest.approx(8.0 * np.pi, abs=1e-6)


def test_a_jump_stops_it_until_the_target_comes_back(panda):
    start = configuration(panda)
    home, away = panda.forward(start), panda.forward(start + 0.4)
    targets = [home] * 10 + [away] * 50 + [home] * 500
    tracker = IKSolver(panda).track(start, PERIOD, largest_jump=(0.05, 0.2))
    steps = follow(tracker, targets, start)
    assert {(step.status, step.reason) for step in steps[10:60]} == {(TrackingStatus.HELD, "jump")}
    assert steps[-1].status == TrackingStatus.TRACKING
    tracker = IKSolver(panda).track(start, PERIOD, largest_jump=(0.05, 0.2), follow_jumps=True)
    steps = follow(tracker, [home] * 10 + [away] * 4000, start)
    assert steps[10].status == TrackingStatus.JUMPED
    assert steps[-1].status == TrackingStatus.TRACKING


def test_without_a_target_it_brakes(panda):
    start = configuration(panda)
    away = panda.forward(start + 0.4)
    steps = follow(IKSolver(panda).track(start, PERIOD), [away] * 300 + [None] * 1000, start)
    assert np.abs(steps[299].velocities).max() > 0.1
    assert np.abs(steps[-1].velocities).max() == 0.0
    assert (steps[-1].status, steps[-1].reason) == (TrackingStatus.HELD, "jump")


def test_a_region_leaves_its_axis_free(ur10):
    start = configuration(ur10, 0.45)
    targets = ur10.forward(swing(ur10, start))
    spun = targets.copy()
    angle = np.linspace(0.0, 30.0, len(spun))
    spun[:, :3, :3] = targets[:, :3, :3] @ np.array([
        [np.cos(angle), -np.sin(angle), 0.0 * angle],
        [np.sin(angle), np.cos(angle), 0.0 * angle],
        [0.0 * angle, 0.0 * angle, 1.0 + 0.0 * angle],
    ]).transpose(2, 0, 1)  # fmt: skip
    tracker = IKSolver(ur10).track(start, PERIOD, region=TaskSpaceRegion.free_axis("z"))
    steps = follow(tracker, spun, start)
    assert {step.status for step in steps} == {TrackingStatus.TRACKING}
    tips = ur10.forward(np.array([step.positions for step in steps]))
    assert np.abs(tips[:, :3, 3] - spun[:, :3, 3]).max() < 1e-5
    assert np.abs(tips[:, :3, 2] - spun[:, :3, 2]).max() < 2e-5


def test_two_hands_follow_at_once():
    tree = two_arms()
    start = configuration(tree, 0.45)
    targets = tree.forward(swing(tree, start, width=0.1))
    tracker = IKSolver(tree).track(start, PERIOD)
    steps = follow(tracker, targets, start)
    assert {step.status for step in steps} == {TrackingStatus.TRACKING}
    tips = tree.forward(np.array([step.positions for step in steps]))
    assert np.abs(tips[:, :, :3, 3] - targets[:, :, :3, 3]).max() < 1e-5


def test_with_five_joints_the_position_comes_first(ur10):
    chain = KinematicChain.from_urdf(
        ur10.description, "base_link", "wrist_3_link", fixed={"wrist_2_joint": 1.2}
    )
    start = np.array([0.5, -1.0, 1.2, -0.8, 0.3])
    targets = np.repeat(chain.forward(start)[None], 8000, 0)
    way = np.minimum(PERIOD * np.arange(8000)[:, None] / 2.0, 0.8 * np.pi)
    phase = np.pi * (1.0 - np.cos(way))
    targets[:, :3, 3] += 0.1 * np.concatenate(
        [np.cos(phase) - 1.0, 1.0 - np.cos(phase), 0.3 * (1.0 - np.cos(2.0 * phase))], axis=1
    )
    tracker = IKSolver(chain).track(start, PERIOD)
    assert tracker.position_first
    steps = follow(tracker, targets, start)
    position, angle = errors(chain, steps, targets)
    assert {step.status for step in steps[:5000]} == {TrackingStatus.TRACKING}
    assert position[:5000].max() <= 1e-5
    assert position[-1] <= 1e-9 and angle[-1] > 1e-3
    # Along what leaves the position where it is, the orientation is at its best.
    end, target = steps[-1].positions, targets[-1]
    free = np.linalg.svd(chain.jacobian(end)[:3])[2][3:]
    for direction in (*free, *-free):
        near = chain.forward(end + 1e-3 * direction)
        assert pose_gap(near, target)[1] > angle[-1] - 1e-6


@pytest.mark.parametrize(
    ("objective", "name"), [("limit_margin", "iiwa"), ("manipulability", "panda")]
)
def test_an_objective_grows_while_the_tip_follows(objective, name):
    """On the whole: it may lead to a joint limit, and a smooth function stands for the margin."""
    chain, growth = load_robot(name), []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        start = configuration(chain, rng.uniform(0.25, 0.75, chain.num_joints))
        targets = np.repeat(chain.forward(start)[None], 3000, 0)
        targets[:, 2, 3] += 0.02 * (np.cos(2.0 * PERIOD * np.arange(3000)) - 1.0)
        ends, worst = [], []
        for chosen in (None, objective):
            tracker = IKSolver(chain).track(
                start, PERIOD, objective=chosen, acceleration_limits=10.0 * chain.velocity_limits
            )
            steps = follow(tracker, targets, start)
            worst.append([one.max() for one in errors(chain, steps, targets)])
            ends.append(steps[-1].positions)
        assert (worst[1] <= np.maximum(1e-5, 1.01 * np.array(worst[0]))).all()
        without, end = SCORES[objective](chain, np.array(ends))
        assert end >= 0.9 * without
        growth.append(end / without)
    assert np.mean(growth) > 1.0


def test_the_same_targets_give_the_same_steps(panda):
    start = configuration(panda)
    targets = panda.forward(swing(panda, start, width=3.0))
    tracker = IKSolver(panda).track(start, PERIOD)
    one = follow(tracker, targets, start)
    # What was before a reset does not matter.
    tracker.step(targets[500])
    tracker.reset(start)
    other = follow(tracker, targets, start)
    for a, b in zip(one, other, strict=True):
        assert (a.positions == b.positions).all() and a[2:] == b[2:]


def test_limits_are_the_descriptions(panda):
    tracker = IKSolver(panda).track(configuration(panda), PERIOD)
    np.testing.assert_array_equal(tracker.velocity_limits, panda.velocity_limits)
    np.testing.assert_array_equal(tracker.acceleration_limits, panda.velocity_limits)
    assert tracker.last.positions == pytest.approx(configuration(panda))
    assert isinstance(tracker, generative_ik_ros.Tracker)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"period": 0.0}, "period must be"),
        ({"period": np.inf}, "period must be"),
        ({"velocity_limits": [1.0, 2.0]}, "velocity_limits has shape"),
        ({"velocity_limits": -1.0}, "velocity_limits must be above 0"),
        ({"acceleration_limits": 0.0}, "acceleration_limits must be above 0"),
        ({"joint_weights": np.zeros(6)}, "joint_weights must be above 0"),
        ({"posture": np.full(6, np.nan)}, "posture: joint positions are not finite"),
        ({"posture": np.zeros(3)}, "^posture has shape"),
        ({"seed_state": np.zeros(5)}, "^seed_state has shape"),
        ({"seed_state": np.full(6, 20.0)}, "beyond its upper limit"),
        ({"largest_jump": 0.1}, "largest_jump must be two numbers"),
        ({"largest_jump": (0.1, 0.0)}, "largest_jump, angle"),
        ({"region": "free"}, "region must be"),
        ({"objective": "clearance"}, "limit_margin, manipulability"),
    ],
)
def test_wrong_options_are_named(ur10, options, words):
    call = {"seed_state": np.zeros(6), "period": PERIOD, **options}
    with pytest.raises(GenerativeIKError, match=words):
        IKSolver(ur10).track(call.pop("seed_state"), call.pop("period"), **call)


@pytest.mark.parametrize("target", [np.eye(3), np.zeros((4, 4)), np.full((4, 4), np.nan), "home"])
def test_wrong_targets_are_refused_and_change_nothing(ur10, target):
    tracker = IKSolver(ur10).track(np.zeros(6), PERIOD)
    before = tracker.last
    with pytest.raises(GenerativeIKError):
        tracker.step(target)
    assert (tracker.last.positions == before.positions).all()


def test_a_robot_without_velocity_limits_needs_some():
    text = urdf([("continuous", NONE, NONE, Z, None, "")])
    solver = IKSolver(KinematicChain.from_urdf(text))
    with pytest.raises(GenerativeIKError, match="pass velocity_limits"):
        solver.track([0.0], PERIOD)


def test_steps_can_be_pickled(ur10):
    step = IKSolver(ur10).track(np.zeros(6), PERIOD).brake()
    again = pickle.loads(pickle.dumps(step))
    assert again.status is step.status and f"{again.status}" == "HELD"
