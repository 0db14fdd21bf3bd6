"""~/get_position_ik: replies and error codes."""

import time

import moveit_interfaces
import numpy as np
import pytest
from clock import in_time

moveit_interfaces.require()

from moveit_msgs.msg import ConstraintEvalResult, OrientationConstraint
from position_ik_client import (
    PANDA_SRDF,
    Code,
    PlanningScene,
    PositionIKClient,
    bound,
    ik_request,
    named,
    reaches,
    solution,
    stamped,
)

from generative_ik_ros.robot.chain import KinematicChain


@pytest.fixture(scope="module")
def node(start_node, panda_urdf):
    process = start_node(
        robot_description=panda_urdf,
        tip_link="panda_hand_tcp",
        groups="gripper_point panda_link0 panda_hand_tcp",
    )
    yield process


@pytest.fixture(scope="module")
def client(node):
    client = PositionIKClient(node.namespace)
    client.describe_groups(PANDA_SRDF)
    client.wait()
    node.wait_for("planning groups: panda_arm, hand, panda_arm_hand")
    # The first request of this kind has the geometry read.
    end = time.monotonic() + 60.0
    while client.ik(ik_request(NEAR, avoid_collisions=True)).error_code.val == Code.FAILURE:
        assert time.monotonic() < end, "the collision geometry is not read"
        time.sleep(0.2)
    yield client
    client.close()


@pytest.fixture(scope="module")
def arm(panda_urdf):
    return KinematicChain.from_urdf(panda_urdf, "panda_link0", "panda_link8")


@pytest.fixture
def poses(arm):
    """Configurations well inside the limits, (10, 7)."""
    share = np.random.default_rng(3).uniform(0.3, 0.7, (10, 7))
    return arm.lower + share * (arm.upper - arm.lower)


def test_a_group_is_solved_to_its_own_tip_nearest_to_the_seed(client, arm, poses):
    for q in poses:
        target, seed = arm.forward(q), np.clip(q + 0.05, arm.lower, arm.upper)
        response = client.ik(ik_request(target, state=named(arm, seed)))
        found = solution(response, arm.joint_names)
        assert reaches(arm, found, target)
        assert np.abs(found - seed).max() < 0.3
        assert response.solution.is_diff
        assert response.solution.joint_state.header.frame_id == "panda_link0"


def test_requests_of_the_stock_plugin_are_answered(client, arm, poses):
    """SrvKinematicsPlugin sends avoid_collisions, no timeout and a zero stamp."""
    target = arm.forward(poses[1])
    message = ik_request(
        target,
        frame_id="panda_link0",
        state=named(arm, poses[2]),
        avoid_collisions=True,
        ik_link_name="panda_link8",
    )
    assert reaches(arm, solution(client.ik(message), arm.joint_names), target)


def test_another_link_that_the_group_moves(client, panda, arm, poses):
    target = panda.forward(poses[0])
    for message in (
        ik_request(target, ik_link_name="panda_hand_tcp"),
        ik_request(
            ik_link_names=["panda_hand_tcp"], pose_stamped_vector=[stamped(target, "panda_link0")]
        ),
    ):
        assert reaches(panda, solution(client.ik(message), arm.joint_names), target)


def test_all_joints_of_a_group_are_in_the_reply_mimics_included(client, arm, poses):
    names = [*arm.joint_names, "panda_finger_joint1", "panda_finger_joint2"]
    target = arm.forward(poses[0])
    state = {**named(arm, poses[1]), "panda_finger_joint1": 0.03, "panda_finger_joint2": 0.0}
    found = solution(client.ik(ik_request(target, "panda_arm_hand", state=state)), names)
    assert reaches(arm, found[:7], target)
    assert found[7:].tolist() == [0.03, 0.03]
    # A state without them: their default positions.
    found = solution(client.ik(ik_request(target, "panda_arm_hand")), names)
    assert found[7:].tolist() == [0.0, 0.0]


def test_a_group_from_the_parameter_and_the_default_chain(client, panda, poses):
    target = panda.forward(poses[0])
    for group in ("gripper_point", ""):
        found = solution(client.ik(ik_request(target, group)), panda.joint_names)
        assert reaches(panda, found, target)


def test_a_pose_in_the_frame_of_a_link_determined_by_the_state(client, arm, poses, panda_urdf):
    elbow = KinematicChain.from_urdf(panda_urdf, "panda_link0", "panda_link4")
    seed, target = poses[4], arm.forward(poses[4] + 0.02)
    in_elbow = np.linalg.inv(elbow.forward(seed[:4])) @ target
    message = ik_request(in_elbow, frame_id="panda_link4", state=named(arm, seed))
    assert reaches(arm, solution(client.ik(message), arm.joint_names), target)


