"""`generative-ik solve` for several tips, and for any of several poses."""

import json
from pathlib import Path

import numpy as np
import pytest

from generative_ik_ros import KinematicTree, load_robot, pose_matrix
from generative_ik_ros.robot.poses import pose_numbers

URDF = Path(__file__).resolve().parents[2] / "examples" / "two_arms.urdf"
HANDS = "left_hand", "right_hand"
ARMS = ("solve", "--urdf", URDF, "--tip-link", HANDS[0], "--tip-link", HANDS[1])
PANDA = ("solve", "--robot", "panda")
NEAR, FAR = (0.45, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0), (9.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)


def test_several_tips(shell):
    tree = KinematicTree.from_urdf(URDF, tip_links=HANDS)
    targets = tree.forward(np.full(13, 0.3))
    words = [word for pose in targets for word in ("--pose", *pose_numbers(pose))]
    reply = shell(*ARMS, *words, "-n", 5, "--json")
    assert reply.code == 0, reply.err
    found = json.loads(reply.out)
    assert found["tip_links"] == list(HANDS) and len(found["targets"]) == 2
    assert np.abs(tree.forward(np.array(found["positions"])) - targets).max() <= 2e-5
    reply = shell(*ARMS, "-n", 3)
    assert reply.code == 0 and "base -> left_hand, right_hand" in reply.out
    assert reply.out.count("--pose") == 2


def test_several_tips_in_regions_with_a_picture(shell, tmp_path):
    """Both hands may turn about their z axes; then the left one about x, and the right one not."""
    tree = KinematicTree.from_urdf(URDF, tip_links=HANDS)
    targets = tree.forward(np.full(13, 0.3))
    words = [word for pose in targets for word in ("--pose", *pose_numbers(pose))]
    file = tmp_path / "arms.svg"
    reply = shell(*ARMS, *words, "-n", 20, "--free-axis", "z", "--json", "--plot", file)
    assert reply.code == 0, reply.err
    tips = tree.forward(np.array(json.loads(reply.out)["positions"]))
    assert np.abs(tips - targets)[..., 2:].max() <= 2e-5
    assert (np.ptp(tips[..., 0, 0], axis=0) > 0.1).all()
    drawn = file.read_text()
    assert drawn.rstrip().endswith("</svg>") and len(drawn) > 50_000
    lower, upper = [0, 0, 0, -3.15, 0, 0, *[0] * 6], [0, 0, 0, 3.15, 0, 0, *[0] * 6]
    bounds = ("--region-lower", *lower, "--region-upper", *upper)
    reply = shell(*ARMS, *words, "-n", 20, *bounds, "--json")
    assert reply.code == 0, reply.err
    tips = tree.forward(np.array(json.loads(reply.out)["positions"]))
    assert np.abs(tips[:, 1] - targets[1]).max() <= 2e-5
    assert np.abs(tips[:, 0] - targets[0])[:, :3, [0, 3]].max() <= 2e-5
    assert (np.ptp(tips[:, 0, 1, 1]) > 0.1).all()


def test_any_of_several_poses(shell, tmp_path):
    poses = ("--pose", *FAR, "--pose", *NEAR)
    reply = shell(*PANDA, *poses, "--goal-set", "-n", 6, "--json")
    assert reply.code == 0, reply.err
    found = json.loads(reply.out)
    assert found["target_of"] == [1] * 6 and len(found["targets"]) == 2
    reached = load_robot("panda").forward(np.array(found["positions"]))
    assert np.abs(reached - pose_matrix(NEAR[:3], NEAR[3:])).max() <= 2e-5
    file = tmp_path / "grasps.csv"
    rows = [",".join(map(str, row)) for row in (NEAR, FAR)]
    file.write_text("\n".join(["x,y,z,qx,qy,qz,qw", *rows]))
    reply = shell(*PANDA, "--poses", file, "--goal-set", "-n", 6)
    assert reply.code == 0 and "SOLVED: 6 distinct" in reply.out and "pose" in reply.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((*PANDA, "--goal-set"), "--goal-set needs --pose"),
        ((*PANDA, "--pose", *NEAR, "--pose", *FAR), "was given 2 times; for 1 tip it takes 1;"),
        ((*PANDA, "--pose", *NEAR, "--pose", *FAR), "add --goal-set"),
        ((*ARMS, "--pose", *NEAR), "was given 1 time; for 2 tips it takes 2"),
        ((*ARMS, "--goal-set", "--pose", *NEAR), "takes a multiple of 2"),
        ((*ARMS, "--poses", "poses.csv"), "--poses is for one tip"),
        ((*ARMS, "--region-lower", *[0] * 6, "--region-upper", *[0] * 6), "six for each, 12"),
        ((*ARMS[:5], "--tip-link", "third_hand"), "unknown link 'third_hand'"),
        ((*PANDA, "--poses", "a.csv", "--goal-set", "--output", "b.csv"), "a target of its own"),
    ],
)
def test_misuse(refused, words, text):
    refused(*words, says=text)
