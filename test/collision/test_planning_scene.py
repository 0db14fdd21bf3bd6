"""MoveIt's planning scene, followed message by message: what each operation does."""

import numpy as np
import pytest
import scene_messages as m
from octrees import octree
from scene_messages import ADD, APPEND, MOVE, REMOVE, Message

from generative_ik_ros.collision.allowed_matrix import AllowedCollisions
from generative_ik_ros.collision.planning_scene import FollowedScene
from generative_ik_ros.collision.shapes import Box, Cylinder, Mesh, Sphere
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.description import RobotDescription

ROBOT = RobotDescription.from_urdf(
    """<robot name="crane"><link name="base"/><link name="post"/><link name="hook"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="post"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="lift" type="prismatic"><parent link="post"/><child link="hook"/>
  <origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="0" upper="2" effort="1" velocity="1"/>
</joint></robot>"""
)
QUARTER = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


def follow(*messages, faults=0):
    """The scene after messages, in which so many things were wrong."""
    scene, found = FollowedScene(ROBOT), []
    for message in messages:
        scene, lines = scene.updated(message)
        found += lines
    assert len(found) == faults, found
    return scene


def places(scene):
    """Where the parts of the scene's objects are, by name."""
    return {one.name: one.shape.pose[:3, 3].round(9).tolist() for one in scene.obstacles}


