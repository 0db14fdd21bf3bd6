"""A robot description by topic or parameter: early, late, changed under load, or malformed."""

import threading
import time

import numpy as np
import pytest
from bad_urdfs import BAD_URDFS, GOOD_URDF
from good_arm import GOOD, reachable, reaches
from ik_client import LATCHED, Response, request

from generative_ik_ros.errors import AmbiguousChainError, GenerativeIKError
from generative_ik_ros.robot.chain import KinematicChain

READY = "ready: "
REFUSED = "robot description refused"


def test_requests_before_a_description_are_refused(node, client):
    answer = client.call(request(np.eye(4)[None]))
    assert answer.status == Response.NO_ROBOT_DESCRIPTION
    assert f"{node.namespace}/robot_description" in answer.message
    node.wait_for(f"waiting for a robot description on {node.namespace}/robot_description")


def test_a_bad_description_before_any_good_one(node, client):
    mark = node.mark()
    client.describe_robot("<robot>")
    node.wait_for(f"{REFUSED}, no robot kept", mark)
    answer = client.call(request(np.eye(4)[None]))
    assert answer.status == Response.NO_ROBOT_DESCRIPTION


def test_an_empty_description_is_a_bad_one(node, client):
    mark = node.mark()
    client.describe_robot("")
    node.wait_for(f"{REFUSED}, no robot kept: the robot description is no XML text", mark)


def test_a_description_published_after_the_start(node, client):
    mark = node.mark()
    client.describe_robot(GOOD_URDF)
    node.wait_for("robot 'good' ready: base to tip, 3 joints", mark)
    node.wait_for("preparation took", mark)
    target = reachable(GOOD)
    answer = client.call(request(target, num_solutions=1))
    assert answer.status == Response.SOLVED and reaches(GOOD, answer, target[0])


def test_warnings_about_a_description_are_logged(node, client):
    mark = node.mark()
    client.describe_robot(GOOD_URDF.replace('lower="-2.5" upper="2"', 'lower="-170" upper="120"'))
    node.wait_for("ready: base to tip, 3 joints", mark)
    (line,) = [line for line in node.output(mark).splitlines() if "in degrees?" in line]
    assert line.startswith("[WARN]") and "turn (-170 to 120)" in line


def error_of(text):
    """Return the error for a description in a node without parameters; empty if there is none."""
    try:
        KinematicChain.from_urdf(text)
    except AmbiguousChainError:
        return ""
    except GenerativeIKError as error:
        return str(error)
    return ""


def sendable(text):
    """Whether a ROS string can contain a text: no NUL, no lone surrogates."""
    return "\0" not in text and text == text.encode(errors="ignore").decode()


SENDABLE = [bad for bad in BAD_URDFS if sendable(bad.text)]
REFUSABLE = [bad for bad in SENDABLE if error_of(bad.text)]
ANSWERABLE = [bad for bad in SENDABLE if bad not in REFUSABLE and bad.tip_link]


# Each of them is read in test/robot/test_bad_urdfs.py.
@pytest.mark.parametrize("bad", REFUSABLE[::10], ids=lambda bad: bad.id)
def test_a_bad_description_keeps_the_old_one(node, client, bad):
    mark = node.mark()
    client.describe_robot(bad.text)
    node.wait_for(REFUSED, mark)
    said = node.output(mark)
    assert "robot 'good' kept: " in said and "Traceback" not in said
    target = reachable(GOOD)
    answer = client.call(request(target, num_solutions=1))
    assert answer.status == Response.SOLVED and reaches(GOOD, answer, target[0])


@pytest.mark.parametrize("bad", ANSWERABLE[::4], ids=lambda bad: bad.id)
def test_an_unusable_chain_is_refused_in_the_reply(node, client, bad):
    """The description is accepted; requests for its invalid part are refused."""
    client.describe_robot(bad.text)
    message = request(np.eye(4)[None], num_solutions=1, tip_link=bad.tip_link)
    if bad.base_link:
        client.until(message, lambda answer: answer.status != Response.SOLVED)
        assert not client.set_parameters(base_link=bad.base_link)[0].successful
        return
    answer = client.until(message, lambda answer: bad.message in answer.message)
    assert answer.status == Response.INVALID_REQUEST


def test_several_tips_wait_for_a_choice(node, client, panda_urdf, panda):
    mark = node.mark()
    client.describe_robot(panda_urdf)
    node.wait_for("every request must name its tip link", mark)
    node.wait_for("robot 'panda' ready: without a tip link", mark)
    node.wait_for("choose tip_link from: ", mark)
    assert "panda_hand_tcp" in node.output(mark).split("choose tip_link from: ")[1]
    target = reachable(panda)
    answer = client.until(
        request(target, num_solutions=2), lambda answer: "panda_hand_tcp" in answer.message
    )
    assert answer.status == Response.INVALID_REQUEST
    answer = client.call(request(target, num_solutions=2, tip_link="panda_hand_tcp"))
    assert answer.status == Response.SOLVED and reaches(panda, answer, target[0])
    assert client.set_parameters(tip_link="panda_hand_tcp")[0].successful
    answer = client.call(request(target, num_solutions=2))
    assert answer.status == Response.SOLVED and reaches(panda, answer, target[0])
    client.set_parameters(tip_link="")


def test_a_description_published_before_the_start(ros, start_node, client_of):
    """By an earlier transient-local publisher, on a remapped topic."""
    from rclpy.node import Node
    from std_msgs.msg import String

    early = Node("early")
    topic = early.create_publisher(String, "/early/description", LATCHED)
    topic.publish(String(data=GOOD_URDF))
    node = start_node(arguments=["-r", "robot_description:=/early/description"])
    node.wait_for(READY)
    client = client_of(node)
    target = reachable(GOOD)
    assert reaches(GOOD, client.call(request(target, num_solutions=1)), target[0])
    early.destroy_node()


def test_the_parameter_replaces_the_robot_as_well(client, panda_urdf, panda):
    result = client.set_parameters(robot_description="<robot name='x'/>")[0]
    assert not result.successful and result.reason
    result = client.set_parameters(robot_description="/etc/hostname")[0]
    assert not result.successful and "no XML text" in result.reason
    assert client.set_parameters(robot_description=GOOD_URDF)[0].successful
    target = reachable(GOOD)
    assert reaches(GOOD, client.call(request(target, num_solutions=1)), target[0])


def test_swaps_under_load_lose_no_request(node, client, client_of, panda, panda_urdf):
    """Three clients call while two robots alternate: each reply is for one of them."""
    chains = {"panda_hand_tcp": panda, "tip": GOOD}
    targets = {tip: reachable(chain) for tip, chain in chains.items()}
    stop, errors, solved = threading.Event(), [], {tip: 0 for tip in chains}

    def ask(number):
        try:
            asker = client_of(node)
            while not stop.is_set():
                for tip, chain in chains.items():
                    answer = asker.call(request(targets[tip], num_solutions=1, tip_link=tip))
                    if answer.status == Response.INVALID_REQUEST:
                        assert f"unknown link '{tip}'" in answer.message
                        continue
                    assert answer.status == Response.SOLVED, answer
                    assert answer.joint_names == chain.joint_names
                    assert reaches(chain, answer, targets[tip][0])
                    solved[tip] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(10):
        mark = node.mark()
        client.describe_robot((panda_urdf, GOOD_URDF)[turn % 2])
        node.wait_for(READY, mark)
        time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    assert min(solved.values()) > 10, solved
