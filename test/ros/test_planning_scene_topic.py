"""The planning scene and clouds by topic: what solutions avoid, and what RViz shows."""

import time

import moveit_interfaces
import numpy as np
import pytest
import rclpy

moveit_interfaces.require()
pytest.importorskip("coal")

from ik_client import LATCHED
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, PlanningScene
from moveit_msgs.srv import GetPlanningScene
from position_ik_client import Code, PositionIKClient, ik_request, named, solution
from position_ik_client import PlanningScene as Validity
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
from scipy.spatial import KDTree
from sensor_msgs.msg import PointCloud2, PointField
from solid_panda import DISABLED, HAND, SRDF, Truth
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.conversions import transforms_to_poses
from generative_ik_ros.ros.scene_markers import LOOK
from generative_ik_ros.ros.scene_sources import LIMITS


@pytest.fixture(scope="module")
def node(start_node, solid_urdf):
    return start_node(
        robot_description=solid_urdf,
        robot_description_semantic=SRDF,
        tip_link="panda_hand_tcp",
        groups="gripper_point panda_link0 panda_hand_tcp",
        point_cloud_topic="points",
        point_radius=0.02,
    )


@pytest.fixture(scope="module")
def client(node):
    client = PositionIKClient(node.namespace)
    client.wait()
    client.until(asked(INSIDE), lambda one: one.status > 0)
    client.scene = client.node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
    client.cloud = client.node.create_publisher(PointCloud2, "points", 1)
    client._when(lambda: client.scene.get_subscription_count() > 0)
    client._when(lambda: client.cloud.get_subscription_count() > 0)
    yield client
    client.close()


@pytest.fixture(autouse=True)
def nothing_there(client):
    client.scene.publish(PlanningScene())
    client.until(asked(INSIDE), free)


def limits(chain, name):
    index = list(chain.joint_names).index(name)
    return chain.lower[index], chain.upper[index]


def test_objects_come_move_and_go(client, solid_urdf, panda):
    client.scene.publish(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))
    response = client.call(asked(BESIDE, num_solutions=10))
    truth = Truth(solid_urdf, {"block": BLOCK}, DISABLED)
    assert list(response.counts) == [10]
    assert not any(truth.of_reply(panda.joint_names, response))
    client.scene.publish(changed(operation("block", CollisionObject.MOVE, (0.3, 0.4, 0.4))))
    client.until(asked(BESIDE), blocked_by("block"))
    assert free(client.call(asked(INSIDE)))
    more = box("block", size=(0.2, 0.2, 0.2), position=INSIDE[:3, 3])
    more.operation = CollisionObject.APPEND
    client.scene.publish(changed(more))
    client.until(asked(INSIDE), blocked_by("block[1]"))
    assert blocked_by("block[0]")(client.call(asked(BESIDE)))
    client.scene.publish(changed(operation("block", CollisionObject.REMOVE)))
    client.until(asked(INSIDE), free)
    assert free(client.call(asked(BESIDE)))


def test_what_is_attached_collides_as_part_of_the_robot(client, solid_urdf):
    """A long rod, held at the hand, fits nowhere near the table top."""
    rod = box("rod", size=(0.02, 0.02, 0.6), position=(0.0, 0.0, 0.4), frame_id="panda_hand")
    table = box("table", size=(2.0, 2.0, 0.02), position=(0.0, 0.0, 0.05))
    held = AttachedCollisionObject(link_name="panda_hand", object=rod, touch_links=HAND)
    client.scene.publish(changed(table))
    low = INSIDE.copy()
    low[:3, 3] = (0.5, 0.0, 0.35)
    client.until(asked(low), free)
    client.scene.publish(changed(carried=[held]))
    client.until(asked(low), lambda one: one.message.endswith("rod with table"))
    # Detached, it stays where the hand is in the scene's state: behind the robot.
    behind = {"panda_joint1": 2.8, "panda_joint2": 0.8, "panda_joint4": -1.0}
    gone = AttachedCollisionObject(object=operation("rod", CollisionObject.REMOVE))
    gone = changed(operation("table", CollisionObject.REMOVE), carried=[gone], joints=behind)
    client.scene.publish(gone)
    client.until(asked(low), free)
    shown = Scene(client)
    assert shown.wait(lambda one: "rod" in one.names() and "table" not in one.names())
    marker = shown.marker("rod")
    hand = KinematicChain.from_urdf(solid_urdf, "panda_link0", "panda_hand")
    q = [behind.get(name, np.clip(0.0, *limits(hand, name))) for name in hand.joint_names]
    middle = (hand.forward(np.array(q)) @ [0.0, 0.0, 0.4, 1.0])[:3]
    at = marker.pose.position
    assert marker.header.frame_id == "panda_link0"
    assert np.allclose((at.x, at.y, at.z), middle)


