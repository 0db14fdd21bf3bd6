"""Trackers keep away from obstacles and from the robot itself."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from courses import follow
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from robots import random_positions

from generative_ik_ros import CollisionModel, GenerativeIKError, IKSolver, Scene, load_robot

PERIOD, CLEARANCE = 0.001, 0.01
START = np.array([0.0, -0.4, 0.0, -2.2, 0.0, 2.4, 0.7])
WALL = Scene(boxes={"wall": ((0.05, 1.6, 1.6), (0.75, 0.0, 0.5))})
SRDF = Path(__file__).resolve().parents[2] / "config" / "robots" / "panda.srdf"


@cache
def panda_solver():
    chain = load_robot("panda")
    return IKSolver(chain, collision=CollisionModel.from_urdf(chain.description, srdf=SRDF))


def track(scene, **options):
    options = {"acceleration_limits": 8.0, "clearance": CLEARANCE, **options}
    return panda_solver().track(START, PERIOD, scene=scene, **options)


def assert_clear(steps, scene, share=0.5):
    """All configurations are free by the shapes, and half of the clearance away by spheres.

    Where an arm brakes for long, it is checked at points, and may be nearer between them.
    """
    positions = np.array([step.positions for step in steps])
    assert not panda_solver().collides(positions, scene=scene).any()
    least = panda_solver().clearance(positions, scene=scene).min()
    assert least >= share * CLEARANCE - 1e-9


def into_the_wall(count=5000):
    """Poses that go 0.2 m into the wall, along it, and back."""
    home = panda_solver().chain.forward(START)
    targets = np.repeat(home[None], count, 0)
    time = PERIOD * np.arange(count)
    targets[:, 0, 3] += 0.4 * np.clip(time / 1.5, 0.0, 1.0) * (time < 4.0)
    targets[:, 1, 3] += 0.2 * np.sin(2.0 * np.clip(time - 2.0, 0.0, 2.0 * np.pi / 4.0))
    return home, targets


def test_it_stops_before_a_wall_slides_along_and_comes_back():
    home, targets = into_the_wall()
    steps = follow(track(WALL), [*targets, *[home] * 3000], START)
    assert_clear(steps, WALL)
    tips = panda_solver().chain.forward(np.array([step.positions for step in steps]))[:, :3, 3]
    assert tips[:, 0].max() < 0.725 - 0.5 * CLEARANCE
    along = tips[2500:3900, 1]
    assert along.max() - along.min() > 0.1
    assert str(steps[-1].status) == "TRACKING"


def test_without_the_wall_the_same_course_is_followed():
    _, targets = into_the_wall(3900)
    tracker = track(WALL)
    tracker.set_scene(None)
    steps = follow(tracker, targets, START)
    assert_clear(steps, None)
    tips = panda_solver().chain.forward(np.array([step.positions for step in steps]))[:, :3, 3]
    assert tips[:, 0].max() > 0.8


def test_it_is_held_before_a_wall_with_the_reason():
    target = panda_solver().chain.forward(START)
    target[0, 3] += 0.3
    steps = follow(track(WALL), [target] * 6000, START)
    assert_clear(steps, WALL)
    assert (str(steps[-1].status), steps[-1].reason) == ("HELD", "collision")
    tracker = track(WALL)
    follow(tracker, [target] * 3000, START)
    tracker.set_scene(None)
    for _ in range(4000):
        tracker.step(target)
    assert str(tracker.last.status) == "TRACKING"


@settings(max_examples=8, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(st.integers(0, 2**32 - 1))
@example(5620)  # 4.9 mm are left where half of the clearance is 5 mm
def test_no_step_collides_among_random_boxes(seed):
    rng, solver = np.random.default_rng(seed), panda_solver()
    boxes = {}
    while len(boxes) < 20:
        box = tuple(rng.uniform(0.05, 0.3, 3)), tuple(rng.uniform((-0.9, -0.9, 0), (0.9, 0.9, 1)))
        if solver.clearance(START, scene=Scene(boxes={"box": box})) > 0.5 * CLEARANCE:
            boxes[f"box{len(boxes)}"] = box
    scene = Scene(boxes=boxes)
    targets = solver.chain.forward(random_positions(solver.chain, rng, 6))
    acceleration = 10.0 ** rng.uniform(0.0, 1.5)
    tracker = track(scene, acceleration_limits=acceleration)
    steps = follow(tracker, np.repeat(targets, 200, axis=0), START)
    assert_clear(steps, scene, 0.4)


def test_a_scene_needs_the_robots_geometry(panda):
    with pytest.raises(GenerativeIKError, match="collision"):
        IKSolver(panda).track(START, PERIOD, scene=WALL)
    with pytest.raises(GenerativeIKError, match="clearance"):
        track(WALL, clearance=0.0)
    with pytest.raises(GenerativeIKError, match="clearance must be finite"):
        track(WALL, clearance=np.inf)
