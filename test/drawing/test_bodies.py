"""Poses of rigid bodies compared with the kinematic tree and pinocchio, and bones."""

import numpy as np
import pytest

from generative_ik_ros.drawing.bodies import Bodies
from generative_ik_ros.drawing.bones import LOOK, bones, cylinder
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.robot.tree import link_transforms

LIFT = """<robot name="lift"><link name="ground"/><link name="car"/><link name="arm"/>
<link name="hand"/><link name="finger"/><link name="thumb"/>
<joint name="up" type="prismatic"><parent link="ground"/><child link="car"/>
<origin xyz="0 0 0.2"/><axis xyz="0 0 1"/><limit lower="-0.1" upper="0.4"/></joint>
<joint name="turn" type="continuous"><parent link="car"/><child link="arm"/>
<origin xyz="0 0 0.1"/><axis xyz="0 0 1"/></joint>
<joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/>
<origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="open" type="prismatic"><parent link="hand"/><child link="finger"/>
<origin xyz="0.1 0.02 0"/><axis xyz="0 1 0"/><limit lower="0.01" upper="0.04"/></joint>
<joint name="follow" type="revolute"><parent link="hand"/><child link="thumb"/>
<origin xyz="0.1 -0.02 0"/><axis xyz="0 0 1"/><limit lower="-9" upper="9"/>
<mimic joint="wrist" multiplier="-2" offset="0.3"/></joint>
</robot>"""


@pytest.mark.parametrize(("base", "tip"), [("ground", "hand"), ("hand", "ground"), ("car", "arm")])
def test_poses_of_bodies_are_those_of_their_links(base, tip):
    chain = KinematicChain.from_urdf(LIFT, base, tip)
    bodies = Bodies(chain)
    q = random_configurations(chain, 5, 3)
    values = dict(zip(chain.names, q.T, strict=True))
    expected = link_transforms(chain.description, values, base)
    frames = bodies.frames(q)
    for k, link in enumerate(bodies.links):
        assert np.allclose(frames[k], expected[link], atol=1e-12), link
    # Each joint of the chain, and what mimics one, has a body of its own; others have not.
    moved = {"up": "car", "turn": "arm", "wrist": "hand", "follow": "thumb"}
    driven = {moved[name] for name in (*chain.names, *(["follow"] * ("wrist" in chain.names)))}
    assert set(bodies.links) == {"ground", *driven}
    assert len(bodies.moving) == len(bodies.links) - 1


@pytest.mark.parametrize("tip", ["hand", "arm"], ids=["in the chain", "outside"])
def test_joints_that_stand_are_drawn_where_they_stand(tip):
    """The thumb is fixed to the hand with the wrist, whose position it follows."""
    others = {"wrist": 0.8, "open": 0.03}
    fixed = others if tip == "hand" else {}
    chain = KinematicChain.from_urdf(LIFT, "ground", tip, fixed=fixed)
    visuals = {link: (cylinder(np.zeros(3), np.ones(3), 0.1),) for link in ("finger", "thumb")}
    bodies = Bodies(chain, visuals, None if fixed else others)
    assert set(bodies.links) == {"ground", "car", "arm"}
    q = random_configurations(chain, 3, 1)
    values = {**dict(zip(chain.names, q.T, strict=True)), "wrist": np.full(3, 0.8), "open": 0.03}
    expected = link_transforms(chain.description, values, "ground")
    shown = dict.fromkeys(("finger", "thumb"), False)
    for frame, shapes in zip(bodies.frames(q), bodies.shapes, strict=True):
        for shape in shapes:
            if shape.link in shown:
                in_link = visuals[shape.link][0].visual_in_link
                found, wanted = frame @ shape.shape_in_body, expected[shape.link] @ in_link
                np.testing.assert_allclose(found, wanted, atol=1e-12)
                shown[shape.link] = True
    assert all(shown.values())


def test_bones_join_the_joints_and_a_rod_spans_the_range():
    chain = KinematicChain.from_urdf(LIFT, "ground", "hand")
    found = bones(chain, drawn=())
    spans = {}
    for link, visuals in found.items():
        for visual in visuals:
            if visual.shape == "cylinder":
                radius, length = visual.size
                frame = visual.visual_in_link
                half = frame[:3, 2] * length / 2
                ends = (frame[:3, 3] - half, frame[:3, 3] + half)
                spans.setdefault(link, []).append((radius, *np.round(ends, 9).tolist()))
    thick, thin = LOOK.radius * min(1, chain.reach), 0.6 * LOOK.radius * min(1, chain.reach)
    assert spans["ground"] == [(pytest.approx(thick), [0, 0, 0], [0, 0, 0.2])]
    assert spans["arm"] == [(pytest.approx(thick), [0, 0, 0], [0.5, 0, 0])]
    # Whatever the lift's position from -0.1 to 0.4, the rod passes through the joint.
    (rod,) = [span for span in spans["car"] if span[0] == pytest.approx(thin)]
    assert rod[1:] == ([0, 0, -0.4], [0, 0, 0.1])
    assert not bones(chain, drawn=("ground", "car", "arm", "hand"))


@pytest.mark.parametrize("direction", [*np.eye(3), *-np.eye(3), (0.6, 0.0, -0.8), (1e-9, 0, -1)])
def test_a_cylinder_leads_from_point_to_point(direction):
    start, end = np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.3]) + 0.5 * np.array(direction)
    drawn = cylinder(start, end, 0.02)
    frame = drawn.visual_in_link
    np.testing.assert_allclose(frame[:3, :3] @ frame[:3, :3].T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose([np.linalg.det(frame[:3, :3]), drawn.size[1]], [1.0, 0.5])
    np.testing.assert_allclose(frame[:3, 3] + 0.25 * frame[:3, 2], end, atol=1e-12)