def test_joints_outside_the_chain_are_where_the_scene_says(client, solid_urdf, panda):
    client.scene.publish(changed(*(box(name, *place) for name, place in PLATES.items())))

    def open_to(opening):
        client.scene.publish(changed(joints={"panda_finger_joint1": opening}))

    check_fingers(client, open_to, solid_urdf, panda)


def test_an_octomap_blocks_until_it_is_cleared(client, solid_urdf, panda, node):
    client.scene.publish(octomap(BLOCK))
    client.until(asked(INSIDE), blocked_by("<octomap>"))
    assert "0 obstacles, 1728 points" in node.health().stdout
    # What stands there is the block, in slightly larger cells.
    truth = Truth(solid_urdf, {"block": BLOCK}, DISABLED)
    response = client.call(asked(BESIDE, num_solutions=10))
    assert list(response.counts) == [10]
    assert not any(truth.of_reply(panda.joint_names, response))
    # Objects are added to it, and it may be touched where the matrix says so.
    client.scene.publish(changed(box("ball", (0.1, 0.1, 0.1), BESIDE[:3, 3])))
    client.until(asked(BESIDE), blocked_by("ball"))
    assert blocked_by("<octomap>")(client.call(asked(INSIDE)))
    message = changed()
    matrix = message.allowed_collision_matrix
    matrix.default_entry_names, matrix.default_entry_values = ["<octomap>"], [True]
    client.scene.publish(message)
    client.until(asked(INSIDE), free)
    matrix.default_entry_values = [False]
    client.scene.publish(message)
    client.until(asked(INSIDE), blocked_by("<octomap>"))
    cleared = changed()
    cleared.world.octomap.octomap.id = "cleared"
    client.scene.publish(cleared)
    client.until(asked(INSIDE), free)
    assert blocked_by("ball")(client.call(asked(BESIDE)))


def test_a_broken_octomap_and_an_unknown_frame_are_one_line_each(client, node):
    mark = node.mark()
    message = changed(box("far", frame_id="moon"))
    message.world.octomap.octomap.data = [1, 3]
    message.world.octomap.octomap.id = "OcTree"
    message.world.octomap.octomap.resolution = 0.1
    for _ in range(3):
        client.scene.publish(message)
    node.wait_for("octomap is refused: its data end before its tree", mark)
    node.wait_for("'far' is refused: its frame 'moon'", mark)
    client.call(asked(INSIDE))
    assert node.output(mark).count("octomap") == node.output(mark).count("moon") == 1


@pytest.fixture
def later(start_node, solid_urdf):
    """A node that starts when there is a scene already."""
    return start_node(
        robot_description=solid_urdf, robot_description_semantic=SRDF, tip_link="panda_hand_tcp"
    )


def test_a_node_that_starts_after_move_group_asks_for_the_whole_scene(later, client_of):
    def serve(request, response):
        parts = request.components
        assert parts.components & parts.WORLD_OBJECT_GEOMETRY and parts.components & parts.OCTOMAP
        response.scene.world.collision_objects = [box("old")]
        return response

    client = client_of(later)
    client.until(asked(INSIDE), free)
    client.node.create_service(GetPlanningScene, "get_planning_scene", serve)
    client.until(asked(INSIDE), blocked_by("old"))
    # What changes from now on is added to that.
    scene = client.node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
    client._when(lambda: scene.get_subscription_count() > 0)
    scene.publish(changed(box("new", position=BESIDE[:3, 3])))
    client.until(asked(BESIDE), blocked_by("new"))
    assert blocked_by("old")(client.call(asked(INSIDE)))


def test_what_was_missed_before_a_publisher_was_seen_is_asked_for(later, client_of):
    there = []

    def serve(request, response):
        response.scene.world.collision_objects = [box(name) for name in there]
        return response

    # One that goes before it answers: nobody spins it.
    gone = rclpy.create_node("gone", namespace=later.namespace)
    gone.create_service(GetPlanningScene, "get_planning_scene", serve)
    client = client_of(later)
    client.until(asked(INSIDE), free)
    time.sleep(1.0 + LIMITS.asking_period)
    gone.destroy_node()
    there.append("old")
    client.node.create_service(GetPlanningScene, "get_planning_scene", serve)
    client.until(asked(INSIDE), blocked_by("old"))
    # A change that was published before this node was known.
    there[:] = []
    assert blocked_by("old")(client.call(asked(INSIDE)))
    client.node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
    client.until(asked(INSIDE), free)


