"""Clutch, jogging and filter, against scipy's rotations and answers worked out by hand."""

import numpy as np
import pytest
from robots import pose_gap
from scipy.spatial.transform import Rotation

from generative_ik_ros import Clutch, Jog, PoseFilter, load_robot
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError


def pose(position=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    result = np.eye(4)
    result[:3, 3], result[:3, :3] = position, Rotation.from_rotvec(turn).as_matrix()
    return result


TIP = pose((0.5, 0.1, 0.3), (0.3, -2.0, 0.4))


# --- clutch


def test_the_tip_moves_as_the_device_does_from_wherever_both_are():
    # The device's frame has y up and -z forwards, as headsets have; base has z up, x forwards.
    frame = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    clutch, device = Clutch(scale=0.5, frame_in_base=frame), pose((7.0, 8.0, 9.0), (1.0, 2.0, 0.5))
    assert clutch.step(device, False, TIP) is None and not clutch.engaged
    assert np.allclose(clutch.step(device, True, TIP), TIP) and clutch.engaged
    moved = pose((7.0, 8.2, 8.9), (0.0, 0.0, 0.0))
    moved[:3, :3] = Rotation.from_rotvec([0.0, 0.7, 0.0]).as_matrix() @ device[:3, :3]
    target = clutch.step(moved, True, pose((9.0, 9.0, 9.0)))
    # Up by 0.2 and forwards by 0.1, halved; turned about the vertical.
    assert np.allclose(target[:3, 3], TIP[:3, 3] + (0.05, 0.0, 0.1))
    turn = Rotation.from_rotvec([0.0, 0.0, 0.7]).as_matrix()
    assert np.allclose(target[:3, :3], turn @ TIP[:3, :3])


def test_released_and_engaged_again_the_target_begins_at_the_tip():
    clutch, other = Clutch(), pose((0.1, 0.0, 0.0), (0.0, 1.0, 0.0))
    clutch.step(pose(), True, TIP)
    assert clutch.step(pose((1.0, 0.0, 0.0)), False, TIP) is None
    assert np.allclose(clutch.step(pose((5.0, 0.0, 0.0)), True, other), other)
    assert np.allclose(clutch.step(pose((5.1, 0.0, 0.0)), True, TIP)[:3, 3], (0.2, 0.0, 0.0))


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 1.7])
def test_scaled_rotations_do_not_jump_beyond_half_a_turn(scale):
    clutch, angles = Clutch(orientation_scale=scale), np.linspace(0.0, 7.0, 701)
    clutch.step(pose(), True, TIP)
    for angle in angles:
        target = clutch.step(pose(turn=(0.0, 0.0, angle)), True, TIP)
        turn = Rotation.from_rotvec([0.0, 0.0, scale * angle]).as_matrix()
        assert np.allclose(target[:3, :3], turn @ TIP[:3, :3], atol=1e-9)


# --- jog


def test_a_twist_moves_the_target_in_its_frame():
    jog, tip = Jog(0.01, largest_lead=(1.0, 3.0)), TIP
    for _ in range(50):
        target = jog.step([0.1, 0.0, 0.0, 0.0, 0.0, 2.0], tip)
    expected = TIP.copy()
    expected[0, 3] += 0.05
    expected[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 1.0]).as_matrix() @ TIP[:3, :3]
    assert np.allclose(target, expected)
    jog.reset()
    target = jog.step([0.0, 0.0, 3.0, 0.0, 4.0, 0.0], tip, tip)
    assert np.allclose(target, TIP @ pose((0.0, 0.0, 0.03), (0.0, 0.04, 0.0)))


