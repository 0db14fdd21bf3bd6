"""Arms that the shared robots do not have, as URDF text."""

from generative_ik_ros.robot.chain import KinematicChain


def _joint(i, kind, axis, xyz, rpy="0 0 0", extra=""):
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    return f"""<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>
      <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}{extra}</joint>
      <link name="l{i + 1}"/>"""


def _mimic(joint, multiplier, offset):
    return f'<mimic joint="{joint}" multiplier="{multiplier}" offset="{offset}"/>'


def arm(*joints):
    text = "".join(_joint(i, *joint) for i, joint in enumerate(joints))
    return KinematicChain.from_urdf(f'<robot name="r"><link name="l0"/>{text}</robot>')


def coaxial():
    """Joints 1 and 2 turn about one line; joint 4 slides along the axis of joint 3."""
    return arm(
        ("revolute", "0 0 1", "0 0 0"),
        ("revolute", "0 0 1", "0 0 0.3"),
        ("revolute", "1 0 0", "0.1 0 0.2"),
        ("prismatic", "1 0 0", "0.2 0 0"),
        ("revolute", "0 1 0.3", "0 0.1 0.1"),
    )


def gantry():
    """Slides first, last, and two the same way in a row."""
    return arm(
        ("prismatic", "0 0 1", "0 0 0.1"),
        ("prismatic", "0 0 1", "0 0 0"),
        ("prismatic", "1 0 0", "0 0 0"),
        ("revolute", "0 0 1", "0.1 0 0"),
        ("prismatic", "0 0 -1", "0.2 0 0"),
    )


def gear():
    """The third joint turns at -1.5 times the first, the fourth slides with the second."""
    return arm(
        ("revolute", "0 0 1", "0 0 0.1"),
        ("revolute", "0 1 0", "0 0.1 0.2"),
        ("revolute", "0 1 0", "0.3 0 0", "0 0 0", _mimic("j0", -1.5, 0.2)),
        ("prismatic", "1 0 0", "0.1 0 0", "0 0 0", _mimic("j1", 0.1, 0.0)),
    )


def wrist():
    """Three axes through one point: an arm without any length."""
    return arm(
        ("revolute", "0 0 1", "0 0 0.1"),
        ("revolute", "0 1 0", "0 0 0"),
        ("revolute", "1 0 0", "0 0 0"),
    )


ODD_ARMS = (coaxial, gantry, gear, wrist)