def cloud(points, frame_id="panda_link0", padding=4):
    """A PointCloud2 with a field between x, y and z, and some bytes at the end of each point."""
    kind = np.dtype(
        {"names": ["x", "intensity", "y", "z"], "formats": ["<f4"] * 4, "itemsize": 16 + padding}
    )
    rows = np.zeros(len(points), kind)
    rows["x"], rows["y"], rows["z"] = np.asarray(points, np.float32).T
    message = PointCloud2(height=1, width=len(rows), point_step=kind.itemsize)
    message.header.frame_id = frame_id
    message.row_step, message.data = rows.nbytes, rows.tobytes()
    message.fields = [
        PointField(name=name, offset=kind.fields[name][1], datatype=PointField.FLOAT32, count=1)
        for name in kind.names
    ]
    return message


def grid(center, size=0.15, step=0.02):
    line = np.arange(-size, size + 1e-9, step)
    return np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3) + center


def test_points_block_until_a_newer_cloud_comes(client, node):
    points = np.concatenate([grid(BLOCK[1]), np.full((5, 3), np.nan)])
    client.cloud.publish(cloud(points))
    client.until(asked(INSIDE), blocked_by("points"))
    assert free(client.call(asked(BESIDE)))
    assert f"{len(points) - 5} points" in node.health().stdout
    client.cloud.publish(cloud(grid(BESIDE[:3, 3])))
    client.until(asked(BESIDE), blocked_by("points"))
    assert free(client.call(asked(INSIDE)))
    client.cloud.publish(cloud(np.full((5, 3), np.nan)))
    client.until(asked(BESIDE), free)


def test_clouds_that_cannot_be_read_are_one_line_each(client, node):
    mark = node.mark()
    odd = cloud(grid(BLOCK[1]))
    odd.fields[0].name = "u"
    short = cloud(grid(BLOCK[1]))
    short.width *= 2
    for message, words in (
        (cloud(grid(BLOCK[1]), "moon"), "frame 'moon'"),
        (odd, "no x"),
        (short, "does not fit"),
    ):
        for _ in range(2):
            client.cloud.publish(message)
            node.wait_for(words, mark)
        assert node.output(mark).count(words) == 1
    assert free(client.call(asked(INSIDE)))


def test_the_topic_of_clouds_can_be_changed(client):
    assert client.set_parameters(point_cloud_topic="other")[0].successful
    other = client.node.create_publisher(PointCloud2, "other", 1)
    client._when(lambda: other.get_subscription_count() > 0)

    def seen(response):
        # Each publisher knows of a subscription before the subscription knows of it.
        other.publish(cloud(grid(BLOCK[1])))
        return blocked_by("points")(response)

    client.until(asked(INSIDE), seen)
    # Without a topic there are no points.
    assert client.set_parameters(point_cloud_topic="")[0].successful
    assert free(client.call(asked(INSIDE)))
    assert client.set_parameters(point_cloud_topic="points")[0].successful
    client._when(lambda: client.cloud.get_subscription_count() > 0)


class Scene:
    """The latest message on ~/scene_markers."""

    def __init__(self, client):
        self.latest = None
        client.node.create_subscription(
            MarkerArray, "generative_ik/scene_markers", self._take, LATCHED
        )

    def _take(self, message):
        self.latest = message

    def names(self):
        return {one.ns for one in self.latest.markers} if self.latest else set()

    def wait(self, condition, timeout=10.0):
        end = time.monotonic() + timeout
        while not condition(self):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def marker(self, name):
        return next(one for one in self.latest.markers if one.ns == name)


def test_obstacles_are_shown_and_what_is_hit_is_marked(client):
    shown = Scene(client)
    client.scene.publish(changed(box(), box("ball", position=(0.0, 0.6, 0.2))))
    client.until(asked(INSIDE), blocked_by("block"))
    assert shown.wait(lambda one: {"block", "ball", "hit"} <= one.names())
    first = shown.latest.markers[0]
    assert first.action == Marker.DELETEALL
    block, ball, label = (shown.marker(name) for name in ("block", "ball", "hit"))
    assert block.type == Marker.CUBE and block.header.frame_id == "panda_link0"
    assert np.allclose([block.scale.x, block.scale.y, block.scale.z], BLOCK[0])
    (pose,) = transforms_to_poses(np.eye(4)[None])
    assert block.pose.orientation == pose.orientation
    assert np.allclose([block.pose.position.x, block.pose.position.z], [0.5, 0.4])
    assert block.color.r > 2.0 * block.color.b and abs(ball.color.r - ball.color.b) < 0.1
    assert label.text.endswith(" with block") and label.type == Marker.TEXT_VIEW_FACING
    client.call(asked(BESIDE))
    assert shown.wait(lambda one: "hit" not in one.names())
    assert shown.marker("block").color == shown.marker("ball").color


