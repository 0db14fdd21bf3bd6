"""Checks among points agree with checks among as many spheres."""

import numpy as np
import pytest

pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")

from generative_ik_ros import CollisionModel, KinematicChain, Scene
from generative_ik_ros.collision.checker import CollisionChecker

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
