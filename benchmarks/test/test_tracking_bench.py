"""`evaluate tracking`: its courses, scenes, and the trackers of others."""

import re
import sys

import numpy as np
import pytest

from generative_ik_benchmarks.chains import known_cases
from generative_ik_benchmarks.oracle import oracle_of
from generative_ik_benchmarks.peers.tracking import TRACKERS, Motion, Ours, available_trackers
from generative_ik_benchmarks.protocols.tracking import Options, items, measure
from generative_ik_benchmarks.robots import example_robots_folder
from generative_ik_benchmarks.tracking_courses import COURSES, circle, start_of
from generative_ik_benchmarks.tracking_scenes import BoxedRobot
from generative_ik_ros import GenerativeIKError, IKSolver

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
PANDA, UR10 = known_cases(["panda", "ur10"])
TIMES = np.arange(500) / 1000.0


def two_arms():
    if example_robots_folder() is None:
        pytest.skip("example-robot-data is not installed")
    return items([], Options(tree=("baxter",)))[0]


def motion_of(case):
    velocity = case.chain.velocity_limits
    return Motion(start_of(case.chain), 0.001, velocity, 4.0 * velocity)


@pytest.mark.parametrize("course", COURSES)
def test_courses_begin_where_the_tips_are(course):
    for case in (UR10, two_arms()):
        start = start_of(case.chain)
        poses = COURSES[course](case.chain, start, TIMES)
        tips = np.array(case.chain.forward(start)).reshape(poses.shape[1:])
        assert len(poses) == len(TIMES)
        if course != "jumps":
            np.testing.assert_allclose(poses[0], tips, atol=1e-12)


@pytest.mark.parametrize(
    "which, name",
    [("ur10", name) for name in TRACKERS]
    + [("two arms", name) for name in TRACKERS if name != "ssik"],  # it is for one tip
)
def test_others_follow_a_circle(which, name):
    case = UR10 if which == "ur10" else two_arms()
    motion = motion_of(case)
    found, absent = available_trackers([name], case, motion)
    if absent:
        pytest.skip(absent[name])
    targets = circle(case.chain, motion.start, TIMES)
    positions = np.array([found[0].step(target) for target in targets])
    tips = oracle_of(case).forward(positions).reshape(targets.shape)
    gaps = np.linalg.norm(tips[..., :3, 3] - targets[..., :3, 3], axis=-1)
    # Both hands cannot make the whole circle from there.
    assert gaps.max() < (2e-3 if which == "ur10" else 0.02)
    speeds = np.abs(np.diff(np.vstack([motion.start, positions]), axis=0)) / motion.period
    assert (speeds <= 1.001 * motion.velocity).all()


@pytest.mark.parametrize("name, module", [("pink", "pink"), ("mink", "mink"), ("placo", "placo"),
                                          ("ssik", "ssik")])  # fmt: skip
def test_missing_libraries_are_named(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    found, absent = available_trackers([name], UR10, motion_of(UR10))
    assert not found
    assert re.search(f"peer '{name}' needs .*pip install", absent[name])


def test_ours_is_free_among_boxes_that_others_would_hit():
    motion = motion_of(PANDA)
    boxed = BoxedRobot.of(PANDA, motion.start, 20, 1)
    assert len(boxed.scene.obstacles) == 20 and not boxed.oracle.collides(motion.start)
    times = np.arange(6000) / 1000.0
    hits = []
    for tracker in (
        Ours(IKSolver(PANDA.chain), motion), Ours(boxed.solver, motion, boxed.scene),
    ):  # fmt: skip
        course = COURSES["along a limit"](PANDA.chain, motion.start, times)
        hits.append(sum(boxed.oracle.collides(tracker.step(target)) for target in course))
    assert hits[0] > 0 == hits[1]


def test_two_arms_are_measured_with_a_row_for_each_tracker():
    options = Options(seconds=1, rate=200, boxes=0, peer=("ssik",))
    table = measure(two_arms(), options, lambda: None)
    assert {row.solver for row in table.rows} == {"ours"} and len(table.rows) == len(COURSES)
    assert "one tip" in table.absent["ssik"] and table.violations.total == 0
    circled = next(row for row in table.rows if row.course == "circle")
    # Both hands cannot make the whole circle from there.
    assert circled.mean_error < 0.02


def test_trees_have_names():
    from generative_ik_benchmarks.options import options_of

    with pytest.raises(GenerativeIKError, match="baxter, g1_arms"):
        options_of(Options, {"tree": ["left"]}, quick=False)