def test_points_and_an_octomap_are_shown(client):
    shown = Scene(client)
    points = grid((0.0, 0.6, 0.2), 0.05)
    client.cloud.publish(cloud(points))
    client.scene.publish(octomap(BLOCK))
    client.until(asked(INSIDE), blocked_by("<octomap>"))
    assert shown.wait(lambda one: {"points", "<octomap>", "hit"} <= one.names())
    balls, cells = shown.marker("points"), shown.marker("<octomap>")
    assert balls.type == Marker.SPHERE_LIST and np.isclose(balls.scale.x, 0.04)
    assert np.allclose(sorted((p.x, p.y, p.z) for p in balls.points), sorted(map(tuple, points)))
    assert balls.header.frame_id == cells.header.frame_id == "panda_link0"
    assert cells.type == Marker.CUBE_LIST and np.isclose(cells.scale.z, 0.025, rtol=1e-4)
    assert len(cells.points) == 1728
    # What is in the way is marked, like any obstacle.
    assert cells.color.r > 2.0 * cells.color.b and balls.color.r < 1.2 * balls.color.b
    # Too many are drawn as fewer cubes, which no point is outside of.
    many = np.random.default_rng(0).uniform(-0.5, 0.5, (20_000, 3)) + (2.0, 0.0, 1.0)
    client.cloud.publish(cloud(many))
    assert shown.wait(lambda one: len(one.marker("points").points) != len(points))
    cubes = shown.marker("points")
    assert cubes.type == Marker.CUBE_LIST and 500 < len(cubes.points) <= LOOK.most_points
    middles = np.array([(p.x, p.y, p.z) for p in cubes.points])
    assert KDTree(middles).query(many, p=np.inf)[0].max() <= cubes.scale.x / 2.0 + 1e-5
    client.cloud.publish(cloud(np.full((1, 3), np.nan)))
    assert shown.wait(lambda one: "points" not in one.names())


@pytest.fixture
def seeds(panda):
    share = np.random.default_rng(3).uniform(0.3, 0.7, (20, 7))
    return panda.lower + share * (panda.upper - panda.lower)


def test_get_position_ik_is_checked_by_the_node_itself(client, node, solid_urdf, panda, seeds):
    client.scene.publish(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))
    truth = Truth(solid_urdf, {"block": BLOCK}, DISABLED)
    checked = collided = 0
    for q in seeds:
        state = named(panda, q)
        message = ik_request(panda.forward(q), "gripper_point", timeout=2.0, state=state)
        # A seed that solves is the answer, unless it is in collision.
        assert np.array_equal(solution(client.ik(message), panda.joint_names), q)
        collided += bool(truth.pairs(state))
        message.ik_request.avoid_collisions = True
        response = client.ik(message)
        if response.error_code.val == Code.SUCCESS:
            found = solution(response, panda.joint_names)
            assert not truth.pairs(dict(zip(panda.joint_names, found, strict=True)))
            checked += 1
        else:
            assert "reached in collision only: " in response.error_code.message
    assert checked > 10 and collided > 1
    message = ik_request(INSIDE, "gripper_point", timeout=2.0, avoid_collisions=True)
    response = client.ik(message)
    assert response.error_code.val == Code.NO_IK_SOLUTION
    assert response.error_code.message.startswith("reached in collision only: panda_")
    line = "is not available: avoid_collisions is checked by this node alone"
    assert node.printed_once(line)


def test_only_free_candidates_are_passed_on_to_moveit(client, node, solid_urdf, panda, seeds):
    client.scene.publish(changed(box()))
    client.until(asked(INSIDE), blocked_by("block"))
    truth = Truth(solid_urdf, {"block": BLOCK}, DISABLED)

    def verdict(state, response):
        response.valid = state["panda_joint1"] > 0.2
        return response

    validity = Validity(node.namespace, verdict)
    try:
        message = ik_request(BESIDE, "gripper_point", avoid_collisions=True, timeout=0.5)
        end = time.monotonic() + 10.0
        while not validity.asked:
            assert time.monotonic() < end
            client.ik(message)
        found = 0
        for q in seeds:
            message = ik_request(
                panda.forward(q), "gripper_point", avoid_collisions=True, timeout=2.0
            )
            response = client.ik(message)
            if response.error_code.val == Code.SUCCESS:
                assert solution(response, panda.joint_names)[0] > 0.2
                found += 1
        assert found > 5 and len(validity.asked) > 20
        for one in validity.asked:
            state = one.robot_state.joint_state
            assert not truth.pairs(dict(zip(state.name, state.position, strict=True)))
    finally:
        validity.close()
