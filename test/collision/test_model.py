"""The collision model: links, pairs, positions, spheres of cuRobo, things attached."""

import os
import warnings

import numpy as np
import pytest
import trimesh
from solid_checks import leaves_of

from generative_ik_ros import IKSolver, KinematicChain, Scene
from generative_ik_ros.collision.model import CollisionModel, joined
from generative_ik_ros.collision.shapes import Box, Capsule, Mesh, Sphere
from generative_ik_ros.errors import (
    GenerativeIKWarning,
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
)
from generative_ik_ros.robot.description import RobotDescription

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="upper">
  <collision><origin xyz="0 0 0.2"/><geometry><capsule radius="0.05" length="0.3"/></geometry>
  </collision><collision><geometry>
  <mesh filename="package://arm/ball.stl" scale="1 1 2"/></geometry></collision></link>
<link name="lower"><collision><geometry><sphere radius="0.06"/></geometry></collision></link>
<link name="tool"/>
<link name="finger"><collision><geometry><box size="0.02 0.02 0.1"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="upper"/><child link="lower"/>
  <origin xyz="0 0 0.45"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
<joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/></joint>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/>
  <origin xyz="0 0 0.2"/><axis xyz="0 0 1"/><limit lower="0" upper="0.1" effort="1" velocity="1"/>
  </joint></robot>"""
SRDF = '<robot name="arm"><disable_collisions link1="base" link2="lower"/></robot>'
SPHERES = """
robot_cfg:
  kinematics:
    collision_link_names: [base, lower, attached_object, camera]
    collision_sphere_buffer: 0.01
    self_collision_ignore: {base: [lower], lower: null}
    self_collision_buffer: {base: 0.1, lower: 0.0}
    extra_links: {camera: {parent_link_name: tool}}
    collision_spheres:
      base:
        - {center: [0, 0, 0.1], radius: 0.1}
        - {center: [0, 0.1, 0.1], radius: 0.05}
        - {center: [0.0, 0.0, 0.0], radius: -10.0}
        - {center: [0.0, 0.0, 0.0], radius: 0}
      upper: [{center: [0, 0, 0], radius: 0.2}]
      lower: [{center: [0, 0, 0], radius: -10}]
      attached_object: [{center: [0, 0, 0], radius: -10}]