def test_shapes_are_where_object_and_shape_poses_put_them():
    own = m.collision_object(
        "things",
        frame_id="base",
        at=m.pose(1.0, 0.0, 0.0, QUARTER),
        primitives=[
            m.primitive(m.BOX, 0.1, 0.2, 0.3),
            m.primitive(m.SPHERE, 0.4),
            m.primitive(m.CYLINDER, 0.5, 0.1),
            m.primitive(m.CONE, 0.5, 0.1),
        ],
        # The last ones are at the object's pose.
        primitive_poses=[m.pose(0.5), m.pose(0.0, 0.5)],
        meshes=[m.mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3)])],
        mesh_poses=[m.pose(0.0, 0.0, 2.0)],
    )
    scene = follow(m.planning_scene(own))
    assert places(scene) == {
        "things[0]": [1.0, 0.5, 0.0],
        "things[1]": [0.5, 0.0, 0.0],
        "things[2]": [1.0, 0.0, 0.0],
        "things[3]": [1.0, 0.0, 0.0],
        "things[4]": [1.0, 0.0, 2.0],
    }
    shapes = [one.shape for one in scene.obstacles]
    assert [type(shape) for shape in shapes] == [Box, Sphere, Cylinder, Mesh, Mesh]
    assert shapes[0].size.tolist() == [0.1, 0.2, 0.3] and shapes[1].radius == 0.4
    assert (shapes[2].radius, shapes[2].length) == (0.1, 0.5)
    assert np.allclose(shapes[0].pose[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_a_single_shape_without_an_object_pose_gives_the_object_its_own():
    """So that a later MOVE is of the shape's pose, as in MoveIt."""
    one = m.box(primitive_poses=[m.pose(0.5)])
    assert places(follow(m.planning_scene(one))) == {"box": [0.5, 0.0, 0.0]}
    moved = m.collision_object(operation=MOVE, at=m.pose(0.0, 0.0, 1.0))
    assert places(follow(m.planning_scene(one), m.planning_scene(moved))) == {
        "box": [0.0, 0.0, 1.0]
    }


def test_an_object_with_a_pose_keeps_its_shapes_in_place_when_it_moves():
    one = m.box(at=m.pose(1.0), primitive_poses=[m.pose(0.5)])
    moved = m.collision_object(operation=MOVE, at=m.pose(0.0, 0.0, 1.0, QUARTER))
    scene = follow(m.planning_scene(one), m.planning_scene(moved))
    assert places(scene) == {"box": [0.0, 0.5, 1.0]}


def test_a_move_can_have_poses_for_the_shapes():
    one = m.box(at=m.pose(1.0))
    moved = m.collision_object(operation=MOVE, at=m.pose(2.0), primitive_poses=[m.pose(0.0, 0.25)])
    scene = follow(m.planning_scene(one), m.planning_scene(moved))
    assert places(scene) == {"box": [2.0, 0.25, 0.0]}
    moved.primitive_poses *= 2
    follow(m.planning_scene(one), m.planning_scene(moved), faults=1)


def test_add_replaces_and_append_adds():
    one, other = m.box(at=m.pose(1.0)), m.box(at=m.pose(2.0))
    assert places(follow(m.planning_scene(one, other))) == {"box": [2.0, 0.0, 0.0]}
    other.operation = APPEND
    scene = follow(m.planning_scene(one, other))
    assert places(scene) == {"box[0]": [1.0, 0.0, 0.0], "box[1]": [2.0, 0.0, 0.0]}
    # The object's frame is that of the first: what was appended moves along.
    moved = m.collision_object(operation=MOVE, at=m.pose(0.0))
    scene = follow(m.planning_scene(one, other, moved))
    assert places(scene) == {"box[0]": [0.0, 0.0, 0.0], "box[1]": [1.0, 0.0, 0.0]}


def test_remove_takes_one_or_all():
    two = m.planning_scene(m.box("a"), m.box("b"))
    assert list(places(follow(two, m.planning_scene(m.collision_object("a", REMOVE))))) == ["b"]
    assert places(follow(two, m.planning_scene(m.collision_object("", REMOVE)))) == {}
    assert len(places(follow(two, m.planning_scene(m.collision_object("c", REMOVE))))) == 2


def test_a_scene_that_is_no_diff_replaces_everything():
    carried = m.attached("hook", m.box("load"))
    state = m.robot_state({"lift": 1.0}, [carried])
    before = m.planning_scene(
        m.box("old"), state=state, allowed_collision_matrix=m.matrix(defaults={"old": True})
    )
    scene = follow(before)
    assert scene.joints == {"lift": 1.0} and list(scene.carried) == ["load"] and scene.matrix
    after = follow(before, m.planning_scene(m.box("new"), is_diff=False))
    assert list(places(after)) == ["new"]
    assert not after.carried and not after.joints and not after.matrix
    # The scene before has not changed.
    assert list(places(scene)) == ["old"]


def test_objects_in_the_frame_of_a_link_stand_where_the_link_is_when_they_come():
    state = m.robot_state({"turn": np.pi / 2, "lift": 0.5})
    placed = m.planning_scene(m.box(frame_id="/hook", at=m.pose(0.1)), state=state)
    scene = follow(placed)
    assert places(scene) == {"box": [0.0, 1.1, 0.5]}
    later = m.planning_scene(state=m.robot_state({"turn": 0.0}))
    assert places(follow(placed, later)) == {"box": [0.0, 1.1, 0.5]}


@pytest.mark.parametrize("frame", ["", "world", "base", "/base", "map"])
def test_the_planning_frame_has_several_names(frame):
    frames = [m.fixed_frame("map", "map", m.transform())]
    message = m.planning_scene(
        m.box(frame_id=frame, at=m.pose(1.0)), fixed_frame_transforms=frames
    )
    assert places(follow(message)) == {"box": [1.0, 0.0, 0.0]}


def test_fixed_frames_and_objects_are_frames():
    frames = [m.fixed_frame("base", "shelf", m.transform(0.0, 2.0, 0.0, QUARTER))]
    scene = follow(
        m.planning_scene(
            m.box("a", frame_id="shelf", at=m.pose(1.0)),
            m.box("b", frame_id="a", at=m.pose(0.5)),
            fixed_frame_transforms=frames,
        )
    )
    assert places(scene) == {"a": [0.0, 3.0, 0.0], "b": [0.0, 3.5, 0.0]}


def test_an_unknown_frame_is_refused_and_the_rest_counts():
    scene, faults = FollowedScene(ROBOT).updated(
        m.planning_scene(m.box("a", frame_id="moon"), m.box("b"))
    )
    assert list(places(scene)) == ["b"]
    assert faults == [
        "collision object 'a' is refused: its frame 'moon' is neither a link, an object nor a "
        "fixed frame"
    ]


def test_a_robot_that_stands_elsewhere_in_the_planning_frame():
    state = m.robot_state(root=m.transform(5.0, 0.0, 0.0, QUARTER))
    scene = follow(m.planning_scene(m.box("a", at=m.pose(5.0, 1.0)), state=state))
    # In the root link, which is turned by a quarter.
    assert places(scene) == {"a": [1.0, 0.0, 0.0]}
    seen_from_robot = m.box("b", frame_id="hook", at=m.pose(0.0, 0.5))
    scene = follow(m.planning_scene(seen_from_robot, state=state))
    assert places(scene) == {"b": [1.0, 0.5, 0.0]}


def test_attached_objects_leave_the_world_and_return_where_the_link_is():
    there = m.planning_scene(m.box("load", at=m.pose(1.0, 0.0, 0.2)))
    take = m.attached("hook", m.collision_object("load"), ["post"])
    # As MoveIt's clients do, which remove it from the world as well.
    grasp = m.planning_scene(
        m.collision_object("load", REMOVE), state=m.robot_state(carried=[take])
    )
    scene = follow(there, grasp)
    assert places(scene) == {}
    (load,) = scene.carried.values()
    assert load.link == "hook" and load.touch_links == {"post"}
    assert np.allclose(load.shapes_in_link[0].pose[:3, 3], [0.0, 0.0, 0.2])
    lift = m.planning_scene(state=m.robot_state({"turn": np.pi / 2, "lift": 1.0}))
    drop = m.attached("", m.collision_object("load", REMOVE))
    release = m.planning_scene(state=m.robot_state(carried=[drop]))
    scene = follow(there, grasp, lift, release)
    assert not scene.carried and places(scene) == {"load": [0.0, 1.0, 1.2]}


def test_attached_objects_with_shapes_of_their_own():
    own = m.box("load", frame_id="base", at=m.pose(1.0, 0.0, 0.5))
    state = m.robot_state({"lift": 0.25}, [m.attached("hook", own)])
    scene = follow(m.planning_scene(m.box("load", at=m.pose(9.0)), state=state))
    (load,) = scene.carried.values()
    assert np.allclose(load.pose[:3, 3], [0.0, 0.0, 0.25])
    # Attaching takes what the world had of that name; the same message then adds it again.
    assert list(places(scene)) == ["load"]
    more = m.box("load", operation=APPEND)
    state = m.robot_state(carried=[m.attached("hook", more, ["base"])])
    scene = follow(
        m.planning_scene(state=m.robot_state(carried=[m.attached("hook", own)])),
        m.planning_scene(state=state),
    )
    (load,) = scene.carried.values()
    assert len(load.shapes) == 2 and load.touch_links == {"base"}


def test_detaching_by_link_and_all():
    both = [m.attached("hook", m.box("a")), m.attached("post", m.box("b"))]
    before = m.planning_scene(state=m.robot_state(carried=both))
    for link, left in (("hook", ["b"]), ("", [])):
        drop = m.attached(link, m.collision_object("", REMOVE))
        scene = follow(before, m.planning_scene(state=m.robot_state(carried=[drop])))
        assert list(scene.carried) == left
        assert sorted([*places(scene), *scene.carried]) == ["a", "b"]


def test_a_state_that_is_no_diff_lets_go_of_everything():
    before = m.planning_scene(state=m.robot_state(carried=[m.attached("hook", m.box("a"))]))
    again = m.attached("hook", m.box("b"))
    state = m.robot_state({"lift": 0.1}, [again], is_diff=False)
    scene = follow(before, m.planning_scene(state=state))
    assert list(scene.carried) == ["b"] and places(scene) == {}


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (m.collision_object("a"), "collision object 'a' is refused: it has no shapes"),
        (m.box("<octomap>"), "the name is that of the octomap"),
        (m.collision_object("a", MOVE), "there is none"),
        (m.box("a", operation=b"\7"), "unknown operation 7"),
        (m.box("a", at=m.pose(np.nan)), "not finite"),
        (m.box("a", size=(0.0, 1.0, 1.0)), "lengths must be above 0"),
        (m.box("a", size=(1.0,)), "1 dimensions, not 3"),
        (m.collision_object("a", primitives=[m.primitive(m.PRISM, 1.0)]), "type is 5"),
        (m.collision_object("a", planes=[Message()]), "planes are not read"),
        (m.box("a", primitive_poses=[m.pose()] * 2), "more primitive poses than shapes"),
        (m.collision_object("a", meshes=[m.mesh([(0, 0, 0)], [(0, 1, 2)])]), "does not exist"),
    ],
)
def test_what_is_no_object_is_one_line_and_the_rest_counts(message, fault):
    scene, (line,) = FollowedScene(ROBOT).updated(m.planning_scene(message, m.box("b")))
    assert fault in line
    assert list(places(scene)) == ["b"]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (m.attached("nose", m.box("a")), "no link 'nose'"),
        (m.attached("hook", m.collision_object("a")), "it has no shapes, and there is no such"),
        (m.attached("hook", m.box("post")), "no name of its own"),
        (m.attached("hook", m.collision_object("a", REMOVE)), "is not attached"),
        (m.attached("hook", m.collision_object("a", MOVE)), "unknown operation 3"),
    ],
)
def test_what_cannot_be_attached_is_one_line(entry, fault):
    state = m.robot_state(carried=[entry])
    _, (line,) = FollowedScene(ROBOT).updated(m.planning_scene(state=state))
    assert fault in line