def test_joint_constraints_are_kept(client, arm, poses):
    for q in poses[:4]:
        message = ik_request(arm.forward(q), state=named(arm, poses[9]))
        message.ik_request.constraints.joint_constraints = [
            bound("panda_joint1", q[0] + 0.1, 0.3, 0.1),
            bound("panda_joint4", q[3], 0.5, 0.5),
        ]
        found = solution(client.ik(message), arm.joint_names)
        assert reaches(arm, found, arm.forward(q))
        assert q[0] - 0.2 - 1e-9 <= found[0] <= q[0] + 0.2 + 1e-9
        assert abs(found[3] - q[3]) <= 0.5 + 1e-9
    message.ik_request.constraints.joint_constraints = [bound("panda_joint1", 9.0, 0.1, 0.1)]
    assert client.ik(message).error_code.val == Code.NO_IK_SOLUTION


NEAR = np.eye(4)
NEAR[:3, 3] = (0.4, 0.0, 0.4)
FAR = np.eye(4)
FAR[:3, 3] = (5.0, 0.0, 0.0)
BENT = NEAR.copy()
BENT[0, 3] = np.nan


@pytest.mark.parametrize(
    ("code", "words", "message"),
    [
        (Code.NO_IK_SOLUTION, "m and", lambda: ik_request(FAR)),
        (Code.INVALID_GROUP_NAME, "panda_arm_hand", lambda: ik_request(NEAR, "leg")),
        (Code.INVALID_GROUP_NAME, "no one tip", lambda: ik_request(NEAR, "hand")),
        (
            Code.INVALID_LINK_NAME,
            "unknown link 'nose'",
            lambda: ik_request(NEAR, ik_link_name="nose"),
        ),
        (
            Code.INVALID_LINK_NAME,
            "panda_finger_joint1",
            lambda: ik_request(NEAR, ik_link_name="panda_leftfinger"),
        ),
        (
            Code.INVALID_LINK_NAME,
            "does not move",
            lambda: ik_request(NEAR, ik_link_name="panda_link0"),
        ),
        (
            Code.INVALID_LINK_NAME,
            "2 poses",
            lambda: ik_request(pose_stamped_vector=[stamped(NEAR)] * 2),
        ),
        (
            Code.FAILURE,
            "panda_link8",
            lambda: ik_request(
                pose_stamped_vector=[stamped(NEAR)] * 2, ik_link_names=["panda_link8"] * 2
            ),
        ),
        (Code.FRAME_TRANSFORM_FAILURE, "moon", lambda: ik_request(NEAR, frame_id="moon")),
        (
            Code.INVALID_ROBOT_STATE,
            "panda_joint1",
            lambda: ik_request(NEAR, state={"panda_joint1": np.nan}),
        ),
        (Code.INVALID_GOAL_CONSTRAINTS, "not finite", lambda: ik_request(BENT)),
    ],
)
def test_errors_have_moveits_codes(client, code, words, message):
    response = client.ik(message())
    assert response.error_code.val == code, response.error_code
    assert words in response.error_code.message
    assert not response.solution.joint_state.name


def test_malformed_states_and_constraints(client):
    message = ik_request(NEAR)
    message.ik_request.robot_state.joint_state.name = ["panda_joint1"]
    assert client.ik(message).error_code.val == Code.INVALID_ROBOT_STATE
    message.ik_request.robot_state.joint_state.name = ["panda_joint1"] * 2
    message.ik_request.robot_state.joint_state.position = [0.0, 0.1]
    assert client.ik(message).error_code.val == Code.INVALID_ROBOT_STATE
    message = ik_request(NEAR)
    message.ik_request.constraints.joint_constraints = [bound("tail", 0.0, 0.1, 0.1)]
    assert client.ik(message).error_code.val == Code.INVALID_GOAL_CONSTRAINTS
    message = ik_request(NEAR)
    message.ik_request.constraints.orientation_constraints = [OrientationConstraint()]
    response = client.ik(message)
    assert response.error_code.val == Code.INVALID_GOAL_CONSTRAINTS
    assert "check_state_validity" in response.error_code.message


def test_who_checks_collisions_is_logged_once(node, client, arm, poses):
    for _ in range(3):
        client.ik(ik_request(arm.forward(poses[0]), avoid_collisions=True))
    text = "check_state_validity is not available: avoid_collisions is checked by this node alone"
    assert node.printed_once(text)