"""
BOMB = "a: &a [x, x]\n" + "".join(
    f"{this}: &{this} [{', '.join(['*' + before] * 30)}]\n"
    for before, this in zip("abcdefgh", "bcdefghi", strict=True)
)
"""Aliases that stand for 30^8 lists."""


@pytest.fixture
def folder(tmp_path):
    trimesh.creation.icosphere(2, 0.08).export(tmp_path / "ball.stl")
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.srdf").write_text(SRDF)
    (tmp_path / "arm.yml").write_text(SPHERES)
    return tmp_path


def pairs(*texts):
    return frozenset(frozenset(text.split()) for text in texts)


@pytest.mark.slow
def test_links_that_srdf_disables_by_default_meet_neither_links_nor_obstacles(folder):
    """As in MoveIt, whose defaults hold for whatever comes later: obstacles, attached objects."""
    srdf = (
        '<robot name="arm"><disable_default_collisions link="finger"/>'
        '<enable_collisions link1="finger" link2="base"/>'
    ) + "".join(
        f'<disable_collisions link1="{one}" link2="{other}"/>'
        for one, other in (("base", "upper"), ("base", "lower"), ("upper", "lower"))
    )
    every = f"{srdf}</robot>"
    model = CollisionModel.from_urdf(URDF, srdf=every, package_dirs=[folder])
    joined = pairs("base upper", "base lower", "upper lower")
    assert model.unchecked == joined | pairs("finger upper", "finger lower", "finger tool")
    assert repr(model) == "CollisionModel('arm', 4 links with 5 shapes)"
    held = model.attach("base", [Box([0.1, 0.1, 0.1])], name="crate")
    assert frozenset(("crate", "finger")) in held.unchecked
    chain = KinematicChain.from_urdf(URDF, "base", "finger")
    finger = chain.forward(np.zeros(3))[:3, 3]
    solver = IKSolver(chain, collision=model)
    for scene in (
        Scene(boxes={"block": ((0.015, 0.015, 0.02), finger)}),
        Scene(meshes=[trimesh.creation.box((0.015, 0.015, 0.02)).apply_translation(finger)]),
    ):
        assert not solver.collides(np.zeros(3), scene=scene)
        named = every.replace("disable_default_collisions", "group_state")
        checked = CollisionModel.from_urdf(URDF, srdf=named, package_dirs=[folder])
        assert solver.with_collision(checked).collides(np.zeros(3), scene=scene)


def drawn(*links):
    """The arm without collision shapes of these links, whose visual ones they become."""
    parts = URDF.replace("ball.stl", "none.stl").split("<link ")
    for k, part in enumerate(parts):
        if part.startswith(tuple(f'name="{link}"' for link in links)):
            parts[k] = part.replace("collision>", "visual>").replace("capsule", "cylinder")
    return "<link ".join(parts)


def test_a_robot_without_collision_shapes_is_not_taken_for_free():
    """Descriptions with visual elements only were free anywhere, at an infinite clearance."""
    bare = drawn("base", "lower", "finger").replace("none.stl", "").split("<link ")
    bare = "<link ".join('name="upper"/>\n' if 'name="upper"' in p else p for p in bare)
    with pytest.warns(GenerativeIKWarning, match="no link of robot 'arm' .* collision shapes"):
        model = CollisionModel.from_urdf(bare)
    chain = KinematicChain.from_urdf(bare, "base", "finger")
    solver, q = IKSolver(chain, collision=model), np.zeros(3)
    assert not solver.collides(q) and not solver.collides(q, scene=Scene())
    for scene in (Scene(spheres=[(0.1, (0.0, 0.0, 0.45))]), Scene(points=[[0.0, 0.0, 0.45]])):
        for ask in (solver.collides, solver.clearance):
            with pytest.raises(RobotDescriptionError, match="'arm'.*to finger.*visuals=True"):
                ask(q, scene=scene)
        with pytest.raises(RobotDescriptionError, match="no link that the chain to finger moves"):
            solver.solve(chain.forward(q), scene=scene)
        held = solver.with_collision(model.attach("lower", [Sphere(0.05)]))
        assert held.collides(q, scene=scene)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            seen = CollisionModel.from_urdf(bare, visuals=True)
        assert [link.name for link in seen.links] == ["base", "lower", "finger"]
        assert solver.with_collision(seen).collides(q, scene=scene)


def test_links_without_collision_shapes_are_named(folder):
    """A frame is no body, nor one of its own what is fixed to a link that has shapes."""
    text = drawn("lower", "finger").replace("none.stl", "ball.stl")
    with pytest.warns(GenerativeIKWarning, match="robot 'arm'.*not checked: lower, finger; vis"):
        model = CollisionModel.from_urdf(text, package_dirs=[folder])
    assert [link.name for link in model.links] == ["base", "upper"]
    fixed = text.replace('name="j2" type="revolute"', 'name="j2" type="fixed"')
    with pytest.warns(GenerativeIKWarning, match="not checked: finger; visuals=True"):
        CollisionModel.from_urdf(fixed, package_dirs=[folder])
    seen = CollisionModel.from_urdf(text, package_dirs=[folder], visuals=True)
    asked = CollisionModel.from_urdf(URDF, package_dirs=[folder])
    assert [link.name for link in seen.links] == [link.name for link in asked.links]
    assert seen.links[0].shapes[0].size.tolist() == asked.links[0].shapes[0].size.tolist()
    # The chain to the upper link moves shapes, the one from there on does not.
    ball = Scene(spheres=[(0.01, (0.0, 0.0, 0.2))])
    upper = KinematicChain.from_urdf(text, "base", "upper")
    assert IKSolver(upper, collision=model).collides([0.0], scene=ball)
    rest = KinematicChain.from_urdf(text, "upper", "finger")
    with pytest.raises(RobotDescriptionError, match="chain to finger"):
        IKSolver(rest, collision=model).collides([0.0, 0.0], scene=ball)
    with pytest.raises(InvalidArgumentError, match="spheres and visuals"):
        CollisionModel.from_urdf(URDF, spheres=folder / "arm.yml", visuals=True)


def test_links_with_geometry_have_bodies(folder):
    model = CollisionModel.from_urdf(URDF, package_dirs=[folder])
    assert [link.name for link in model.links] == ["base", "upper", "lower", "finger"]
    assert all(link.parent == link.name and link.padding == 0.0 for link in model.links)
    base, upper, lower, _ = model.links
    assert isinstance(base.shapes[0], Box) and isinstance(lower.shapes[0], Sphere)
    capsule, mesh = upper.shapes
    assert isinstance(capsule, Capsule) and isinstance(mesh, Mesh)
    assert (capsule.radius, capsule.length, capsule.pose[2, 3]) == (0.05, 0.3, 0.2)
    assert np.isclose(mesh.vertices[:, 2].max(), 0.16, atol=1e-3)
    assert lower.body.exact and not base.body.exact and not upper.body.exact


@pytest.mark.parametrize("source", ["text", "path", "pathlike", "description"])
def test_sources(folder, source):
    path = folder / "arm.urdf"
    given = {
        "text": URDF,
        "path": str(path),
        "pathlike": path,
        "description": RobotDescription.from_urdf(path),
    }[source]
    # Beside the file, package://arm/ball.stl is ball.stl.
    dirs = [] if "path" in source else [folder]
    assert len(CollisionModel.from_urdf(given, package_dirs=dirs).links) == 4


@pytest.mark.parametrize("srdf", ["text", "path"])
def test_an_srdf_says_which_pairs_are_not_checked(folder, srdf):
    given = SRDF if srdf == "text" else folder / "arm.srdf"
    model = CollisionModel.from_urdf(folder / "arm.urdf", srdf=given)
    assert model.allowed == model.unchecked == pairs("base lower")


def test_joined_links_are_not_checked_without_an_srdf(folder):
    model = CollisionModel.from_urdf(folder / "arm.urdf")
    adjacent = pairs("base upper", "upper lower", "lower tool", "tool finger")
    assert joined(model.description) == adjacent
    assert adjacent <= model.unchecked


@pytest.mark.parametrize(
    "wrong", ["<robot", "<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "/no/such.srdf", ""]
)
def test_unsound_srdfs_are_refused(folder, wrong):
    with pytest.raises(RobotDescriptionError, match="SRDF"):
        CollisionModel.from_urdf(folder / "arm.urdf", srdf=wrong)


def test_joint_positions_are_checked(folder):
    urdf = folder / "arm.urdf"
    model = CollisionModel.from_urdf(urdf, joint_positions={"grip": np.float32(0.5), "j1": 1})
    assert model.joint_positions == {"grip": 0.5, "j1": 1.0}
    assert CollisionModel.from_urdf(urdf).joint_positions == {}
    with pytest.raises(UnknownNameError, match="'j9'.*j1, j2, mount, grip"):
        CollisionModel.from_urdf(urdf, joint_positions={"j9": 0.0})
    for wrong in (np.nan, np.inf, "a", None, [1.0, 2.0]):
        with pytest.raises(InvalidArgumentError, match="'j1' must be a finite number"):
            CollisionModel.from_urdf(urdf, joint_positions={"j1": wrong})
    with pytest.raises(InvalidArgumentError, match="must map names of joints to positions"):
        CollisionModel.from_urdf(urdf, joint_positions=[0.5])


def test_malformed_elements_refuse_the_model_but_not_the_robot(folder):
    text = URDF.replace('radius="0.06"', 'radius="x"').replace('size="0.2 0.2 0.1"', 'size="1"')
    description = RobotDescription.from_urdf(text)
    with pytest.raises(RobotDescriptionError) as raised:
        CollisionModel.from_urdf(description, package_dirs=[folder])
    assert "link 'base'" in str(raised.value) and "link 'lower'" in str(raised.value)


@pytest.mark.parametrize("element", ["collision", "visual"])
@pytest.mark.parametrize(
    "shape", ['sphere radius="0"', 'box size="0 0 0"', 'cylinder radius="0" length="0.1"']
)
def test_points_of_contact_collide(element, shape):
    text = (
        f'<robot name="r"><link name="a"/><link name="b"><{element}><origin xyz="0.3 0 0"/>'
        f"<geometry><{shape}/></geometry></{element}></link>"
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    model = CollisionModel.from_urdf(text, visuals=element == "visual")
    chain = KinematicChain.from_urdf(text)
    solver = IKSolver(chain, position_tolerance=np.inf, collision=model)
    scene = Scene(boxes=[((0.1, 0.1, 0.1), (0.3, 0.0, 0.0))])
    hit = solver.collides([[0.0], [0.16], [0.18], [3.0]], scene=scene)
    assert hit.tolist() == [True, True, False, False]


def test_missing_and_unsound_meshes_refuse_the_model(folder):
    with pytest.raises(RobotDescriptionError, match="package://arm/ball.stl.*package_dirs="):
        CollisionModel.from_urdf(URDF)
    (folder / "ball.stl").write_bytes(b"solid\n")
    with pytest.raises(RobotDescriptionError, match="link 'upper': package://arm/ball.stl"):
        CollisionModel.from_urdf(URDF, package_dirs=[folder])
    huge = URDF.replace('scale="1 1 2"', 'scale="1 1 1e6"')
    trimesh.creation.icosphere(2, 0.08).export(folder / "ball.stl")
    with pytest.raises(RobotDescriptionError, match="above"):
        CollisionModel.from_urdf(huge, package_dirs=[folder])


def test_the_same_robot_again_shares_its_bodies(folder):
    first = CollisionModel.from_urdf(folder / "arm.urdf")
    second = CollisionModel.from_urdf(folder / "arm.urdf", joint_positions={"grip": 0.1})
    moved = CollisionModel.from_urdf(URDF.replace("0 0 0.2", "0 0 0.3"), package_dirs=[folder])
    assert first.links[1].body is second.links[1].body
    assert first.links[1].body is not moved.links[1].body
    trimesh.creation.icosphere(2, 0.09).export(folder / "ball.stl")
    os.utime(folder / "ball.stl", ns=(1, 1))
    third = CollisionModel.from_urdf(folder / "arm.urdf")
    assert np.isclose(third.links[1].shapes[1].vertices[:, 2].max(), 0.18, atol=1e-3)
    assert first.links[1].body is not third.links[1].body


def test_spheres_stand_for_the_shapes(folder):
    model = CollisionModel.from_urdf(URDF, spheres=folder / "arm.yml")
    (base,) = model.links
    assert base.name == "base" and base.padding == 0.1 and base.body.exact
    assert base.body.inner is base.body.cover
    found = sorted(map(tuple, leaves_of(base.body.cover)))
    assert np.allclose(found, [(0, 0, 0.1, 0.11), (0, 0.1, 0.1, 0.06)])
    assert np.allclose([shape.radius for shape in base.shapes], [0.11, 0.06])
    assert model.allowed == pairs("base lower") | joined(model.description)
    with_srdf = CollisionModel.from_urdf(URDF, spheres=folder / "arm.yml", srdf="<robot/>")
    assert with_srdf.allowed == model.allowed


def test_spheres_may_stand_in_a_file_beside(folder):
    (folder / "robot.yml").write_text(
        "kinematics: {collision_spheres: spheres.yml, collision_sphere_buffer: {lower: 0.5}}"
    )
    (folder / "spheres.yml").write_text(
        "collision_spheres: {lower: [{center: [1, 2, 3], radius: 0.5}]}"
    )
    model = CollisionModel.from_urdf(URDF, spheres=str(folder / "robot.yml"))
    (lower,) = model.links
    assert leaves_of(lower.body.cover).tolist() == [[1.0, 2.0, 3.0, 1.0]]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("- 1", "robot file .* must be a mapping"),
        ("{", "is not YAML"),
        ("!!python/object/apply:os.system [true]", "has no meaning here"),
        ("a: 1", "no collision_spheres"),
        ("collision_spheres: {}", "no collision_spheres"),
        ("collision_spheres: ../secret.yml", "beside it"),
        ("collision_spheres: /etc/passwd", "beside it"),
        ("collision_spheres: missing.yml", "cannot be read"),
        ("collision_spheres: {elbow: []}", "'elbow', which the robot does not have"),
        ("collision_spheres: {base: 1}", "link 'base' must be a list"),
        ("collision_spheres: {base: [1]}", "link 'base'"),
        ("collision_spheres: {base: [{radius: 1}]}", "center must be 3 numbers"),
        ("collision_spheres: {base: [{center: [0, 0], radius: 1}]}", "center must be 3 numbers"),
        (
            "collision_spheres: {base: [{center: [0, 0, x], radius: 1}]}",
            "center must be .*'x'",
        ),
        ("collision_spheres: {base: [{center: [0, 0, .nan], radius: 1}]}", "not finite"),
        ("collision_spheres: {base: [{center: [0, 0, 0], radius: 1e9}]}", "above 10000"),
        (
            "collision_spheres: {base: [{center: [0, 0, 0], radius: true}]}",
            "must be 1 numbers",
        ),
        ("collision_spheres: {base: [{center: [0, 0, 0], radius: -1}]}", "no spheres of links"),
        ("collision_spheres: {base: []}\nself_collision_ignore: [a]", "must be a mapping"),
        ("collision_spheres: {base: []}\nself_collision_buffer: {base: x}", "buffer"),
        ("[" * 5000, "nested more than"),
        (BOMB + "collision_spheres: {base: *i}", "more than 10000000 values"),
    ],
)
def test_unsound_robot_files_are_refused(folder, text, reason):
    (folder / "wrong.yml").write_text(text)
    with pytest.raises(RobotDescriptionError, match=reason):
        CollisionModel.from_urdf(URDF, spheres=folder / "wrong.yml")


def test_attached_things_are_links_of_their_own(folder):
    model = CollisionModel.from_urdf(folder / "arm.urdf", srdf=SRDF)
    held = Box([0.1, 0.1, 0.1])
    more = model.attach("lower", [held], touch_links=["finger"])
    assert more is not model and len(model.links) == 4
    added = more.links[-1]
    assert (added.name, added.parent, added.shapes) == ("lower_attached_1", "lower", (held,))
    # Not against the link itself and what it touches.
    new = pairs(*(f"lower_attached_1 {other}" for other in ("lower", "finger")))
    assert more.unchecked == model.unchecked | new
    again = more.attach("lower", [Sphere(0.1)], name="camera", touch_links=["lower_attached_1"])
    assert again.links[-1].name == "camera"
    assert frozenset(("camera", "lower_attached_1")) in again.unchecked
    assert more.attach("lower", [held]).links[-1].name == "lower_attached_2"
    assert model.attach("tool", [held]).links[-1].parent == "tool"


def test_what_cannot_be_attached(folder):
    model = CollisionModel.from_urdf(folder / "arm.urdf", srdf=SRDF)
    with pytest.raises(UnknownNameError, match="'wrist'"):
        model.attach("wrist", [Sphere(0.1)])
    with pytest.raises(UnknownNameError, match="'wrist'"):
        model.attach("tool", [Sphere(0.1)], touch_links=["wrist"])
    with pytest.raises(InvalidArgumentError, match="at least one shape"):
        model.attach("tool", [])
    for name in ("base", ""):
        with pytest.raises(InvalidArgumentError, match="name of its own"):
            model.attach("tool", [Sphere(0.1)], name=name)