def test_what_is_left_out_is_said():
    message = m.planning_scene(robot_model_name="other")
    message.link_padding = [Message(padding=0.1)]
    _, lines = FollowedScene(ROBOT).updated(message)
    words = " ".join(lines)
    assert len(lines) == 2
    assert "of robot 'other', not of 'crane'" in words
    assert "collision_padding" in words


def cells(scene):
    return None if scene.cells is None else sorted(scene.cells.points.round(9).tolist())


def test_an_octomap_is_where_frame_and_origin_put_it_until_another_one_comes():
    tree = octree({(2**15 + 1, 2**15, 2**15)}, 0.5)
    tilted = m.octomap(tree, "hook", m.pose(0.0, 0.0, 1.0, QUARTER))
    state = m.robot_state({"lift": 2.0})
    placed = m.planning_scene(state=state)
    placed.world.octomap = tilted
    scene = follow(placed)
    # The middle of the cell is at 0.75, 0.25, 0.25 in the tree's frame.
    assert cells(scene) == [[0.75, 0.75, 3.25]]
    assert np.isclose(scene.cells.radius, np.sqrt(0.75) * 0.5)
    # Diffs without one leave it; it does not move with what it was placed by.
    later = m.planning_scene(m.box(), state=m.robot_state({"lift": 0.0}))
    assert follow(placed, later).octomap is not None
    assert cells(follow(placed, later)) == [[0.75, 0.75, 3.25]]
    other = m.planning_scene()
    other.world.octomap = m.octomap(octree({(2**15, 2**15, 2**15)}, 0.5))
    assert cells(follow(placed, other)) == [[0.25, 0.25, 0.25]]
    cleared = m.planning_scene()
    cleared.world.octomap.octomap.id = "cleared"
    assert cells(follow(placed, cleared)) is None
    assert cells(follow(placed, m.planning_scene(is_diff=False))) is None