def test_the_target_does_not_run_away_from_a_tip_that_stands():
    jog = Jog(0.01, largest_lead=(0.03, 0.1))
    for _ in range(100):
        target = jog.step([0.3, 0.4, 0.0, 0.0, 1.0, 0.0], TIP)
    distance, angle = pose_gap(TIP, target)
    assert np.isclose(distance, 0.03) and np.isclose(angle, 0.1)
    assert np.allclose(target[:3, 3] - TIP[:3, 3], (0.018, 0.024, 0.0))
    # Reversed, it is behind the tip after the time for the lead, not after that for the push.
    for _ in range(7):
        target = jog.step([-0.3, -0.4, 0.0, 0.0, 0.0, 0.0], TIP)
    assert (target[:2, 3] < TIP[:2, 3]).all()


@pytest.mark.parametrize("speed", [400.0, 1e10, 1e300])
def test_a_step_of_half_a_turn_and_more_does_not_lead_the_other_way_round(speed):
    target = Jog(0.01, largest_lead=(0.03, 0.1)).step([speed, 0.0, 0.0, 0.0, 0.0, speed], TIP)
    expected = pose((0.03, 0.0, 0.0), (0.0, 0.0, 0.1))
    assert np.allclose(target[:3, 3], TIP[:3, 3] + expected[:3, 3])
    assert np.allclose(target[:3, :3], expected[:3, :3] @ TIP[:3, :3])


# --- filter


def test_a_standing_target_is_approached_as_a_critically_damped_system_does():
    period, cutoff, turn = 0.002, 4.0, np.array([0.3, -1.0, 0.5])
    smooth, rate = PoseFilter(period, cutoff), 2.0 * np.pi * cutoff
    smooth.reset(pose())
    for k in range(1, 300):
        found = smooth.step(pose((0.1, 0.2, -0.3), turn))
        share = 1.0 - (1.0 + rate * k * period) * np.exp(-rate * k * period)
        assert np.allclose(found, pose(share * np.array((0.1, 0.2, -0.3)), share * turn))
    assert 0.99 < share < 1.0


def test_a_moving_target_is_followed_with_the_delay_that_it_says():
    smooth = PoseFilter(0.001, 5.0)
    for k in range(3000):
        found = smooth.step(pose((0.2e-3 * k, 0.0, 0.0), (0.0, 0.0, 1e-3 * k)))
    gap, angle = pose_gap(found, pose((0.2e-3 * k, 0.0, 0.0), (0.0, 0.0, 1e-3 * k)))
    assert np.isclose(smooth.delay, 1.0 / (5.0 * np.pi))
    assert np.isclose(gap, 0.2 * smooth.delay, rtol=0.02)
    assert np.isclose(angle, 1.0 * smooth.delay, rtol=0.02)


