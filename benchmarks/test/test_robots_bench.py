"""The protocol of all robots at hand: which limbs they have, what is measured, what is refused."""

import sys

import numpy as np
import pytest

from generative_ik_benchmarks.file_oracle import FileOracle
from generative_ik_benchmarks.limbs import Limbs, has_wheels, limbs_of, on_floor
from generative_ik_benchmarks.robot_files import RobotFile, folder_files
from generative_ik_ros import KinematicChain, KinematicTree
from generative_ik_ros.cli.main import main
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.random_poses import random_configurations

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")


def joint(name, parent, child, xyz="0 0 0.2", axis="0 1 0", kind="revolute", more=""):
    limit = '<limit lower="-1.5" upper="1.4" effort="1" velocity="1"/>' if kind != "fixed" else ""
    return (
        f'<link name="{child}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{xyz}" rpy="0 0 0.1"/><axis xyz="{axis}"/>{limit}'
        f"{more}</joint>"
    )


def series(start, prefix, axes, xyz="0 0 0.2"):
    """Joints one after another, the first below a link `start`."""
    links = [start, *(f"{prefix}{k}" for k in range(len(axes)))]
    return "".join(
        joint(f"{prefix}_joint{k}", links[k], links[k + 1], xyz, axis)
        for k, axis in enumerate(axes)
    )


Z, Y, X = "0 0 1", "0 1 0", "1 0 0"
ARM = series("base", "arm", [Z, Y, Y, X, Y, X])
GRIPPER = joint("left_finger", "arm5", "left", "0 0.02 0.05") + joint(
    "right_finger", "arm5", "right", "0 -0.02 0.05", more='<mimic joint="left_finger"/>'
)
TOOL = joint("tcp_fixed", "arm5", "tcp", "0 0 0.1", kind="fixed")
CAMERA = joint("camera_fixed", "arm5", "camera_optical", "0 0.1 0", kind="fixed")
WHEELS = "".join(
    joint(f"wheel_{side}", "base", f"wheel_{side}_link", f"0 {y} 0", kind="continuous")
    for side, y in (("left", 0.3), ("right", -0.3))
)


def urdf(*parts, root="base"):
    return f'<robot name="robot"><link name="{root}"/>{"".join(parts)}</robot>'


HAND = """<mujoco model="hand"><worldbody><body name="palm">{}</body></worldbody>
<equality><joint joint1="thumb2" joint2="thumb1" polycoef="0.1 0.5 0 0 0"/></equality></mujoco>"""


def finger(name, y):
    body = f'<site name="{name}_tip" pos="0 0 .03"/>'
    for k, axis in reversed(list(enumerate(("1 0 0", "0 1 0", "0 1 0", "0 1 0")))):
        body = (
            f'<body name="{name}_link{k}" pos="0 {y if k == 0 else 0} .04"><joint '
            f'name="{name}{k}" axis="{axis}" range="-20 60" ref="5"/><geom size=".01"/>{body}'
            "</body>"
        )
    return body


FILES = {
    "arms/six.urdf": urdf(ARM, GRIPPER, TOOL, CAMERA),
    "arms/six_copy.urdf": urdf(ARM, GRIPPER, TOOL),
    "on_wheels.urdf": urdf(ARM, WHEELS),
    "two.urdf": urdf(series("base", "left", [Z, Y, Y]), series("base", "right", [Z, Y, X, Y])),
    "hand.xml": HAND.format(finger("index", 0.05) + finger("thumb", -0.05)),
    "block.urdf": urdf(joint("slide", "base", "top")),
    "broken.urdf": urdf(joint("turn", "nowhere", "top")),
    "scene.xml": HAND.format(finger("index", 0.0)),
    "table.urdf": urdf(),
    "notes.xml": "<package/>",
}


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("mujoco", reason="mujoco is not installed: pip install '.[formats]'")
    for name, text in FILES.items():
        file = tmp_path / "robots" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "robots"


def robot(name):
    return RobotDescription.from_urdf_text(FILES[name])


