"""Checks among points agree with checks among as many spheres."""

import numpy as np
import pytest

pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")

from generative_ik_ros import CollisionModel, KinematicChain, Scene
from generative_ik_ros.collision.checker import CollisionChecker
from generative_ik_ros.collision.cloud import PointCloud

LINK = (
    '<link name="{}"><collision><origin xyz="0 0 0.15"/><geometry>{}</geometry></collision></link>'
)
JOINT = """<joint name="j{}" type="revolute"><parent link="{}"/><child link="{}"/>
<origin xyz="0 0 {}"/><axis xyz="{}"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
</joint>"""
URDF = "\n".join(
    [
        '<robot name="arm"><link name="base"/>',
        LINK.format("one", '<box size="0.1 0.08 0.3"/>'),
        LINK.format("two", '<cylinder radius="0.05" length="0.3"/>'),
        LINK.format("three", '<capsule radius="0.04" length="0.2"/>'),
        JOINT.format(1, "base", "one", 0.05, "0 0 1"),
        JOINT.format(2, "one", "two", 0.32, "0 1 0"),
        JOINT.format(3, "two", "three", 0.32, "1 0 0"),
        "</robot>",
    ]
)


@pytest.fixture(scope="module")
def checker():
    chain = KinematicChain.from_urdf(URDF, "base", "three")
    return CollisionChecker(CollisionModel.from_urdf(URDF), chain)


@pytest.mark.parametrize("padding", [0.0, 0.03])
def test_points_are_balls(checker, padding):
    random = np.random.default_rng(5)
    points = random.uniform(-0.8, 0.8, (200, 3)) + (0.0, 0.0, 0.5)
    points = points[np.hypot(points[:, 0], points[:, 1]) > 0.15]  # beside the first link
    options = {"padding": padding, "frame": "base"}
    cloud = checker.at(Scene(points=points, point_radius=0.02, **options))
    balls = checker.at(Scene(spheres=[(0.02, point) for point in points], **options))
    configurations = random.uniform(-3.0, 3.0, (300, 3))
    among_points = [cloud.collides(q) for q in configurations]
    assert among_points == [balls.collides(q) for q in configurations]
    assert 30 < sum(among_points) < 270


def test_points_and_an_octomap_count_side_by_side(checker):
    """Both have sizes of their own, and what may touch one may not touch the other."""
    random = np.random.default_rng(6)
    places = random.uniform(-0.8, 0.8, (200, 3)) + (0.0, 0.0, 0.5)
    places = places[np.hypot(places[:, 0], places[:, 1]) > 0.2]
    points, cells = PointCloud.of(places[::2], 0.02), PointCloud.of(places[1::2], 0.06)
    balls = [(0.02, one) for one in places[::2]] + [(0.06, one) for one in places[1::2]]
    both = checker.at(Scene.of((), cloud=points, octomap=cells))
    known = checker.at(Scene(spheres=balls))
    configurations = random.uniform(-3.0, 3.0, (300, 3))
    verdicts = [both.collides(q) for q in configurations]
    assert verdicts == [known.collides(q) for q in configurations]
    assert 30 < sum(verdicts) < 270
    pairs = [both.colliding_pair(q) for q in configurations]
    named = {pair[1] for pair in pairs if pair is not None}
    assert named >= {"points", "<octomap>"}
    links = ("one", "two", "three")
    spared = Scene.of((), cloud=points, octomap=cells, allowed=[("<octomap>", n) for n in links])
    alone = checker.at(Scene.of((), cloud=points))
    spared = checker.at(spared)
    assert [spared.collides(q) for q in configurations] == [
        alone.collides(q) for q in configurations
    ]