def test_poses_that_come_rarely_become_smooth_motion():
    """At 50 Hz for steps at 500 Hz: velocities ripple by a fraction of what they would."""
    smooth, before, speeds = PoseFilter(0.002, 5.0), None, []
    for k in range(2000):
        found = smooth.step(pose((0.2 * 0.02 * (k // 10), 0.0, 0.0)))
        if before is not None:
            speeds.append((found[0, 3] - before[0, 3]) / 0.002)
        before = found
    speeds = np.array(speeds[1000:])
    assert np.isclose(speeds.mean(), 0.2, rtol=0.01) and np.ptp(speeds) < 0.2 * 0.2


def test_noise_is_attenuated():
    rng, smooth = np.random.default_rng(0), PoseFilter(0.002, 2.0)
    noise = rng.normal(size=(4000, 6)) * 0.01
    found = np.array([smooth.step(pose(n[:3], n[3:])) for n in noise])[1000:]
    assert found[:, :3, 3].std() < 0.1 * 0.01
    assert np.std(Rotation.from_matrix(found[:, :3, :3]).as_rotvec()) < 0.1 * 0.01


def test_the_filter_begins_at_the_first_target_and_anew_after_reset():
    smooth = PoseFilter(0.001, 5.0)
    assert np.array_equal(smooth.step(TIP), TIP)
    for _ in range(20):
        smooth.step(pose())
    smooth.reset()
    assert np.array_equal(smooth.step(TIP), TIP) and np.allclose(smooth.step(TIP), TIP)


def test_a_filtered_target_is_one_for_a_tracker():
    """Rotations stay exact however long a device jogs."""
    chain = load_robot("panda")
    tip = chain.forward([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])
    jog, smooth = Jog(0.01), PoseFilter(0.01, 5.0)
    for _ in range(3000):
        target = smooth.step(jog.step([0.0, 0.0, 0.0, 0.5, 1.0, 0.2], tip))
        tip = target
    assert np.abs(target[:3, :3] @ target[:3, :3].T - np.eye(3)).max() < 1e-12


# --- misuse


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Clutch(scale=0.0), "scale must be a number above 0"),
        (lambda: Clutch(orientation_scale=-1.0), "orientation_scale must be"),
        (lambda: Clutch(frame_in_base=np.eye(2)), r"frame_in_base has shape \(2, 2\)"),
        (lambda: Clutch(frame_in_base=2.0 * np.eye(3)), "frame_in_base: the rotation"),
        (lambda: Jog(0.0), "period must be a number of seconds above 0"),
        (lambda: Jog(0.01, (0.1, -1.0)), "largest_lead, angle must be"),
        (lambda: PoseFilter(0.01, 0.0), "cutoff must be"),
        (lambda: PoseFilter(float("nan"), 1.0), "period must be"),
        (lambda: PoseFilter(1e200, 1e200), "cutoff times period must be above 0 and finite"),
        (lambda: Clutch(scale=1e300), "scale must be above 0 and at most 1e6"),
        (lambda: Clutch(orientation_scale=1e300), "orientation_scale must be above 0 and at most"),
        (lambda: Clutch().step(TIP, np.eye(3), TIP), "engaged must be True or False"),
        (lambda: Jog(0.01).step(np.zeros(6), TIP, np.zeros((3, 3))), "frame_in_base"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(InvalidArgumentError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Clutch().step(np.zeros((4, 4)), True, TIP), "device: "),
        (lambda: Clutch().step(TIP, True, np.zeros(7)), r"tip has shape \(7,\)"),
        (lambda: Jog(0.01).step(np.zeros(3), TIP), "twist must be six finite numbers"),
        (lambda: Jog(0.01).step(np.full(6, np.nan), TIP), "twist must be six finite numbers"),
        (lambda: PoseFilter(0.01, 5.0).step(np.full((4, 4), np.nan)), "NaN or infinite"),
    ],
)
def test_bad_targets_are_refused(make, message):
    with pytest.raises(InvalidTargetError, match=message):
        make()


def test_numbers_too_large_to_compute_with_are_refused_and_change_nothing():
    far, most = pose((1e308, -1e308, 0.0)), 1.7e308
    clutch, smooth, jog = Clutch(scale=1e3), PoseFilter(0.01, 50.0), Jog(10.0)
    assert np.allclose(clutch.step(TIP, True, TIP), TIP)
    smooth.reset(TIP)
    for call in (
        lambda: clutch.step(far, True, TIP),
        lambda: smooth.step(far),
        lambda: jog.step([most, -most, most, 0.0, 0.0, 0.0], TIP),
    ):
        with pytest.raises(InvalidTargetError, match="too large to make a target of"):
            call()
    assert np.allclose(clutch.step(TIP, True, TIP), TIP)
    assert np.allclose(smooth.step(TIP), TIP)
    assert np.allclose(jog.step(np.zeros(6), TIP), TIP)


def test_a_refused_pose_changes_nothing():
    smooth, clutch = PoseFilter(0.001, 5.0), Clutch()
    smooth.step(TIP)
    with pytest.raises(InvalidTargetError):
        smooth.step(np.zeros((4, 4)))
    assert np.allclose(smooth.step(TIP), TIP)
    with pytest.raises(InvalidTargetError):
        clutch.step(TIP, True, np.zeros((4, 4)))
    assert not clutch.engaged