def test_limbs():
    assert limbs_of(robot("arms/six.urdf")) == Limbs("arm", (("base", "tcp"),))
    assert limbs_of(robot("on_wheels.urdf")) == Limbs("arm", (("base", "arm5"),))
    two = (("base", "left2"), ("base", "right3"))
    assert limbs_of(robot("two.urdf")) == Limbs("limbs", two)
    assert limbs_of(robot("block.urdf")) is None
    assert has_wheels(robot("on_wheels.urdf")) and not has_wheels(robot("two.urdf"))


def test_a_gripper_of_one_jaw_is_not_the_tip():
    jaw = joint("jaw", "arm5", "jaw_link")
    assert limbs_of(RobotDescription.from_urdf_text(urdf(ARM, jaw))) == Limbs(
        "arm", (("base", "arm5"),)
    )
    # Published SO-101 arms number their joints; the last one of a finger moves its tip.
    numbered = joint("6", "arm5", "moving_jaw")
    found = limbs_of(RobotDescription.from_urdf_text(urdf(ARM, numbered)))
    assert found is not None and found.ends == (("base", "arm5"),)
    tip = joint("3", "finger2", "fingertip")
    finger = urdf(series("base", "finger", [X, Y, Y], "0 0 0.05"), tip)
    found = limbs_of(RobotDescription.from_urdf_text(finger))
    assert found is not None and found.ends == (("base", "fingertip"),)
    # Without such a name it is a joint as any other.
    roll = joint("roll", "arm5", "roll_link")
    assert limbs_of(RobotDescription.from_urdf_text(urdf(ARM, roll))) == Limbs(
        "arm", (("base", "roll_link"),)
    )


def test_the_hand_at_the_end_of_an_arm_is_the_tip():
    fingers = [series("arm5", f"finger{k}_", [Y, Y, Y], "0 0 0.03") for k in range(3)]
    assert limbs_of(RobotDescription.from_urdf_text(urdf(ARM, *fingers))) == Limbs(
        "arm", (("base", "arm5"),)
    )
    wrist = [series("forearm", "wrist", [X, Y], "0 0 0.03"), *(
        series("wrist1", f"finger{k}_", [Y, Y, Y], "0 0 0.03") for k in range(3)
    )]  # fmt: skip
    hand = limbs_of(RobotDescription.from_urdf_text(urdf(*wrist, root="forearm")))
    assert hand == Limbs("hand", tuple(("forearm", f"finger{k}_2") for k in range(3)))


def test_files_of_a_folder(folder):
    names = [(file.name, file.format) for file in folder_files(folder)]
    assert names == [
        ("arms/six", "URDF"), ("arms/six_copy", "URDF"), ("block", "URDF"), ("broken", "URDF"),
        ("hand", "MJCF"), ("on_wheels", "URDF"), ("two", "URDF"),
    ]  # fmt: skip


def test_independent_kinematics_agree_with_ours(folder):
    hand = RobotFile("hand", "", folder / "hand.xml")
    tips = ("index_tip", "thumb_tip")
    tree = KinematicTree.from_urdf(hand.path, "world", tips)
    assert tree.num_joints == 7  # one joint of the thumb follows another
    q = random_configurations(tree, 20, 0)
    theirs = FileOracle(hand, tree.joint_names, "world", tips).forward(q)
    assert np.abs(theirs - tree.forward(q)).max() < 1e-9

    wheels = RobotFile("on_wheels", "", folder / "on_wheels.urdf")
    floor, limits = on_floor(wheels.description, "base")
    chain = KinematicChain.from_urdf(floor, floor.root, "arm5", joint_limits=limits)
    assert chain.num_joints == 9
    q = random_configurations(chain, 20, 0)
    oracle = FileOracle(wheels, chain.joint_names, "base", ("arm5",), on_floor=True)
    assert np.abs(oracle.forward(q)[:, 0] - chain.forward(q)).max() < 1e-9