def test_an_octomap_moves_against_the_robot_with_the_planning_frame():
    message = m.planning_scene(state=m.robot_state(root=m.transform(1.0)))
    message.world.octomap = m.octomap(octree({(2**15, 2**15, 2**15)}, 0.5))
    assert cells(follow(message)) == [[-0.75, 0.25, 0.25]]


def test_the_matrix_allows_touching_the_octomap():
    message = m.planning_scene(allowed_collision_matrix=m.matrix(defaults={"<octomap>": True}))
    assert not follow(message).allowed
    message.world.octomap = m.octomap(octree({(0, 0, 0)}, 0.01))
    assert set(follow(message).allowed) == {("<octomap>", link) for link in ROBOT.links}


def test_an_octomap_that_cannot_be_read_is_one_line_and_none():
    good, bad = m.planning_scene(), m.planning_scene()
    good.world.octomap = m.octomap(octree({(0, 0, 0)}, 0.01))
    bad.world.octomap = m.octomap(octree({(0, 0, 0)}, 0.01))
    bad.world.octomap.octomap.data = bad.world.octomap.octomap.data[:-2]
    scene, lines = follow(good).updated(bad)
    assert lines == ["the planning scene's octomap is refused: its data end before its tree"]
    # As in MoveIt, the one before is gone.
    assert cells(scene) is None


