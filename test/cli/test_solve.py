"""`generative-ik solve` and `robots`: what is printed is true and a machine can read it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF
from clock import in_time
from printed import strict_json
from robots import SO101

from generative_ik_ros import __version__, _core, pose_matrix
from generative_ik_ros.robot.known import load_robot, robot_names, robot_urdf_path
from generative_ik_ros.select.preferences import limit_margin

POSE = (0.45, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0)
PANDA = ("solve", "--robot", "panda")


def test_json_is_all_there_is_and_true(shell):
    reply = shell(*PANDA, "--pose", *POSE, "--num-solutions", 50, "--json")
    assert reply.code == 0 and reply.err == ""
    found = strict_json(reply.out)
    chain = load_robot("panda")
    assert found["status"] == "SOLVED" and found["count"] == 50
    assert found["joint_names"] == chain.joint_names
    assert found["target"] == {
        "position": list(POSE[:3]),
        "quaternion_xyzw": list(POSE[3:]),
        "random": False,
    }
    positions = np.array(found["positions"])
    assert positions.shape == (50, 7)
    reached = chain.forward(positions)
    assert np.allclose(reached, pose_matrix(POSE[:3], POSE[3:]), atol=2e-5)
    assert (positions >= chain.lower).all() and (positions <= chain.upper).all()
    assert max(found["position_error"]) <= found["position_tolerance"] == 1e-5
    assert max(found["orientation_error"]) <= 1e-5
    assert found["timings"]["total"] > 0


def test_fixed_joints_stand(shell):
    """They are no columns, and the tip is where it should be with them."""
    fixed = (
        "--fixed",
        "panda_joint3=0.3,panda_finger_joint1=0.01",
        "--fixed",
        "panda_joint1=-0.2",
    )
    words = (*PANDA, "--pose", *POSE, *fixed, "-n", 4, "--position-tolerance", 1e-4)
    reply = shell(*words, "--orientation-tolerance", "inf", "--json")
    assert reply.code == 0
    found = strict_json(reply.out)
    chain = load_robot("panda")
    stand = {"panda_joint1": -0.2, "panda_joint3": 0.3}
    assert found["joint_names"] == [name for name in chain.joint_names if name not in stand]
    values = dict(zip(found["joint_names"], np.transpose(found["positions"]), strict=True))
    q = np.stack([values.get(name, np.full(4, stand.get(name))) for name in chain.names], axis=1)
    np.testing.assert_allclose(chain.forward(q)[:, :3, 3], np.tile(POSE[:3], (4, 1)), atol=2e-4)


def test_unreachable_pose_is_exit_code_1_with_the_closest(shell):
    reply = shell(*PANDA, "--pose", 5, 5, 5, 0, 0, 0, 1, "--json")
    assert reply.code == 1
    found = strict_json(reply.out)
    assert (found["status"], found["count"], found["positions"]) == ("NO_SOLUTION", 0, [])
    assert len(found["best_effort"]["positions"]) == 7
    assert found["best_effort"]["position_error"] > 5
    text = shell(*PANDA, "--pose", 5, 5, 5, 0, 0, 0, 1)
    assert text.code == 1 and "closest configuration" in text.out


def test_random_pose_is_named_and_can_be_asked_for_again(shell):
    reply = shell(*PANDA, "--random-seed", 7, "--num-solutions", 5)
    assert reply.code == 0
    line = next(line for line in reply.out.splitlines() if "random reachable pose" in line)
    numbers = line.partition("--pose ")[2].split()
    again = shell(*PANDA, "--pose", *numbers, "--num-solutions", 5, "--json")
    assert again.code == 0
    first = strict_json(shell(*PANDA, "--random-seed", 7, "--num-solutions", 5, "--json").out)
    second = strict_json(shell(*PANDA, "--random-seed", 7, "--num-solutions", 5, "--json").out)
    assert first["positions"] == second["positions"] and first["target"]["random"]
    assert np.allclose(first["target"]["position"], [float(n) for n in numbers[:3]], atol=1e-8)


def test_table_shows_the_best_and_says_how_many_more(shell):
    reply = shell(*PANDA, "--pose", *POSE)
    assert reply.code == 0
    assert "panda_joint7" in reply.out and "... and 90 more" in reply.out
    assert "SOLVED: 100 distinct solutions" in reply.out


def test_one_solution_is_not_in_the_plural(shell):
    assert "SOLVED: 1 distinct solution in" in shell(*PANDA, "--pose", *POSE, "-n", 1).out


def test_seed_state_and_consistency_limits(shell):
    seed = "1.4,0.8,-1.0,-2.2,0.8,1.8,0.1"
    options = ("--seed-state", seed, "--num-solutions", 3, "--json")
    found = strict_json(shell(*PANDA, "--pose", *POSE, *options).out)
    distances = np.linalg.norm(np.array(found["positions"]) - np.array(eval(seed)), axis=1)
    assert (np.diff(distances) >= 0).all()
    near = ("--seed-state", ",".join(map(str, found["positions"][1])), "--json")
    reply = shell(*PANDA, "--pose", *POSE, *near, "--consistency-limits", "0.3")
    close = np.array(strict_json(reply.out)["positions"]) - found["positions"][1]
    assert reply.code == 0 and (np.abs(close) <= 0.3 + 1e-9).all()


def test_preferences(shell):
    chain, options = load_robot("panda"), ("--num-solutions", 5, "--json")
    order = ("--order-by", "limit_margin")
    margins = [
        limit_margin(chain, np.array(strict_json(reply.out)["positions"]))
        for reply in (
            shell(*PANDA, "--pose", *POSE, *options, *order),
            shell(*PANDA, "--pose", *POSE, *options, *order, "--optimize"),
        )
    ]
    assert all((np.diff(one) <= 0).all() for one in margins)
    assert margins[1][0] >= margins[0][0]
    seed = ("--seed-state", "1.4,0.8,-1.0,-2.2,0.8,1.8,0.1")
    weights = "0 0 0 1 0 0 0".split()
    reply = shell(*PANDA, "--pose", *POSE, *options, *seed, "--joint-weights", *weights)
    elbow = np.abs(np.array(strict_json(reply.out)["positions"])[:, 3] + 2.2)
    assert (np.diff(elbow) >= 0).all()


@pytest.mark.parametrize(
    "options, reason",
    [
        (("--order-by", "best"), "unknown order 'best'; choose from: diverse, diverse_tip"),
        (("--order-by", "clearance"), "--order-by clearance needs --scene or --avoid-collisions"),
        (("--optimize",), "optimize=True needs an order_by with a score"),
        (("--joint-weights", "1 1 1 1 1 1 1"), "joint_weights are for order_by='nearest' only"),
    ],
)
def test_preferences_that_cannot_be(refused, options, reason):
    refused(*PANDA, "--pose", *POSE, *options, says=reason)


def test_numbers_take_spaces_and_commas_alike(shell):
    seed, near = ["1.4", "0.8", "-1.0", "-2.2", "0.8", "1.8", "0.1"], ["2.5"] * 7
    pose = [str(number) for number in POSE]
    replies = [
        shell(*PANDA, "-n", 3, "--json", *words)
        for words in (
            ("--pose", *pose, "--seed-state", *seed, "--consistency-limits", *near),
            ("--pose", ",".join(pose), "--seed-state", ",".join(seed), "--consistency-limits=2.5"),
            ("--pose", " ".join(pose), "--seed-state", ", ".join(seed),
             "--consistency-limits", "2.5,", *near[1:]),
        )
    ]  # fmt: skip
    found = [strict_json(reply.out) for reply in replies]
    assert found[0]["count"] == 3 and found[0]["target"]["position"] == list(POSE[:3])
    assert all(one["positions"] == found[0]["positions"] for one in found)


def test_degrees_are_warned_of_in_one_line(shell):
    seed = ("--seed-state", 0, -45, 0, -135, 0, 90, 45)
    reply = shell(*PANDA, "--pose", *POSE, *seed, "--json")
    assert reply.code == 0 and strict_json(reply.out)["count"] == 100
    assert reply.err.startswith("generative-ik: warning: seed_state is outside the limits of ")
    assert "degrees" in reply.err and reply.err.count("\n") == 1


def test_position_only(shell):
    options = ("--orientation-tolerance", "inf", "--num-solutions", 4, "--json")
    found = strict_json(shell(*PANDA, "--pose", *POSE, *options).out)
    assert found["count"] == 4 and found["orientation_tolerance"] is None
    reached = load_robot("panda").forward(found["positions"])
    assert np.allclose(reached[:, :3, 3], POSE[:3], atol=2e-5)


def test_a_file_with_prismatic_and_continuous_joints(shell, tmp_path):
    (tmp_path / "robot.urdf").write_text(GOOD_URDF)
    reply = shell("solve", "--urdf", tmp_path / "robot.urdf", "--base-link", "upper", "--json")
    found = strict_json(reply.out)
    assert reply.code == 0 and found["joint_names"] == ["slide", "roll"]


def test_robots(shell):
    listed = strict_json(shell("robots", "--json").out)
    assert [robot["name"] for robot in listed] == list(robot_names())
    panda = next(robot for robot in listed if robot["name"] == "panda")
    chain = load_robot("panda")
    assert panda["dof"] == 7 and panda["fingerprint"] == chain.fingerprint
    assert (panda["base_link"], panda["tip_link"]) == (chain.base_link, chain.tip_link)
    assert panda["source"]
    text = shell("robots")
    assert text.code == 0
    assert all(robot["fingerprint"] in text.out for robot in listed)
    assert len(text.out.splitlines()) == len(listed) + 4  # a line for each, and the frame
    assert panda["source"].split()[-1] not in text.out
    assert "shapes are our own" in " ".join(shell("robots", "--full").out.replace("│", "").split())


def test_robots_of_a_urdf(shell, tmp_path):
    listed = {robot["name"]: robot for robot in strict_json(shell("robots", "--json").out)}
    assert "spherical wrist" in listed["compi"]["closed_form"]
    assert listed["planar_3r"]["closed_form"] is None
    text = shell("robots", "--urdf", str(robot_urdf_path("ur10")), "--tip-link", "tool0")
    assert text.code == 0
    assert "closed form: joints 2, 3 and 4 parallel, 5 and 6 intersect" in text.out
    text = shell("robots", "--urdf", str(robot_urdf_path("planar_3r")))
    assert "closed form: none, the chain takes" in text.out
    limits = "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
    axes = ("0 0 1", "0 1 0", "1 0 0", "0 1 0", "1 0 0", "0 0 1")
    joints = "".join(
        f"<link name='l{i + 1}'/>"
        f"<joint name='j{i}' type='{'prismatic' if i == 4 else 'revolute'}'>"
        f"<parent link='l{i}'/><child link='l{i + 1}'/><origin xyz='0.{i} 0.1 0.2'/>"
        f"<axis xyz='{axis}'/>{limits}</joint>"
        for i, axis in enumerate(axes)
    )
    file = tmp_path / "arm.urdf"
    file.write_text(f"<robot name='arm'><link name='l0'/>{joints}</robot>")
    text = shell("robots", "--urdf", str(file))
    assert "closed form: none, the chain has the prismatic joint 'j4'" in text.out


def test_arguments_of_a_xacro_file_stand_behind_its_name(shell, refused, tmp_path):
    pytest.importorskip("xacro")
    file = tmp_path / "an arm.urdf.xacro"
    file.write_text("""<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="reach" default=""/><link name="a"/><link name="$(arg tip)"><collision><geometry>
