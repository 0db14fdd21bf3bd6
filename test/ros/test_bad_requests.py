"""Every malformed request gets a specific message, and the next valid one a solution."""

import math
import re

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from ik_client import Response, request

NAN, INF = math.nan, math.inf
INVALID, FRAME = Response.INVALID_REQUEST, Response.UNKNOWN_FRAME
SEED = [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0]
JOINTS = [f"panda_joint{i}" for i in range(1, 8)]


def pose(**values):
    """Change a position (x, y, z) or quaternion (qx, qy, qz, qw) entry of the first target."""

    def change(message):
        for name, value in values.items():
            first = message.targets.poses[0]
            setattr(first.orientation if name[0] == "q" else first.position, name[-1], value)

    return change


def fields(**values):
    def change(message):
        for name, value in values.items():
            setattr(message, name, value)

    return change


def frame(frame_id):
    def change(message):
        message.targets.header.frame_id = frame_id

    return change


def poses(number):
    def change(message):
        message.targets.poses = [message.targets.poses[0] if number == 1 else Pose()] * number

    return change


def second_pose_broken(message):
    broken = Pose()
    broken.orientation.w = NAN
    message.targets.poses = [message.targets.poses[0], broken]


# id: what is wrong with a good request, the status, a piece of the message
BAD = {
    "no targets": (poses(0), INVALID, "targets has no poses"),
    "too many targets": (poses(301), INVALID, "301 targets exceed the node's max_targets"),
    "x is NaN": (pose(x=NAN), INVALID, "target 0: position is not finite"),
    "y is infinite": (pose(y=INF), INVALID, "target 0: position is not finite"),
    "z is minus infinite": (pose(z=-INF), INVALID, "position is not finite: (0.5, 0, -inf)"),
    "quaternion NaN": (pose(qx=NAN), INVALID, "target 0: orientation is not finite"),
    "quaternion infinite": (pose(qw=INF), INVALID, "target 0: orientation is not finite"),
    "second pose NaN": (second_pose_broken, INVALID, "target 1: orientation is not finite"),
    "quaternion zero": (
        pose(qx=0.0, qy=0.0, qz=0.0, qw=0.0),
        INVALID,
        "target 0: orientation is a zero quaternion (0, 0, 0, 0)",
    ),
    "quaternion too long": (pose(qx=0.0, qw=2.0), INVALID, "norm 2; only quaternions within 0.01"),
    "quaternion too short": (pose(qx=0.0, qw=0.5), INVALID, "has norm 0.5"),
    "quaternion huge": (
        pose(qx=1e200, qw=0.0),
        INVALID,
        "(1e+200, 0, 0, 0) (x, y, z, w) has norm",
    ),
    "Euler angles": (pose(qx=3.14, qy=0.5, qz=0.0, qw=0.0), INVALID, "has norm 3.17956"),
    "unknown tip": (
        fields(tip_link="panda_hnad"),
        INVALID,
        "unknown link 'panda_hnad'; choose from: panda_link0, ",
    ),
    "tip is the base": (fields(tip_link="panda_link0"), INVALID, "panda_link0"),
    "tip with a blank": (fields(tip_link=" panda_hand"), INVALID, "unknown link ' panda_hand'"),
    "unknown sampler": (
        fields(sampler="magic"),
        INVALID,
        "unknown sampler 'magic'; choose from: auto, quasi_random, ",
    ),
    "sampler in capitals": (fields(sampler="UNIFORM"), INVALID, "unknown sampler 'UNIFORM'"),
    "too many solutions": (
        fields(num_solutions=20_001),
        INVALID,
        "20001 solutions for each of 1 targets exceed the node's max_solutions, 20000",
    ),
    "all the solutions there are": (
        fields(num_solutions=2**32 - 1),
        INVALID,
        "4294967295 solutions for each of 1 targets",
    ),
    "too many solutions in all": (
        lambda message: (poses(300)(message), fields(num_solutions=67)(message)),
        INVALID,
        "67 solutions for each of 300 targets",
    ),
    "seed too short": (
        fields(seed_state=SEED[:6]),
        INVALID,
        "seed_state needs 7 entries, one for each of panda_joint1, panda_joint2",
    ),
    "seed too long": (fields(seed_state=[*SEED, 0.0, 0.0]), INVALID, "panda_joint7; got 9"),
    "seed NaN": (
        fields(seed_state=[NAN, *SEED[1:]]),
        INVALID,
        "seed_state is nan for joint panda_joint1",
    ),
    "seed infinite": (
        fields(seed_state=[*SEED[:6], INF]),
        INVALID,
        "seed_state is inf for joint panda_joint7",
    ),
    "names without seed": (
        fields(seed_joint_names=JOINTS),
        INVALID,
        "seed_joint_names has 7 names but seed_state is empty",
    ),
    "fewer names than entries": (
        fields(seed_state=SEED, seed_joint_names=JOINTS[:3]),
        INVALID,
        "seed_state has 7 entries for 3 seed_joint_names",
    ),
    "a name twice": (
        fields(seed_state=SEED, seed_joint_names=[*JOINTS[:6], JOINTS[0]]),
        INVALID,
        "seed_joint_names repeats panda_joint1",
    ),
    "a joint missing": (
        fields(seed_state=SEED, seed_joint_names=[*JOINTS[:6], "elbow"]),
        INVALID,
        "seed_joint_names lacks panda_joint7; the chain's joints are: panda_joint1, ",
    ),
    "limits without seed": (
        fields(consistency_limits=[0.1] * 7),
        INVALID,
        "consistency_limits require a seed_state",
    ),
    "limits too short": (
        fields(seed_state=SEED, consistency_limits=[0.1] * 2),
        INVALID,
        "consistency_limits needs 7 entries",
    ),
    "limits NaN": (
        fields(seed_state=SEED, consistency_limits=[NAN] * 7),
        INVALID,
        "consistency_limits is nan for joint panda_joint1",
    ),
    "limits negative": (
        fields(seed_state=SEED, consistency_limits=[0.1] * 6 + [-0.1]),
        INVALID,
        "consistency_limits must not be negative, got -0.1 for joint panda_joint7",
    ),
    "limits around a seed out of limits": (
        fields(seed_state=[9.0, *SEED[1:]], consistency_limits=[0.1] * 7),
        INVALID,
        "outside the joint limits",
    ),
    "position tolerance negative": (
        fields(position_tolerance=-1e-5),
        INVALID,
        "position_tolerance must be zero (the node's default) or more m, got -1e-05",
    ),
    "position tolerance NaN": (
        fields(position_tolerance=NAN),
        INVALID,
        "position_tolerance must be zero (the node's default) or more m, got nan",
    ),
    "orientation tolerance negative": (
        fields(orientation_tolerance=-INF),
        INVALID,
        "orientation_tolerance must be zero (the node's default) or more rad, got -inf",
    ),
    "orientation tolerance NaN": (
        fields(orientation_tolerance=NAN),
        INVALID,
        "orientation_tolerance must be zero (the node's default) or more rad, got nan",
    ),
    "nothing to solve": (
        fields(position_tolerance=INF, orientation_tolerance=INF),
        INVALID,
        "nothing to solve",
    ),
    "timeout negative": (
        fields(timeout=-0.001),
        INVALID,
        "timeout must be zero or more seconds, got -0.001",
    ),
    "timeout NaN": (fields(timeout=NAN), INVALID, "timeout must be zero or more seconds, got nan"),
    "timeout endless": (
        fields(timeout=INF),
        INVALID,
        "timeout inf s exceeds the node's max_timeout, 60.0 s",
    ),
    "timeout too long": (fields(timeout=61.0), INVALID, "timeout 61.0 s exceeds"),
    "unknown order": (
        fields(order_by="best"),
        INVALID,
        "unknown order 'best'; choose from: diverse, diverse_tip, nearest, manipulability",
    ),
    "nearest without seed": (fields(order_by="nearest"), INVALID, "needs a seed_state"),
    "clearance unchecked": (
        fields(order_by="clearance"),
        INVALID,
        "order 'clearance' needs avoid_collisions",
    ),
    "nothing to optimise": (
        fields(optimize=True),
        INVALID,
        "optimize needs an order_by with a score: nearest, manipulability, ",
    ),
    "unknown frame": (frame("camera"), FRAME, "frame 'camera'"),
    "frame of a moving link": (frame("panda_hand"), FRAME, "frame 'panda_hand'"),
}


