"""Every malformed request gets a specific message, and the next valid one a solution."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from ik_client import Response, request

NAN, INF = math.nan, math.inf
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


def seeded(**values):
    return fields(seed_state=SEED, **values)


def poses(number):
    def change(message):
        message.targets.poses = [Pose()] * number

    return change


def second_pose_broken(message):
    broken = Pose()
    broken.orientation.w = NAN
    message.targets.poses = [message.targets.poses[0], broken]


# id: what is wrong with a good request, a piece of the message
BAD = {
    "no targets": (poses(0), "targets has no poses"),
    "too many targets": (poses(301), "301 targets exceed the node's max_targets"),
    "x is NaN": (pose(x=NAN), "target 0: position is not finite"),
    "z is minus infinite": (pose(z=-INF), "position is not finite: (0.5, 0, -inf)"),
    "quaternion infinite": (pose(qw=INF), "target 0: orientation is not finite"),
    "second pose NaN": (second_pose_broken, "target 1: orientation is not finite"),
    "quaternion zero": (
        pose(qx=0.0, qy=0.0, qz=0.0, qw=0.0),
        "target 0: orientation is a zero quaternion (0, 0, 0, 0)",
    ),
    "quaternion too long": (pose(qx=0.0, qw=2.0), "norm 2; only quaternions within 0.01"),
    "quaternion huge": (pose(qx=1e200, qw=0.0), "(1e+200, 0, 0, 0) (x, y, z, w) has norm"),
    "unknown tip": (
        fields(tip_link="panda_hnad"),
        "unknown link 'panda_hnad'; choose from: panda_link0, ",
    ),
    "tip is the base": (fields(tip_link="panda_link0"), "panda_link0"),
    "unknown sampler": (
        fields(sampler="magic"),
        "unknown sampler 'magic'; choose from: auto, quasi_random, ",
    ),
    "too many solutions": (
        fields(num_solutions=20_001),
        "20001 solutions for each of 1 targets exceed the node's max_solutions, 20000",
    ),
    "too many solutions in all": (
        lambda message: (poses(300)(message), fields(num_solutions=67)(message)),
        "67 solutions for each of 300 targets",
    ),
    "seed too short": (
        fields(seed_state=SEED[:6]),
        "seed_state needs 7 entries, one for each of panda_joint1, panda_joint2",
    ),
    "seed infinite": (
        fields(seed_state=[*SEED[:6], INF]),
        "seed_state is inf for joint panda_joint7",
    ),
    "names without seed": (
        fields(seed_joint_names=JOINTS),
        "seed_joint_names has 7 names but seed_state is empty",
    ),
    "fewer names than entries": (
        seeded(seed_joint_names=JOINTS[:3]),
        "seed_state has 7 entries for 3 seed_joint_names",
    ),
    "a name twice": (
        seeded(seed_joint_names=[*JOINTS[:6], JOINTS[0]]),
        "seed_joint_names repeats panda_joint1",
    ),
    "a joint missing": (
        seeded(seed_joint_names=[*JOINTS[:6], "elbow"]),
        "seed_joint_names lacks panda_joint7; the chain's joints are: panda_joint1, ",
    ),
    "limits without seed": (
        fields(consistency_limits=[0.1] * 7),
        "consistency_limits require a seed_state",
    ),
    "limits NaN": (
        seeded(consistency_limits=[NAN] * 7),
        "consistency_limits is nan for joint panda_joint1",
    ),
    "limits negative": (
        seeded(consistency_limits=[0.1] * 6 + [-0.1]),
        "consistency_limits must not be negative, got -0.1 for joint panda_joint7",
    ),
    "limits around a seed out of limits": (
        fields(seed_state=[9.0, *SEED[1:]], consistency_limits=[0.1] * 7),
        "outside the joint limits",
    ),
    "position tolerance negative": (
        fields(position_tolerance=-1e-5),
        "position_tolerance must be zero (the node's default) or more m, got -1e-05",
    ),
    "orientation tolerance NaN": (
        fields(orientation_tolerance=NAN),
        "orientation_tolerance must be zero (the node's default) or more rad, got nan",
    ),
    "nothing to solve": (
        fields(position_tolerance=INF, orientation_tolerance=INF),
        "nothing to solve",
    ),
    "timeout negative": (
        fields(timeout=-0.001),
        "timeout must be zero or more seconds, got -0.001",
    ),
    "timeout NaN": (fields(timeout=NAN), "timeout must be zero or more seconds, got nan"),
    "timeout endless": (
        fields(timeout=INF),
        "timeout inf s exceeds the node's max_timeout, 60.0 s",
    ),
    "unknown order": (
        fields(order_by="best"),
        "unknown order 'best'; choose from: diverse, diverse_tip, nearest, manipulability",
    ),
    "nearest without seed": (fields(order_by="nearest"), "needs a seed_state"),
    "clearance unchecked": (
        fields(order_by="clearance"),
        "order 'clearance' needs avoid_collisions",
    ),
    "nothing to optimise": (
        fields(optimize=True),
        "optimize needs an order_by with a score: nearest, manipulability, ",
    ),
}


@pytest.fixture(scope="module")
def client(start_node, client_of, panda_urdf):
    node = start_node(
        robot_description=panda_urdf,
        tip_link="panda_hand_tcp",
        max_targets=300,
        max_solutions=20_000,
    )
    return client_of(node)


def good_request():
    target = np.eye(4)
    target[:3, :3] = np.diag([1.0, -1.0, -1.0])
    target[:3, 3] = (0.5, 0.0, 0.4)
    return request(target[None], num_solutions=5)


@pytest.mark.parametrize("fault", BAD)
def test_the_error_is_named_and_the_node_continues(client, fault):
    change, text = BAD[fault]
    message = good_request()
    change(message)
    answer = client.call(message)
    assert answer.status == Response.INVALID_REQUEST, answer
    assert text in answer.message
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
