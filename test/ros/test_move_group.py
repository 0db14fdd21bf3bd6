"""A node follows the planning scene of a real move_group: every kind of change, and its state."""

import moveit_interfaces
import pytest

moveit_interfaces.require()
pytest.importorskip("coal", reason="coal is not installed: pip install '.[collision]'")

import move_group

if move_group.command() is None:
    pytest.skip(
        "move_group is not installed: sudo apt install ros-$ROS_DISTRO-moveit",
        allow_module_level=True,
    )

from geometry_msgs.msg import Pose
from ik_client import IKClient
from moveit_msgs.msg import AllowedCollisionEntry, AttachedCollisionObject, CollisionObject
from scene_changes import (
    BESIDE,
    BLOCK,
    INSIDE,
    PLATES,
    asked,
    blocked_by,
    box,
    changed,
    check_fingers,
    free,
    octomap,
    operation,
)
from solid_panda import DISABLED, HAND, SRDF, Truth

NAMESPACE = "/moved"
FIXED = """<virtual_joint name="w" type="fixed" parent_frame="world" child_link="panda_link0"/>
</robot>"""
REST = {f"panda_joint{k}": q for k, q in enumerate((2.8, 0.8, 0.0, -1.0, 0.0, 1.6, 0.0), 1)}
REST |= {"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0}


@pytest.fixture(scope="module")
def started(start_node, client_of, solid_urdf, tmp_path_factory):
    """A client of a node that is there before move_group, and one of move_group."""
    own = move_group.MoveGroup(
        tmp_path_factory.mktemp("move_group"),
        NAMESPACE,
        solid_urdf,
        SRDF.replace("</robot>", FIXED),
    )
    client = client_of(start(start_node, solid_urdf))
    own.wait()
    caller = IKClient(NAMESPACE)
    yield client, move_group.SceneClient(caller.node, REST)
    caller.close()
    own.stop()


def start(start_node, solid_urdf):
    names = "monitored_planning_scene", "get_planning_scene"
    return start_node(
        arguments=[word for name in names for word in ("-r", f"{name}:={NAMESPACE}/{name}")],
        robot_description=solid_urdf,
        robot_description_semantic=SRDF,
        tip_link="panda_hand_tcp",
    )


@pytest.fixture
def scene(started):
    """The scene, without anything in it and with the arm at rest."""
    client, scene = started
    scene.move_joints(**REST)
    everything = AttachedCollisionObject(object=operation("", CollisionObject.REMOVE))
    gone = changed(carried=[everything])
    scene.apply(gone)
    gone = changed(operation("", CollisionObject.REMOVE))
    gone.world.octomap.octomap.id = "cleared"
    scene.apply(gone)
    client.until(asked(INSIDE), free)
    return scene


@pytest.fixture
def client(started):
    return started[0]


def test_objects_come_move_and_go(client, scene, solid_urdf, panda):
    scene.apply(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))
    response = client.call(asked(BESIDE, num_solutions=10))
    assert len(response.counts) == 1 and response.counts[0] == 10
    truth = Truth(solid_urdf, {"block": BLOCK}, DISABLED)
    assert not any(truth.of_reply(panda.joint_names, response))
    scene.apply(changed(operation("block", CollisionObject.MOVE, BESIDE[:3, 3])))
    client.until(asked(BESIDE), blocked_by("block"))
    assert free(client.call(asked(INSIDE)))
    # Relative to the object, for MoveIt 2.12 does not look at the pose of what is appended.
    more = box("block", size=(0.2, 0.2, 0.2), position=BESIDE[:3, 3])
    more.operation = CollisionObject.APPEND
    (place,) = more.primitive_poses = [Pose()]
    at = place.position
    at.x, at.y, at.z = (INSIDE - BESIDE)[:3, 3].tolist()
    place.orientation.w = 1.0
    scene.apply(changed(more))
    client.until(asked(INSIDE), lambda one: one.message.endswith("block[1]"))
    scene.apply(changed(operation("block", CollisionObject.REMOVE)))
    client.until(asked(INSIDE), free)
    assert free(client.call(asked(BESIDE)))


def test_an_object_that_stands_is_attached_and_detached(client, scene):
    """As MoveIt's programs do it: attached by its name, and put down elsewhere."""
    scene.apply(changed(box("table", size=(2.0, 2.0, 0.02), position=(0.0, 0.0, 0.05))))
    low = INSIDE.copy()
    low[:3, 3] = (0.5, 0.0, 0.35)
    client.until(asked(low), free)
    rod = box("rod", size=(0.02, 0.02, 0.6), position=(0.0, 0.0, 0.4), frame_id="panda_hand")
    scene.apply(changed(rod))
    held = AttachedCollisionObject(link_name="panda_hand", touch_links=HAND)
    held.object.id = "rod"
    scene.apply(changed(carried=[held]))
    client.until(asked(low), lambda one: one.message.endswith("rod with table"))
    held.object.operation = CollisionObject.REMOVE
    scene.apply(changed(carried=[held]))
    client.until(asked(low), free)


def test_the_allowed_collision_matrix_counts(client, scene):
    scene.apply(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))
    # Entries for all links, as MoveIt writes them.
    message, matrix = changed(), scene.matrix()
    assert "panda_link5" in matrix.entry_names and "block" not in matrix.entry_names
    for row in matrix.entry_values:
        row.enabled = [*row.enabled, True]
    matrix.entry_names = [*matrix.entry_names, "block"]
    row = AllowedCollisionEntry(enabled=[True] * len(matrix.entry_names))
    matrix.entry_values = [*matrix.entry_values, row]
    message.allowed_collision_matrix = matrix
    scene.apply(message)
    client.until(asked(INSIDE), free)
    # An object that is removed takes its entries along.
    scene.apply(changed(operation("block", CollisionObject.REMOVE)))
    scene.apply(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))


@pytest.mark.parametrize("binary", [True, False])
def test_an_octomap_as_moveit_sends_it_on(client, scene, binary):
    scene.apply(octomap(BLOCK, binary=binary))
    client.until(asked(INSIDE), blocked_by("<octomap>"))
    assert free(client.call(asked(BESIDE)))
    moved = octomap(BLOCK, binary=binary)
    at = moved.world.octomap.origin.position
    at.x, at.y, at.z = (BESIDE - INSIDE)[:3, 3].tolist()
    scene.apply(moved)
    client.until(asked(BESIDE), blocked_by("<octomap>"))
    assert free(client.call(asked(INSIDE)))


def test_joints_outside_the_chain_are_where_joint_states_say(client, scene, solid_urdf, panda):
    scene.apply(changed(*(box(name, *place) for name, place in PLATES.items())))

    def open_to(opening):
        scene.move_joints(panda_finger_joint1=opening, panda_finger_joint2=opening)

    check_fingers(client, open_to, solid_urdf, panda)


def test_a_node_that_starts_later_has_all_of_it(client_of, start_node, client, scene, solid_urdf):
    scene.apply(octomap(BLOCK))
    scene.apply(changed(box(size=(0.1, 0.1, 0.1), position=BESIDE[:3, 3])))
    later = client_of(start(start_node, solid_urdf))
    for one in (client, later):
        one.until(asked(INSIDE), blocked_by("<octomap>"))
        one.until(asked(BESIDE), blocked_by("block"))