@pytest.fixture
def scene_of(node, client):
    made = []

    def make(verdict):
        made.append(PlanningScene(node.namespace, verdict))
        wait = ik_request(NEAR, avoid_collisions=True, timeout=0.1)
        end = time.monotonic() + 10.0
        while not made[-1].asked:
            assert time.monotonic() < end, "the node does not find the planning scene"
            client.ik(wait)
        made[-1].asked.clear()
        return made[-1]

    yield make
    for scene in made:
        scene.close()


def test_candidates_in_collision_are_refused_nearest_first(client, arm, poses, scene_of):
    def verdict(state, response):
        response.valid = state["panda_joint1"] > 0.3
        return response

    scene = scene_of(verdict)
    for q in poses[:4]:
        scene.asked.clear()
        seed = q.copy()
        seed[0] = -0.5
        target = arm.forward(q)
        message = ik_request(
            target,
            state={**named(arm, seed), "panda_finger_joint1": 0.01},
            avoid_collisions=True,
            timeout=2.0,
        )
        found = solution(client.ik(message), arm.joint_names)
        assert found[0] > 0.3 and reaches(arm, found, target)
        tried = [one.robot_state.joint_state for one in scene.asked]
        assert all(one.position[: len(one.name)] for one in tried)
        assert all(one.group_name == "panda_arm" for one in scene.asked)
        assert all(one.robot_state.is_diff for one in scene.asked)
        values = [dict(zip(one.name, one.position, strict=True)) for one in tried]
        assert all(one["panda_finger_joint1"] == 0.01 for one in values)
        away = [sum(abs(one[n] - s) for n, s in named(arm, seed).items()) for one in values]
        assert away[: min(len(away), 16)] == sorted(away[:16])
        assert np.allclose([values[-1][n] for n in arm.joint_names], found)


def test_if_nothing_is_valid_the_reply_is_in_time(client, arm, poses, scene_of):
    def verdict(_, response):
        time.sleep(0.02)
        response.valid = False
        return response

    scene = scene_of(verdict)
    message = ik_request(arm.forward(poses[0]), avoid_collisions=True, timeout=0.3)
    start = time.monotonic()
    response = in_time(lambda: client.ik(message), 0.6)
    assert response.error_code.val == Code.TIMED_OUT
    assert time.monotonic() - start > 0.2
    assert len(scene.asked) > 3


def test_spatial_constraints_are_checked_by_the_scene(client, arm, poses, scene_of):
    wanted = poses[0][6]

    def verdict(state, response):
        response.valid = False  # in collision, but avoid_collisions is not set
        good = bool(abs(state["panda_joint7"] - wanted) < 0.4)
        response.constraint_result = [ConstraintEvalResult(result=good)]
        return response

    scene_of(verdict)
    message = ik_request(arm.forward(poses[0]), timeout=2.0)
    message.ik_request.constraints.orientation_constraints = [OrientationConstraint()]
    found = solution(client.ik(message), arm.joint_names)
    assert abs(found[6] - wanted) < 0.4 and reaches(arm, found, arm.forward(poses[0]))


def test_a_bad_semantic_description_keeps_the_current_one(node, client, arm, poses):
    mark = node.mark()
    client.describe_groups("<robot><group/></robot>")
    node.wait_for("robot_description_semantic refused", mark)
    target = arm.forward(poses[0])
    assert reaches(arm, solution(client.ik(ik_request(target)), arm.joint_names), target)


def test_parameters_are_validated_and_take_effect_immediately(client, arm, panda, poses):
    (result,) = client.set_parameters(groups="a b")
    assert not result.successful and "NAME BASE_LINK TIP_LINK" in result.reason
    (result,) = client.set_parameters(groups="wrist panda_link0 panda_hand_tcp")
    assert result.successful
    target = panda.forward(poses[0])
    assert reaches(
        panda, solution(client.ik(ik_request(target, "wrist")), panda.joint_names), target
    )
    gone = client.ik(ik_request(target, "gripper_point"))
    assert gone.error_code.val == Code.INVALID_GROUP_NAME
    (result,) = client.set_parameters(groups="gripper_point panda_link0 panda_hand_tcp")
    assert result.successful


def test_without_moveit_msgs_the_other_service_works(
    start_node, client_of, panda_urdf, monkeypatch
):
    if moveit_interfaces.installed():
        pytest.skip("moveit_msgs is installed")
    monkeypatch.delenv("PYTHONPATH")
    node = start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp")
    client_of(node)
    node.wait_for("moveit_msgs is not installed: ~/get_position_ik is not offered")
    assert node.printed_once("moveit_msgs")
