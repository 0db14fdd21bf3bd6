"""Reference files for the C++ tests: groups and pairs of links, as the package has them."""

from pathlib import Path

from two_arm_groups import SRDF, TWO_ARMS

from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.srdf import SemanticDescription


def write(folder: Path) -> None:
    """Write descriptions with SRDFs, and the groups and pairs that the package reads of them.

    core/test/srdf_test.cpp says what is written.
    """
    folder.mkdir()
    robots = Path(__file__).parents[2] / "config" / "robots"
    panda = ((robots / f"panda.{kind}").read_text() for kind in ("urdf", "srdf"))
    enabled = "<disable_default_collisions link='l1'/><enable_collisions link1='r1' link2='l1'/>"
    two_arms = TWO_ARMS, SRDF.replace("</robot>", f"{enabled}</robot>")
    for name, (urdf, srdf) in {"panda": panda, "two_arms": two_arms}.items():
        robot, semantic = RobotDescription.from_urdf(urdf), SemanticDescription.from_srdf(srdf)
        words: list[object] = ["groups", len(semantic.groups)]
        for group in semantic.groups:
            words += [group, *_group(robot, semantic, group)]
        words += ["effectors", len(semantic.end_effectors)]
        for tool in semantic.end_effectors:
            words += [tool.name, tool.parent_link, tool.group, tool.parent_group or "-"]
        words += ["links", len(robot.links), *robot.links]
        pairs = sorted(sorted(pair) for pair in semantic.unchecked_pairs(robot.links))
        words += ["unchecked", len(pairs), *(link for pair in pairs for link in pair)]
        (folder / f"{name}.urdf").write_text(urdf)
        (folder / f"{name}.srdf").write_text(srdf)
        (folder / f"{name}.groups").write_text("\n".join(map(str, words)))


def _group(robot: RobotDescription, semantic: SemanticDescription, name: str) -> list[object]:
    """Return the words of a group."""
    try:
        group = JointGroup.from_srdf(robot, semantic, name)
    except GenerativeIKError:
        return [0]
    tips, joints = group.tip_links, group.joint_names
    return [1, group.base_link, len(tips), *tips, len(joints), *joints]