def test_the_matrix_allows_pairs_by_entries_then_by_defaults():
    read = AllowedCollisions.read(
        m.matrix(
            ["a", "b", "c"],
            [(False, True, False), (True, False, False), (False, False, False)],
            {"d": True, "e": True, "f": False},
        )
    )
    assert read.allows("a", "b") and read.allows("b", "a")
    assert not read.allows("a", "c") and not read.allows("x", "y")
    assert read.allows("a", "d") and read.allows("d", "e")
    # One that must not touch anything by default prevails.
    assert not read.allows("d", "f") and not read.allows("a", "f")
    pairs = read.allowed_pairs(["a", "b", "c", "d"])
    assert {tuple(sorted(pair)) for pair in pairs} == {
        ("a", "b"),
        ("a", "d"),
        ("b", "d"),
        ("c", "d"),
    }


@pytest.mark.parametrize(
    "message",
    [
        m.matrix(["a"], []),
        m.matrix(["a", "b"], [(True,), (True,)]),
    ],
)
def test_a_malformed_matrix_is_refused_and_the_one_before_kept(message):
    with pytest.raises(InvalidArgumentError, match="allowed collision matrix"):
        AllowedCollisions.read(message)
    good = m.matrix(defaults={"box": True})
    scene = follow(
        m.planning_scene(m.box(), allowed_collision_matrix=good),
        m.planning_scene(allowed_collision_matrix=message),
        faults=1,
    )
    assert scene.allowed == (("box", "base"), ("box", "post"), ("box", "hook"))


def test_pairs_of_objects_and_links_that_may_touch():
    names = ["box", "hook", "load"]
    rows = [(False, True, True), (True, False, False), (True, False, False)]
    state = m.robot_state(carried=[m.attached("hook", m.box("load"))])
    two = m.collision_object(
        "box", primitives=[m.primitive(m.SPHERE, 0.1)] * 2, primitive_poses=[m.pose(1.0)] * 2
    )
    message = m.planning_scene(
        two, m.box("other"), state=state, allowed_collision_matrix=m.matrix(names, rows)
    )
    scene = follow(message)
    assert set(scene.allowed) == {
        ("box[0]", "hook"),
        ("box[1]", "hook"),
        ("box[0]", "load"),
        ("box[1]", "load"),
    }
    # An object that is removed takes its entries along.
    gone = m.planning_scene(m.collision_object("box", REMOVE))
    again = m.planning_scene(m.box("box", operation=ADD))
    assert follow(message, gone, again).allowed == ()


def test_links_that_touch_everything_by_default_touch_unnamed_objects():
    message = m.planning_scene(m.box(), allowed_collision_matrix=m.matrix(defaults={"hook": True}))
    assert follow(message).allowed == (("box", "hook"),)
