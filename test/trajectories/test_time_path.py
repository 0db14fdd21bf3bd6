"""Trajectories keep their limits everywhere, pass through all poses, and stay near the path."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BPoly
from toppra_speeds import squared_speeds_by_toppra
from two_arms import two_arms

from generative_ik_ros import IKSolver, load_robot, pose_matrix, time_path
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.trajectories import curve, drive
from generative_ik_ros.trajectories.speeds import SpeedLimits, squared_speeds
from generative_ik_ros.trajectories.timing import MAX_DEVIATION

PANDA = load_robot("panda")
_WAVE = np.sin(np.linspace(0.0, 9.0, 300))[:, None] * (1.0, 0.5, -0.3, 0.2, 1.0, -1.0, 0.3)
SWEEP = 0.2 * _WAVE + np.linspace(
    (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7), (1.0, 0.0, 0.5, -1.2, 0.5, 1.8, 1.7), 300
)
NOWHERE = IKSolver(PANDA).solve_path(pose_matrix([[9.0, 0.0, 0.0]], [0, 0, 0, 1]))
ZIGZAG = SWEEP[0] + np.cumsum(np.random.default_rng(0).uniform(-0.1, 0.1, (40, 7)), axis=0)
PATHS = {
    "dense": SWEEP,
    "sparse": SWEEP[::60],
    "one_motion": SWEEP[[0, 20]],
    "corners": ZIGZAG,
    "pauses": np.repeat(SWEEP[::30], 3, axis=0),
    "there_and_back": np.r_[SWEEP[:50:5], SWEEP[:50:5][::-1]],
    "noise": SWEEP + 1e-5 * np.random.default_rng(1).normal(size=SWEEP.shape),
    "uneven": SWEEP[np.unique(np.random.default_rng(2).integers(0, 300, 40) ** 2 // 300)],
}
LIMITS = {
    "defaults": {},
    "acceleration": {"acceleration_limits": 10.0},
    "velocity": {"velocity_limits": 0.2, "acceleration_limits": np.linspace(1.0, 4.0, 7)},
}


def dense(trajectory, count=20_001):
    return trajectory.at(np.linspace(0.0, trajectory.duration, count))


def off_the_motions(positions, corners):
    """The largest distance of a joint from the nearest straight motion, for each position."""
    along = np.diff(corners, axis=0)
    moves = np.flatnonzero(np.abs(along).max(axis=1) > 0.0)
    best = np.full(len(positions), np.inf)
    for k in moves:
        off = positions - corners[k]
        share = np.clip(off @ along[k] / (along[k] @ along[k]), 0.0, 1.0)
        best = np.minimum(best, np.abs(off - share[:, None] * along[k]).max(axis=1))
    return best


@pytest.mark.parametrize("seed", [68, 103, 111, 116])
def test_motions_of_all_sizes_come_to_rest(seed):
    """At the last point but one a joint would have to be at rest already."""
    rng = np.random.default_rng(seed)
    moves = rng.normal(size=(6, 7)) * 10.0 ** rng.uniform(-8, -1, (6, 1))
    limits = 10.0 ** rng.uniform(-1, 1.5, 7)
    path = SWEEP[0] + np.cumsum(moves, axis=0)
    found = time_path(path, PANDA, acceleration_limits=limits)
    assert np.isfinite(found.times).all() and (np.diff(found.times) > 0.0).all()
    assert (np.abs(dense(found)[2]) <= limits * (1.0 + 1e-6)).all()


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("name", PATHS)
def test_limits_are_kept_everywhere_and_all_poses_are_passed(name, limits):
    path, given = PATHS[name], LIMITS[limits]
    found = time_path(path, PANDA, **given)
    velocity = np.broadcast_to(given.get("velocity_limits", PANDA.velocity_limits), 7)
    acceleration = np.broadcast_to(given.get("acceleration_limits", velocity), 7)
    position, speed, hard = dense(found)
    assert (np.abs(speed) <= velocity * (1.0 + 1e-9)).all()
    assert (np.abs(hard) <= acceleration * (1.0 + 1e-9)).all()
    # Time-optimal: some joint is at a limit nearly all the time.
    at_limit = np.maximum(np.abs(speed) / velocity, np.abs(hard) / acceleration).max(axis=1)
    assert np.median(at_limit) > 0.6
    assert (np.diff(found.times) > 0.0).all() and found.times[0] == 0.0
    np.testing.assert_allclose(found.positions[found.pose_points], path, atol=1e-9)
    assert (np.diff(found.pose_points) >= 0).all()
    assert found.pose_points[0] == 0 and found.pose_points[-1] == len(found.times) - 1
    assert not found.velocities[[0, -1]].any() or np.abs(found.velocities[[0, -1]]).max() < 1e-12
    off = off_the_motions(position[::10], path).max()
    assert off <= MAX_DEVIATION + 1e-9 and off <= 1.05 * found.deviation + 1e-9


def test_velocities_and_accelerations_are_derivatives():
    found = time_path(SWEEP, PANDA)
    when = np.linspace(0.01, found.duration - 0.01, 500)
    (before, fast0, _), (_, fast, hard), (after, fast1, _) = (
        found.at(when + shift) for shift in (-1e-6, 0.0, 1e-6)
    )
    np.testing.assert_allclose((after - before) / 2e-6, fast, atol=1e-6)
    np.testing.assert_allclose((fast1 - fast0) / 2e-6, hard, atol=2e-3)


@pytest.mark.parametrize("name", ["dense", "corners"])
def test_quintics_of_a_controller_are_the_same_curve(name):
    """As joint_trajectory_controller interpolates points that have accelerations."""
    found = time_path(PATHS[name], PANDA)
    rows = np.stack([found.positions, found.velocities, found.accelerations], axis=1)
    quintic = BPoly.from_derivatives(found.times, rows)
    when = np.linspace(0.0, found.duration, 5000)
    for order, own in enumerate(found.at(when)):
        np.testing.assert_allclose(quintic(when, order), own, atol=1e-7 * 10**order)


@pytest.mark.parametrize("name", PATHS)
def test_toppra_finds_the_same_speeds(name, monkeypatch):
    pytest.importorskip("toppra", reason="toppra is not installed: pip install '.[test]'")
    own = time_path(PATHS[name], PANDA)
    monkeypatch.setattr(drive, "squared_speeds", squared_speeds_by_toppra)
    other = time_path(PATHS[name], PANDA)
    assert own.duration == pytest.approx(other.duration, rel=5e-3)
    if name in ("dense", "sparse", "one_motion"):
        shift = [np.abs(a - b).max() for a, b in zip(dense(own), dense(other), strict=True)]
        assert shift[0] < 1e-3


def test_the_time_of_a_single_motion_is_that_of_the_textbook():
    """A trapezoid: full acceleration, largest velocity, full deceleration."""
    path = np.zeros((2, 7)) + SWEEP[0]
    path[1, 0] += 0.15
    (slow, fast), least = (
        time_path(path, PANDA, velocity_limits=v, acceleration_limits=2.0).duration
        for v in (0.2, 100.0)
    ), 2.0 * np.sqrt(0.15 / 2.0)  # fmt: skip
    assert least <= fast < 1.03 * least
    assert 0.15 / 0.2 + 0.2 / 2.0 <= slow < 1.03 * (0.15 / 0.2 + 0.2 / 2.0)


@pytest.mark.parametrize("name", ["dense", "sparse", "one_motion", "uneven"])
def test_the_tip_has_its_speed_wherever_limits_allow_it(name):
    found = time_path(PATHS[name], PANDA, tip_speed=0.05)
    position, speed, hard = dense(found)
    tip = np.einsum("mij,mj->mi", PANDA.jacobian(position)[:, :3], speed)
    tip = np.linalg.norm(tip, axis=1)
    assert tip.max() <= 0.05 * 1.001
    inner = slice(len(tip) // 5, -len(tip) // 5)
    assert tip[inner].min() > 0.05 * (0.9 if name == "uneven" else 0.97)
    assert (np.abs(hard) <= PANDA.velocity_limits * (1.0 + 1e-9)).all()
    assert time_path(PATHS[name], PANDA).duration < found.duration


def test_a_tip_speed_beyond_all_numbers_is_no_limit(recwarn):
    fast, free = (time_path(SWEEP[::60], PANDA, tip_speed=speed) for speed in (1e300, None))
    assert fast.duration == pytest.approx(free.duration) and not recwarn


def test_of_several_tips_the_fastest_has_the_speed():
    tree = two_arms()
    path = np.linspace(0.3, 0.4, 15)[:, None] * np.linspace(-1.0, 1.0, tree.num_joints)
    found = time_path(path, tree, velocity_limits=5.0, tip_speed=0.05)
    times = np.linspace(0.0, found.duration, 4001)
    hands = tree.forward(found.at(times)[0])[..., :3, 3]
    speeds = np.linalg.norm(np.diff(hands, axis=0), axis=-1) / times[1]
    assert speeds.max() <= 0.05 * 1.001
    assert speeds[800:-800].max(axis=1).min() > 0.05 * 0.97


def test_joint_limits_are_kept_where_the_path_touches_them():
    path = SWEEP[::10].copy()
    path[:, 5] = PANDA.upper[5] - 0.05 * np.abs(np.linspace(-3.0, 3.0, 30)) % 0.06
    path[10:16, 3] = PANDA.upper[3]
    path[:, 0] = PANDA.lower[0] + 0.01 * (np.arange(30) % 3)
    position = dense(time_path(path, PANDA))[0]
    assert (position >= PANDA.lower - 5e-4).all() and (position <= PANDA.upper + 5e-4).all()


def test_a_smaller_deviation_is_kept_and_costs_time():
    wide, narrow = (time_path(ZIGZAG, PANDA, max_deviation=off) for off in (0.01, 0.0005))
    assert off_the_motions(dense(narrow)[0], ZIGZAG).max() <= 0.0005
    assert narrow.deviation <= 0.0005 < wide.deviation and narrow.duration > wide.duration


def test_where_it_would_collide_it_keeps_closer_to_the_path():
    limit = 0.002
    asked = []

    def collides(positions):
        asked.append(off_the_motions(positions, ZIGZAG))
        return asked[-1] > limit

    found = time_path(ZIGZAG, PANDA, collides=collides)
    assert len(asked) > 1 and asked[0].max() > limit >= asked[-1].max()
    assert len(asked[-1]) > len(found.times)
    assert off_the_motions(found.positions, ZIGZAG).max() <= limit
    with pytest.raises(InvalidArgumentError, match="collides, however close"):
        time_path(ZIGZAG, PANDA, collides=lambda positions: np.ones(len(positions), bool))


def test_a_path_of_the_solver_up_to_where_it_leads():
    targets = PANDA.forward(SWEEP[::3])
    targets[60:, 0, 3] += 3.0
    path = IKSolver(PANDA).solve_path(targets, seed_state=SWEEP[0])
    assert 0 < path.num_reached <= 60
    found = time_path(path, PANDA)
    assert len(found.pose_points) == path.num_reached
    np.testing.assert_allclose(
        PANDA.forward(found.at(found.pose_times)[0]), targets[: path.num_reached], atol=3e-5
    )
    assert "Trajectory: " in repr(found) and found.joint_names == PANDA.names


def test_a_path_of_another_arm_is_refused():
    path = IKSolver(PANDA).solve_path(PANDA.forward(SWEEP[:3]))
    with pytest.raises(InvalidArgumentError, match="joints panda_joint1, .*chain are iiwa_joint"):
        time_path(path, load_robot("iiwa"))


def test_no_motion_is_one_point():
    found = time_path(np.tile(SWEEP[0], (4, 1)), PANDA)
    assert found.times.tolist() == [0.0] and found.pose_points.tolist() == [0] * 4
    position, velocity, acceleration = found.at([-1.0, 0.0, 2.0])
    assert (position == SWEEP[0]).all() and not velocity.any() and not acceleration.any()


ARM = """<robot name="arm"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" {velocity}/></joint>
<joint name="j2" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="0.5"/></joint>
<joint name="j3" type="revolute"><parent link="c"/><child link="d"/><origin xyz="1 0 0"/>
<axis xyz="0 0 1"/><limit lower="-4" upper="4" velocity="1.2"/><mimic joint="j1" multiplier="-3"/>
</joint></robot>"""


@pytest.mark.parametrize(
    ("velocity", "limit"),
    [("velocity='0.3'", 0.3), ("velocity='2'", 0.4), ("velocity='0'", 0.4), ("velocity='x'", 0.4)],
)
def test_velocity_limits_are_read_from_the_description(velocity, limit):
    """A joint that follows another three times as fast has a limit, too."""
    chain = KinematicChain.from_urdf(ARM.format(velocity=velocity))
    assert chain.velocity_limits.tolist() == pytest.approx([limit, 0.5])
    found = time_path([[0.0, 0.0], [0.5, -0.5]], chain)
    assert (np.abs(dense(found)[1]) <= chain.velocity_limits * (1.0 + 1e-9)).all()


def test_a_missing_velocity_limit_must_be_given():
    text = ARM.replace('velocity="0.5"', "").format(velocity="velocity='1'")
    chain = KinematicChain.from_urdf(text)
    with pytest.raises(InvalidArgumentError, match="no velocity limit for j2; pass velocity_lim"):
        time_path([[0.0, 0.0], [0.5, -0.5]], chain)
    assert time_path([[0.0, 0.0], [0.5, -0.5]], chain, velocity_limits=0.1).duration > 5.0


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"velocity_limits": -1.0}, "velocity_limits must be above 0"),
        ({"velocity_limits": [1.0, 2.0]}, "velocity_limits has shape"),
        ({"acceleration_limits": np.inf}, "acceleration_limits must be above 0 and finite"),
        ({"velocity_limits": 1e-300}, "too small or too large"),
        ({"velocity_limits": 1e300}, "too small or too large"),
        ({"acceleration_limits": 1e-300}, "too small or too large"),
        ({"tip_speed": 0.0}, "tip_speed must be a number above 0"),
        ({"max_deviation": np.nan}, "max_deviation must be a number above 0"),
        ({"path": np.zeros((0, 7))}, "a path needs one or more rows"),
        ({"path": np.zeros(7)}, "a path needs one or more rows"),
        ({"path": np.full((3, 7), np.nan)}, "joint positions are not finite"),
        ({"path": np.zeros((3, 6))}, "joint positions have shape"),
        ({"path": NOWHERE}, "the path reaches no pose: pose 0: out of reach"),
    ],
)
def test_misuse(arguments, fragment):
    with pytest.raises(InvalidArgumentError, match=fragment):
        time_path(**{"path": SWEEP, "chain": PANDA, **arguments})


def test_times_must_be_finite():
    with pytest.raises(InvalidArgumentError, match="times must be finite"):
        time_path(SWEEP[::60], PANDA).at(np.nan)


@pytest.mark.parametrize(("name", "price"), [("dense", 0.02), ("sparse", 0.07), ("corners", 0.12)])
def test_the_price_of_the_spline(name, price, monkeypatch):
    """Beside the optimum of a grid so fine that it does not matter, without a spline over time."""
    found = time_path(PATHS[name], PANDA)
    monkeypatch.setattr(curve, "TUNING", replace(curve.TUNING, intervals=3000))
    bounds = PANDA.lower, PANDA.upper
    fine = curve.curve_through(PATHS[name], 0.9 * MAX_DEVIATION, bounds)
    limits = np.tile(PANDA.velocity_limits, (len(fine.grid), 1))
    free = np.full(len(fine.grid), np.inf)
    speed = np.sqrt(squared_speeds(fine, SpeedLimits(limits, limits, free)))
    optimum = (2.0 * np.diff(fine.grid) / (speed[1:] + speed[:-1])).sum()
    assert optimum * 0.999 < found.duration < (1.0 + price) * optimum