@pytest.fixture(scope="module")
def client(start_node, client_of, panda_urdf):
    node = start_node(
        robot_description=panda_urdf,
        tip_link="panda_hand_tcp",
        max_targets=300,
        max_solutions=20_000,
        tf_timeout=0.05,
    )
    client = client_of(node)
    client.wait()
    return client


def good_request():
    target = np.eye(4)
    target[:3, :3] = np.diag([1.0, -1.0, -1.0])
    target[:3, 3] = (0.5, 0.0, 0.4)
    return request(target[None], num_solutions=5)


@pytest.mark.parametrize("fault", BAD)
def test_the_error_is_named_and_the_node_continues(client, fault):
    change, status, text = BAD[fault]
    message = good_request()
    change(message)
    answer = client.call(message)
    assert answer.status == status, answer
    assert re.search(re.escape(text), answer.message), answer.message
    assert "\n" not in answer.message and "Traceback" not in answer.message
    assert not len(answer.positions) and not len(answer.counts)
    again = client.call(good_request())
    assert again.status == Response.SOLVED and list(again.counts) == [5]


@pytest.mark.parametrize("distance", [20.0, 1e6, 1e150, 1e300])
def test_any_distance_is_valid(client, distance):
    message = good_request()
    message.targets.poses[0].position.x = distance
    answer = client.call(message)
    assert answer.status == Response.NO_SOLUTION
    assert len(answer.best_effort) == 7
