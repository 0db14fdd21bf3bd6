"""A stored map in the node: what it proves is answered at once, and RViz gets to see it."""

from types import SimpleNamespace as Stub

import moveit_interfaces
import numpy as np
import pytest
import rclpy
from ik_client import LATCHED, Response, Topic, request
from rviz_display import shown
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros import ReachabilityMap
from generative_ik_ros.reach.out_of_reach import OutOfReach
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.point_clouds import read_points
from generative_ik_ros.ros.reachability import Reachability
from generative_ik_ros.ros.solvers import RobotSolvers

SAYS = "out of reach by the reachability map"


@pytest.fixture(scope="module")
def panda_map(panda):
    return ReachabilityMap.compute(panda, 0.2, 100)


@pytest.fixture(scope="module")
def file(panda_map, tmp_path_factory):
    file = tmp_path_factory.mktemp("maps") / "panda.npz"
    panda_map.save(file)
    return str(file)


@pytest.fixture(scope="module")
def other_file(tmp_path_factory):
    from generative_ik_ros import load_robot

    file = tmp_path_factory.mktemp("maps") / "ur10.npz"
    ReachabilityMap.compute(load_robot("ur10"), 0.5, 20).save(file)
    return str(file)


@pytest.fixture(scope="module")
def node(start_node, panda_urdf, file):
    moveit_interfaces.provide()  # its service is asked, too, where there is one
    return start_node(
        robot_description=panda_urdf, tip_link="panda_hand_tcp", reachability_map=file
    )


@pytest.fixture(scope="module")
def near(panda, panda_map):
    """A pose that is out of reach by the map, but not simply too far away, (1, 4, 4)."""
    poses = np.tile(np.eye(4), (len(panda_map.positions), 1, 1))
    poses[:, :3, 3] = panda_map.positions
    poses[:, :3, :3] = panda_map.orientations[0, 0]
    away = np.linalg.norm(poses[:, :3, 3] - panda.joint_origins[0, :3, 3], axis=1)
    proved = OutOfReach(panda_map, panda).proves(poses)
    return poses[proved & (away < panda.reach)][:1]


@pytest.fixture(scope="module")
def reached(panda):
    return panda.forward((0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7))[None]


def test_what_the_map_proves_is_answered_without_a_search(client, near, reached):
    answer = client.until(request(near), lambda one: SAYS in one.message)
    assert answer.status == Response.NO_SOLUTION and list(answer.counts) == [0]
    assert answer.solve_time == 0.0 and not len(answer.positions)
    assert len(answer.best_effort) == 7 and answer.best_effort_position_errors[0] > 0.0
    assert client.call(request(reached, num_solutions=1)).status == Response.SOLVED


def test_what_a_map_says_nothing_of_is_searched_for(client, near, reached):
    def searched(targets, **fields):
        return client.call(request(targets, num_solutions=1, **fields))

    spin = {"region_lower": [0.0] * 5 + [-4.0], "region_upper": [0.0] * 5 + [4.0]}
    both = searched(np.concatenate([near, reached]))
    others = [
        searched(near, position_tolerance=0.05),
        searched(near, orientation_tolerance=np.inf),
        searched(near, **spin),
        searched(np.concatenate([near, near]), goal_set=True),
        searched(near, tip_link="panda_link8"),
    ]
    for answer in (both, *others):
        assert SAYS not in answer.message
        assert answer.solve_time > 0.0
    assert both.status == Response.PARTIAL and list(both.counts) == [0, 1]


def test_it_is_answered_to_moveit_as_well(node, near, reached):
    moveit_interfaces.require()
    from position_ik_client import Code, PositionIKClient, ik_request

    def answer(target, **fields):
        return moveit.ik(ik_request(target, "", timeout=5.0, **fields)).error_code

    moveit = PositionIKClient(node.namespace)
    try:
        moveit.wait()
        proved, solved = answer(near[0]), answer(reached[0])
        assert proved.val == Code.NO_IK_SOLUTION and SAYS in proved.message
        assert solved.val == Code.SUCCESS
        other = answer(near[0], ik_link_name="panda_link8")
        assert SAYS not in other.message, "the map is of another tip link"
    finally:
        moveit.close()