def test_robots_of_a_folder(folder, evaluate):
    code, report, out = evaluate("robots", "--quick", "--folder", folder)
    assert code == 0 and report["false_results"] == 0
    tables = {(one["chain"], one["kind"]): one for one in report["tables"]}
    assert {name: kind for name, kind in tables if not kind} == {"block": "", "broken": ""}
    solved = {key: one["limbs"] for key, one in tables.items() if key[1]}
    assert set(solved) == {
        ("arms/six", "arm"), ("arms/six_copy", "arm"), ("on_wheels", "arm"),
        ("on_wheels", "arm and base"), ("two", "limbs"), ("hand", "hand"),
    }  # fmt: skip
    assert all(limb["solved"] == 1.0 for limbs in solved.values() for limb in limbs)
    assert [limb["joints"] for limb in solved["two", "limbs"]] == [3, 4]
    assert solved["on_wheels", "arm and base"][0]["joints"] == 9
    assert solved["hand", "hand"][0]["tips"] == ["index_tip", "thumb_tip"]
    assert "'nowhere', which is not defined" in out
    assert "arms/six, six_copy" in out and "Without three joints in series: block." in out


def test_only_some_and_none(folder, shell, refused):
    words = ["evaluate", "robots", "--quick", "--folder", folder, "--only"]
    some = shell(*words, "two")
    assert some.code == 0 and "six" not in some.out
    refused(*words, "no_such", says="no such robots")


@pytest.fixture
def published(folder, tmp_path, monkeypatch):
    """Modules as those of robot_descriptions: one has its robot, one cannot download it."""
    package = pytest.importorskip("robot_descriptions")
    modules = tmp_path / "modules"
    modules.mkdir()
    paths = f"PACKAGE_PATH = REPOSITORY_PATH = {str(folder)!r}\n"
    (modules / "made_two_description.py").write_text(
        paths + f"print('downloading')\nURDF_PATH = {str(folder / 'two.urdf')!r}\n"
    )
    (modules / "made_gone_description.py").write_text("raise OSError('no route to host')\n")
    monkeypatch.setattr(package, "__path__", [str(modules)])
    yield
    for name in [name for name in sys.modules if name.startswith("robot_descriptions.made_")]:
        del sys.modules[name]


def test_robots_of_robot_descriptions(published, capsys):
    assert main(["evaluate", "robots", "--quick", "--published"]) == 0
    out = capsys.readouterr().out
    assert "made_two_description" in out and "Not downloaded: made_gone_description." in out
    assert "downloading" not in out and "Not solved" not in out
    assert main(["evaluate", "robots", "--quick", "--published", "--only", "gone"]) == 0
    assert "made_two" not in capsys.readouterr().out


def test_hands_follow_key_points(folder, evaluate, refused):
    fingers = [series("palm", f"finger{k}_", [X, Y, Y, Y], f"0 0.0{k} 0.03") for k in (1, 3)]
    (folder / "fingers.urdf").write_text(urdf(*fingers, root="palm"))
    code, report, out = evaluate("hands", "--quick", "--folder", folder)
    assert code == 0 and "fingers" in out
    (table,) = report["tables"]
    rows = {(row["course"], row["solver"]): row for row in table["rows"]}
    own = rows["its own", "ours, tracker"]
    assert own["on_point"] == 1.0 and abs(own["excess"]) < 1e-5 and own["beyond"] == 0.0
    assert rows["its own", "ours, solve"]["on_point"] > 0.9  # its deadline is by the clock
    larger = rows["5 % larger, noise", "ours, tracker"]
    assert larger["beyond"] == 0.0 and larger["excess"] > -1e-5
    fingers = rows["its own", "ours, a tracker a finger"]
    assert fingers["on_point"] == 1.0 and fingers["beyond"] == 0.0
    assert (len(rows) == 8) != ("dex-retargeting" in table["absent"])
    words = ["evaluate", "hands", "--folder", folder, "--only", "no_such"]
    refused(*words, says="no URDF of a hand")


def test_what_others_do_not_read_is_said(tmp_path, capsys):
    (tmp_path / "arm.sdf").write_text(SDF)
    assert main(["evaluate", "robots", "--quick", "--folder", str(tmp_path)]) == 0
    assert "it loads, but neither pinocchio nor MuJoCo reads SDF" in capsys.readouterr().out


SDF = (
    '<sdf version="1.9"><model name="arm"><link name="l0"/>'
    + "".join(
        f'<link name="l{k}"><pose>0 0 {0.1 * k} 0 0 0</pose></link><joint name="j{k}" '
        f'type="revolute"><parent>l{k - 1}</parent><child>l{k}</child><axis><xyz>0 1 0</xyz>'
        "<limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"
        for k in (1, 2, 3)
    )
    + "</model></sdf>"
)
