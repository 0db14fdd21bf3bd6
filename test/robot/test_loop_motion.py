"""Closed loops in motion: paths and trackers keep them closed, by MuJoCo's kinematics too."""

from functools import partial

import numpy as np
import pytest
from loop_robots import FIVE_BAR, MECHANISMS, PALLETIZER, Hinge, Mechanism, in_mujoco
from scipy.spatial.transform import Rotation

from generative_ik_ros import IKSolver, TaskSpaceRegion, TrackingStatus
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError
from generative_ik_ros.robot.closing import closed_configurations

pytestmark = pytest.mark.slow

MOTORS = MECHANISMS["palletizer"][2]
WIDTHS = dict(zip(MECHANISMS, (0.3, 0.25, 0.5, 0.3), strict=True))
"""How far motors swing [rad]."""
PERIOD = 0.002


@pytest.fixture(scope="module", params=MECHANISMS)
def case(request):
    """A mechanism, its tree, and what gives closed configurations on a smooth course."""
    mechanism, tip, motors = MECHANISMS[request.param]
    tree = mechanism.tree(tip)
    return mechanism, tree, partial(course, tree, motors, WIDTHS[request.param])


def course(tree, motors, width, number=200, speed=2.0):
    """(number, n) closed configurations: motors swing, each in its own time."""
    held = [tree.names.index(name) for name in motors]
    q = closed_configurations(tree)[0]
    times = np.linspace(0.0, speed, number)[:, None]
    driven = q[held] + width * np.sin(np.arange(1, len(held) + 1) * times)
    few = []  # one after the other, and from each those that follow it at once
    for positions in driven[::10]:
        q = q.copy()
        q[held] = positions
        q = tree.close(q, hold=motors)
        few.append(q)
    near = np.repeat(few, 10, axis=0)[:number]
    near[:, held] = driven
    return tree.close(near, hold=motors)


def assert_closed(tree, q):
    distances, angles = tree.closure_errors(q)
    assert distances.max() <= 1e-5 and angles.max() <= 1e-5


def test_a_path_keeps_loops_closed_at_all_poses(case):
    mechanism, tree, swing = case
    poses = swing()[::5]
    targets = tree.forward(poses)
    for seed_state in (poses[0], None):
        path = IKSolver(tree).solve_path(targets, seed_state, max_step=0.3)
        assert path.complete
        assert_closed(tree, path.positions)
        assert (path.position_error <= 1e-5).all() and (path.orientation_error <= 1e-5).all()
        assert ((path.positions >= tree.lower) & (path.positions <= tree.upper)).all()
        assert np.abs(np.diff(path.positions, axis=0)).max() <= 0.3
        tips, gap = in_mujoco(mechanism, tree, path.positions)
        assert gap <= 2e-5
        np.testing.assert_allclose(tips, targets[:, 0], atol=3e-5)


def test_a_path_ends_where_the_mechanism_does():
    tree = PALLETIZER.tree("tool")
    q = course(tree, MOTORS, 0.3)[::5]
    targets = tree.forward(q)
    targets[30:, 0, :3, :3] @= Rotation.from_euler("x", 0.2).as_matrix()
    path = IKSolver(tree).solve_path(targets, q[0])
    assert path.num_reached == 30 and "pose 30" in path.reason
    freed = IKSolver(tree).solve_path(targets, q[0], region=TaskSpaceRegion.position_only())
    assert freed.complete
    assert_closed(tree, freed.positions)


def test_a_redundant_mechanism_is_smoothed():
    """A five-bar with one more joint in the plane: a pose of the pen leaves one freedom."""
    hinge = Hinge("more", "pen", "nib", (0.1, 0.0, 0.0), (0.0, 0.0, 1.0))
    mechanism = Mechanism("base", (*FIVE_BAR.hinges, hinge), FIVE_BAR.pins)
    tree = mechanism.tree("nib")
    q = course(tree, ("left", "right", "pen", "more"), 0.25)[::5]
    targets = tree.forward(q)
    path = IKSolver(tree).solve_path(targets, objective="length", timeout=2.0)
    assert path.complete
    assert_closed(tree, path.positions)
    assert path.length < 0.95 * np.linalg.norm(np.diff(q, axis=0), axis=1).sum()