def test_rviz_sees_the_map(client, panda_map):
    clouds = Topic(client, PointCloud2, "generative_ik/reachability", LATCHED)
    markers = Topic(client, MarkerArray, "generative_ik/reachability_markers", LATCHED)
    cloud, drawn = clouds.next(), markers.next()
    clouds.close()
    markers.close()
    index = panda_map.index
    some = index > 0.0
    assert cloud.header.frame_id == "panda_link0"
    assert [field.name for field in cloud.fields] == ["x", "y", "z", "index", "rgb"]
    assert np.allclose(read_points(cloud), panda_map.positions[some])
    rows = np.frombuffer(cloud.data, "<f4").reshape(-1, 5)
    assert np.allclose(rows[:, 3], index[some])
    assert len(set(rows[:, 4].tolist())) > 10
    (cubes,) = [marker for marker in drawn.markers if marker.action == Marker.ADD]
    assert shown(drawn) is not None and cubes.type == Marker.CUBE_LIST
    assert len(cubes.points) == len(cubes.colors) == some.sum()
    assert 0.0 < cubes.scale.x <= panda_map.resolution
    best, worst = (cubes.colors[one] for one in (rows[:, 3].argmax(), rows[:, 3].argmin()))
    assert best.r > worst.r and best.g > worst.g, "yellow is much, blue is little"


def test_the_parameter_is_checked_and_can_be_changed(client, node, near, file, other_file):
    for path, says in (("no/such.npz", "no/such.npz"), (other_file, "another chain")):
        (result,) = client.set_parameters(reachability_map=path)
        assert not result.successful and says in result.reason
    assert SAYS in client.call(request(near)).message, "the map before is kept"
    clouds = Topic(client, PointCloud2, "generative_ik/reachability", LATCHED)
    assert clouds.next().width > 0
    (result,) = client.set_parameters(reachability_map="")
    assert result.successful and clouds.next().width == 0
    clouds.close()
    assert SAYS not in client.call(request(near)).message
    (result,) = client.set_parameters(reachability_map=file)
    assert result.successful and SAYS in client.call(request(near)).message


def test_a_robot_may_be_taken_while_parameters_change(ros, panda_urdf, near, file):
    """What the map proves was then of the robot before, and no request was answered by it."""
    robots = [RobotSolvers(panda_urdf, "", "panda_hand_tcp", "cpu") for _ in range(2)]
    served = Stub(settings=Settings(reachability_map=file), robot=lambda: robots[0])
    node = rclpy.create_node("reach")
    reach = Reachability(node, served)
    reach.take_robot(robots[0])
    options = Stub(
        position_tolerance=1e-5, orientation_tolerance=1e-5, regions=None, goal_set=False,
        tips="", num_solutions=1,
    )  # fmt: skip
    for values in ({"reachability_map": file}, {"timeout": 1.0}):
        read = reach.read(values)
        reach.take_robot(robots[1])
        reach.apply(read)
        assert reach.answer(robots[1], robots[1].chain(), near, options) is not None
    node.destroy_node()


def test_a_bad_map_at_the_start_is_logged_and_the_robot_served(
    start_node, client_of, panda_urdf, other_file, near, reached
):
    robot = {"robot_description": panda_urdf, "tip_link": "panda_hand_tcp"}
    node = start_node(**robot, reachability_map=other_file)
    node.wait_for("parameter reachability_map: ", timeout=60.0)
    assert "another chain" in node.output()
    client = client_of(node)
    assert client.call(request(reached, num_solutions=1)).status == Response.SOLVED
    assert SAYS not in client.call(request(near)).message