<box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="$(arg tip)"/><axis xyz="0 0 1"/>
<origin xyz="$(arg reach) 0 0"/><limit lower="-1" upper="1"/></joint></robot>""")
    words = ("solve", "--urdf", f"{file} tip:=my_tip reach:=0.5", "--avoid-collisions", "--json")
    reply = shell(*words)
    found = strict_json(reply.out)
    assert reply.code == 0 and found["tip_link"] == "my_tip" and found["clearance"]
    assert found["target"]["position"][0] == pytest.approx(0.5)
    refused("solve", "--urdf", file, says="tip; give it by xacro_args=, in the shell by --urdf")
    refused("solve", "--urdf", f"{tmp_path}/none.urdf tip:=a", says="there is no file")


def test_robots_and_samplers_of_a_robot_with_loops(shell, refused):
    examples = Path(__file__).resolve().parents[2] / "examples"
    robot = ("--urdf", examples / "palletizer.urdf", "--loops", examples / "palletizer.yaml")
    (row,) = strict_json(shell("robots", *robot, "--tip-link", "tool", "--json").out)
    assert (row["dof"], row["tip_link"], row["closed_form"]) == (10, "tool", None)
    text = shell("robots", *robot, "--tip-link", "tool")
    assert text.code == 0 and "closed form: none, the chain has loops" in text.out
    refused("samplers", *robot, "--tip-link", "tool", says="chains without loops")


def test_help_is_quick_and_lists_the_verbs():
    words = [sys.executable, "-X", "importtime", "-m", "generative_ik_ros", "--help"]
    # It takes a fifth of this; the bound leaves room for a machine that does other work too.
    done = in_time(lambda: subprocess.run(words, capture_output=True, text=True, check=True), 2.0)
    assert all(verb in done.stdout for verb in ("solve", "robots", "evaluate"))
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not imported & {"numpy", "scipy", "torch", "rclpy", "matplotlib"}


@pytest.mark.parametrize("verb", ["solve", "robots", "evaluate"])
def test_each_verb_has_help(shell, verb):
    reply = shell(verb, "--help")
    assert reply.code == 0 and "Usage: generative-ik " + verb in reply.out


def test_version(shell):
    reply = shell("--version")
    core = f"core {_core.version()}, {_core.instruction_set()}"
    assert (reply.code, reply.out) == (0, f"generative-ik {__version__} ({core})\n")


def test_a_region(shell):
    """The tip turns about its axis, or slides, and nothing else."""
    chain, target = load_robot("panda"), pose_matrix(POSE[:3], POSE[3:])
    reply = shell(*PANDA, "--pose", *POSE, "--free-axis", "z", "-n", 20, "--json")
    assert reply.code == 0
    tips = chain.forward(np.array(strict_json(reply.out)["positions"]))
    assert np.abs(tips[:, :3, 2:] - target[:3, 2:]).max() <= 1e-5
    assert np.abs(tips[:, :3, 0] - target[:3, 0]).max() > 0.5
    bounds = ("--region-lower", "-0.1 0 0 0 0 0", "--region-upper", "0.1,0,0,0,0,0")
    reply = shell(*PANDA, "--pose", *POSE, *bounds, "-n", 20, "--json")
    assert reply.code == 0
    tips = chain.forward(np.array(strict_json(reply.out)["positions"]))
    gap = np.linalg.inv(target) @ tips
    assert np.abs(gap[:, 0, 3]).max() <= 0.1 and np.ptp(gap[:, 0, 3]) > 0.1
    gap[:, 0, 3] = 0.0
    assert np.abs(gap - np.eye(4)).max() <= 1e-5


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--free-axis", "w"), "x, y, z"),
        (("--free-axis", "x", "--region-lower", "0 0 0 0 0 0"), "--free-axis goes neither"),
        (("--region-lower", "0 0 0 0 0 0"), "go together"),
        (("--region-lower", "0 0", "--region-upper", "0 0"), "(6,)"),
    ],
)
def test_bad_regions(refused, words, text):
    refused(*PANDA, "--pose", *POSE, *words, says=text)


def test_joint_limits_of_ones_own(shell, refused, tmp_path):
    file = tmp_path / "joint_limits.yaml"
    file.write_text(
        "joint_limits: {panda_joint3: "
        "{has_position_limits: true, min_position: -0.5, max_position: 0.5}}"
    )
    own = ("--joint-limits", "panda_joint1=-1:0.5,panda_joint7=0:2", "--joint-limits", file)
    reply = shell(*PANDA, "--pose", *POSE, "--num-solutions", 20, "--json", *own)
    q = np.array(strict_json(reply.out)["positions"])
    assert len(q) > 1
    for joint, lower, upper in ((0, -1, 0.5), (6, 0, 2), (2, -0.5, 0.5)):
        assert (q[:, joint] >= lower).all() and (q[:, joint] <= upper).all()
    words = (*PANDA, "--soft-limits", "--joint-limits", "panda_joint1=-1")
    refused(*words, says="--joint-limits takes NAME=LOWER:UPPER")
    reply = shell(*PANDA, "--soft-limits", "--json", "--pose", *POSE)
    assert reply.code == 0 and "soft_limits: no joint of 'panda' has any" in reply.err


def test_approximations_are_told_apart(shell, refused, tmp_path):
    """Where a pose has no solution, what is preferred is exact, and nothing is called solved."""
    arm = tmp_path / "so101.urdf"
    arm.write_text(SO101)
    words = ("solve", "--urdf", arm, "--prefer", "position", "-n", 5)
    pose = ("--pose", 0.25, 0.1, 0.2, 0.9, 0.3, 0.3, 0.1)
    found = strict_json(shell(*words, *pose, "--json").out)
    assert found["status"] == "APPROXIMATE" and 1 <= found["count"] <= 5
    assert max(found["position_error"]) <= 1e-5 < 1e-3 < min(found["orientation_error"])
    reply = shell(*words, *pose)
    assert reply.code == 0 and "the position is met, the orientation as nearly as" in reply.out
    assert "APPROXIMATE: " in reply.out and "distinct approximations in" in reply.out
    table = tmp_path / "poses.csv"
    numbers = ",".join(map(str, pose[1:]))
    table.write_text(f"x,y,z,qx,qy,qz,qw\n{numbers}\n5,5,5,0,0,0,1\n")
    many = shell(*words[:-2], "--poses", table)
    assert "2 poses: 0 solved, 1 approximated, 1 unreachable" in many.err
    assert "APPROXIMATE" in many.out
    refused(*words[:-3], "neither", *pose, says="position, orientation")