def track(tree, tracker, targets):
    """Positions (B, n) of the steps, and their statuses; motion limits hold between them."""
    last, velocity, steps = tracker.last.positions, np.zeros(tree.num_joints), []
    for target in targets:
        step = tracker.step(target)
        motion = (step.positions - last) / PERIOD
        assert (np.abs(motion) <= tracker.velocity_limits + 1e-9).all()
        change = np.abs(motion - velocity) / PERIOD
        assert (change <= tracker.acceleration_limits * (1.0 + 1e-6) + 1e-6).all()
        assert ((step.positions >= tree.lower) & (step.positions <= tree.upper)).all()
        last, velocity = step.positions, motion
        steps.append(step)
    return np.array([step.positions for step in steps]), [step.status for step in steps]


def test_a_tracker_keeps_loops_closed_while_the_tip_follows(case):
    mechanism, tree, swing = case
    q = swing(1000)
    targets = tree.forward(q)
    tracker = IKSolver(tree).track(q[0], PERIOD, velocity_limits=20.0, acceleration_limits=400.0)
    positions, statuses = track(tree, tracker, targets)
    assert_closed(tree, positions)
    tips = tree.forward(positions)
    assert np.abs(tips[100:, 0, :3, 3] - targets[100:, 0, :3, 3]).max() <= 1e-5
    assert set(statuses[100:]) == {TrackingStatus.TRACKING}
    assert in_mujoco(mechanism, tree, positions[::50])[1] <= 2e-5


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_target_does_loops_stay_closed(case, seed):
    """Targets that jump, are out of reach, or tilt the hand, and none at all."""
    _, tree, swing = case
    q = swing()
    rng = np.random.default_rng(seed)
    tracker = IKSolver(tree).track(q[0], PERIOD, velocity_limits=30.0, acceleration_limits=600.0)
    targets, around = [], tree.forward(q)
    for _ in range(12):
        goal = around[rng.integers(len(q))].copy()
        goal[0, :3, 3] += rng.normal(0.0, 0.1, 3)
        goal[0, :3, :3] @= Rotation.from_rotvec(rng.normal(0.0, 0.3, 3)).as_matrix()
        targets += [goal] * int(rng.integers(20, 150))
    positions, _ = track(tree, tracker, targets)
    assert_closed(tree, positions)
    braking = np.array([tracker.brake().positions for _ in range(200)])
    assert_closed(tree, braking)
    assert np.abs(braking[-1] - braking[-2]).max() < 1e-9


def test_the_position_comes_first_where_a_pose_is_more_than_there_are_motors():
    """The hand of a palletizer stays level: a tilted target is followed in position."""
    tree = PALLETIZER.tree("tool")
    q = course(tree, MOTORS, 0.3, 1000)
    targets = tree.forward(q)
    targets[:, 0, :3, :3] @= Rotation.from_euler("x", 0.2).as_matrix()
    tracker = IKSolver(tree).track(q[0], PERIOD, velocity_limits=20.0, acceleration_limits=400.0)
    assert tracker.position_first
    positions, statuses = track(tree, tracker, targets)
    tips = tree.forward(positions)
    assert np.abs(tips[100:, 0, :3, 3] - targets[100:, 0, :3, 3]).max() <= 1e-5
    assert set(statuses[100:]) == {TrackingStatus.TRACKING}
    assert tree.closure_errors(positions)[1].max() <= 1e-5
    # Level, and turned like the target about the vertical, up to what the tilt changes of that.
    assert np.abs(tips[:, 0, 2, 2] - 1.0).max() < 1e-9
    assert abs(tracker.last.orientation_error - 0.2) < 1e-2


def test_what_would_open_loops_is_refused():
    tree = PALLETIZER.tree("tool")
    q = tree.close(np.zeros(tree.num_joints))
    open_one = q.copy()
    open_one[tree.names.index("elbow")] += 0.1
    with pytest.raises(InvalidArgumentError, match="loops are open by .* chain.close"):
        IKSolver(tree).track(open_one, PERIOD)
    tracker = IKSolver(tree).track(q, PERIOD)
    with pytest.raises(UnsupportedChainError, match="straight line"):
        tracker.next_branch()
    with pytest.raises(UnsupportedChainError, match="manipulability"):
        IKSolver(tree).track(q, PERIOD, objective="manipulability")
    checked = IKSolver(tree, collision=CollisionModel.from_urdf(PALLETIZER.urdf()))
    with pytest.raises(UnsupportedChainError, match="avoid no collisions"):
        checked.track(q, PERIOD)
    with pytest.raises(InvalidArgumentError, match="loops are open"):
        tracker.reset(open_one)
