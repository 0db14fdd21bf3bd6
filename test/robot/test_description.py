"""Reading descriptions: what is kept, what is ignored, and what is never touched."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF, edited, joint, with_extra

from generative_ik_ros.errors import RobotDescriptionError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription

INFINITE = 'lower="-inf" upper="inf"'
NO_LIMIT = f"<limit {INFINITE} effort='1' velocity='1'/>"
VISUALS = """
<material name="red"><color rgba="1 0 0 0.5"/></material>
<link name="drawn">
  <inertial><mass value="heavy"/></inertial>
  <collision><geometry><cone/></geometry></collision>
  <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
    <geometry><box size="0.1 0.2 0.3"/></geometry><material name="red"/></visual>
  <visual><geometry><cylinder radius="0.1" length="2"/></geometry>
    <material name="green"><color rgba="0 2 0 1"/></material></visual>
  <visual><geometry><sphere radius="0.4"/></geometry><material name="green"/></visual>
  <visual><geometry><mesh filename="package://none/arm.dae" scale="1 1 -1"/></geometry></visual>
  <visual><geometry><mesh filename="file:///etc/hostname"/></geometry></visual>
  <visual><geometry><cone angle="1"/></geometry></visual>
  <visual><geometry><box size="1 1"/></geometry></visual>
  <visual><geometry><sphere radius="-1"/></geometry></visual>
  <visual><geometry><capsule radius="0.1" length="2"/></geometry></visual>
  <visual/>
</link>"""


def test_tree_of_the_good_robot():
    robot = RobotDescription.from_urdf(GOOD_URDF)
    assert (robot.name, robot.root) == ("good", "base")
    assert repr(robot) == "RobotDescription('good', 5 links, 4 joints)"
    assert robot.links == ("base", "upper", "slider", "wrist", "tip")
    turn, slide, roll, flange = robot.joints
    assert [j.type for j in robot.joints] == ["revolute", "prismatic", "continuous", "fixed"]
    assert (turn.lower, turn.upper) == (-2.5, 2.0)
    assert (roll.lower, roll.upper) == (-np.inf, np.inf)
    assert (turn.parent, turn.child, turn.mimic) == ("base", "upper", None)
    assert slide.axis.tolist() == [0.0, 1.0, 0.0]
    np.testing.assert_allclose(
        slide.child_in_parent[:3, :3],
        [[np.cos(1.5), 0, np.sin(1.5)], [0, 1, 0], [-np.sin(1.5), 0, np.cos(1.5)]],
        atol=1e-15,
    )
    assert flange.child_in_parent[:3, 3].tolist() == [0.0, 0.0, 0.1]
    with pytest.raises(ValueError, match="read-only"):
        turn.child_in_parent[0, 3] = 1.0


def test_angles_are_fixed_axis_roll_pitch_yaw():
    robot = RobotDescription.from_urdf(edited(('rpy="0 0 0"', 'rpy="0.1 0.2 0.3"')))

    def about(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        matrix = np.eye(3)
        matrix[[i, j, i, j], [i, j, j, i]] = c, c, -s, s
        return matrix

    np.testing.assert_allclose(
        robot.joints[0].child_in_parent[:3, :3],
        about(2, 0.3) @ about(1, 0.2) @ about(0, 0.1),
        atol=1e-15,
    )


def test_shapes_are_kept_and_unusable_ones_left_out():
    robot = RobotDescription.from_urdf(with_extra(VISUALS + joint("odd", "base", "drawn")))
    assert list(robot.visuals) == ["drawn"]
    box, cylinder, sphere, scaled, mesh, *capsule = robot.visuals["drawn"]
    assert (box.shape, box.size, box.rgba) == ("box", (0.1, 0.2, 0.3), (1.0, 0.0, 0.0, 0.5))
    np.testing.assert_allclose(
        box.visual_in_link, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15
    )
    assert (cylinder.shape, cylinder.size) == ("cylinder", (0.1, 2.0))
    assert cylinder.rgba == sphere.rgba == (0.0, 1.0, 0.0, 1.0)
    assert (sphere.shape, sphere.size) == ("sphere", (0.4,))
    assert (scaled.shape, scaled.size) == ("mesh", (1.0, 1.0, -1.0))
    assert scaled.mesh_uri == "package://none/arm.dae"
    assert (mesh.size, mesh.mesh_uri) == ((1.0, 1.0, 1.0), "file:///etc/hostname")
    assert [one.shape for one in capsule] == ["cylinder", "sphere", "sphere"]


@pytest.mark.parametrize(
    "extra",
    [
        "<transmission name='t'><joint name='turn'/><type/></transmission>",
        "<gazebo reference='base'><plugin filename='x.so'><a>1 2</a></plugin></gazebo>",
        "<ros2_control name='c' type='system'><joint name='turn'/></ros2_control>",
        "<g:sensor xmlns:g='http://gazebosim.org'><link/></g:sensor>",
        "<!-- a comment --><?a processing instruction?>",
        # Prefixes of extensions that nobody declares, and what is left of xacro without effect.
        "<gazebo><sensor:camera a:b='1'><c/></sensor:camera></gazebo><d:e/>",
        "<gazebo><xacro:thing/></gazebo><xacro:property name='p' value='${1}'/><xacro:macro/>",
        "<link name='a' f:g='1'><h:i/></link>" + joint("a", "base", "a", "fixed"),
        # Joints without limits, as exporters write them.
        "<link name='a'/>" + joint("a", "base", "a", "revolute", NO_LIMIT),
        "<link name='a'/>" + joint("a", "base", "a", "prismatic", NO_LIMIT),
        "<material/><material name='m'><color rgba='red'/></material>",
        # Joints that are not in the chain need not be usable in one.
        "<link name='a'/>" + joint("a", "base", "a", "floating"),
        "<link name='a'/>" + joint("a", "base", "a", "continuous"),
        "<link name='a'/>" + joint("a", "base", "a", "revolute"),
        "<link name='a'/>" + joint("a", "base", "a", "planar", "<axis xyz='0 0 0'/>"),
        "<link name='a'/>" + joint("a", "base", "a", "fixed", "<axis xyz='0 0 0'/>"),
        "<link name='a'/>" + joint("a", "base", "a", "fixed", "<mimic joint='gone'/>"),
        "<link name='a'/>" + joint("a", "base", "a", "revolute", "<mimic joint='flange'/>"),
        "<link name='a'/>" + joint("a", "base", "a", "prismatic", "<limit lower='1' upper='-1'/>"),
    ],
)
def test_what_does_not_concern_the_chain_does_not_matter(extra):
    chain = KinematicChain.from_urdf(with_extra(extra), tip_link="tip")
    expected = KinematicChain.from_urdf(GOOD_URDF)
    q = [0.1, 0.2, 0.3]
    np.testing.assert_array_equal(chain.forward(q), expected.forward(q))
    assert chain.joint_names == expected.joint_names


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD_URDF,
        "\n\n  " + GOOD_URDF,
        GOOD_URDF.replace(
            '<robot name="good">', '<robot name="good" xmlns="http://drake.mit.edu">'
        ),
        GOOD_URDF.replace('<robot name="good">', "<robot>"),
        GOOD_URDF.replace('version="1.0"', 'version="1.0" encoding="utf-16"'),
    ],
)
def test_harmless_oddities_are_read(text):
    assert KinematicChain.from_urdf(text).num_joints == 3


def test_infinite_limits_are_none():
    """On a revolute joint they say that it turns freely; half of a range is none."""
    chain = KinematicChain.from_urdf(edited(('lower="-2.5" upper="2"', INFINITE)))
    assert chain.continuous.tolist() == [True, False, True]
    for half in ('lower="-inf" upper="1"', 'lower="0" upper="Infinity"'):
        with pytest.raises(RobotDescriptionError, match="has no limits"):
            KinematicChain.from_urdf(edited(('lower="-2.5" upper="2"', half)))


@pytest.mark.parametrize("kind", [str, str.encode])
def test_undeclared_prefixes_beside_declared_ones(kind):
    """Also where only some are declared, and in a comment before the robot."""
    text = edited(
        ('<robot name="good">', '<!-- j:k --><robot name="good" xmlns:l="urn:l">'),
        ("</robot>", "<gazebo><l:m/><n:o p:q='é'/></gazebo></robot>"),
    )
    assert KinematicChain.from_urdf(text).num_joints == 3
    assert RobotDescription.from_urdf_text(kind(text)).links[-1] == "tip"


def test_one_limit_left_out_is_zero_as_urdf_says():
    robot = RobotDescription.from_urdf(edited(('lower="-2.5" ', "")))
    assert (robot.joints[0].lower, robot.joints[0].upper) == (0.0, 2.0)


def test_a_file_is_read_as_its_text(tmp_path):
    path = tmp_path / "good.urdf"
    path.write_bytes(GOOD_URDF.replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16"))
    for source in (path, str(path)):
        assert RobotDescription.from_urdf(source).links[-1] == "tip"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.urdf", None, "there is no file"),
        ("empty.urdf", b" \n", "is empty"),
        ("image.urdf", b"\x89PNG\r\n\x1a\n\x00\x00", "is not XML"),
        ("bad_encoding.urdf", b'<?xml version="1.0" encoding="klingon"?><robot/>', "is not XML"),
        ("not_utf8.urdf", b"<robot name='\xff'/>", "is not XML"),
    ],
)
def test_unusable_files(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RobotDescriptionError, match=message):
        RobotDescription.from_urdf(tmp_path / name)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (".", "is a directory"),
        (os.devnull, "is not a regular file"),
        ("a\0b.urdf", "no file|cannot read"),
        ("x" * 3000, "cannot read"),
        ("x" * 5000, "neither XML"),
        (None, "a path, or the text of a URDF, SDF or MJCF, not NoneType"),
        (3, "a path, or the text of a URDF, SDF or MJCF, not int"),
        (b"<robot/>", "a path, or the text of a URDF, SDF or MJCF, not bytes"),
    ],
)
def test_unusable_sources(source, message):
    with pytest.raises(RobotDescriptionError, match=message):
        RobotDescription.from_urdf(source)


def test_text_from_the_network_never_names_a_file(tmp_path):
    path = tmp_path / "good.urdf"
    path.write_text(GOOD_URDF)
    with pytest.raises(RobotDescriptionError, match="not XML"):
        RobotDescription.from_urdf_text(str(path))


def test_reading_opens_no_file_and_no_connection():
    """In a process of its own, as an audit hook cannot be taken away again."""
    script = """
        import sys
        from bad_urdfs import BAD_URDFS, GOOD_URDF, joint, with_extra
        from test_description import VISUALS
        from generative_ik_ros.errors import GenerativeIKError
        from generative_ik_ros.robot.chain import KinematicChain

        include = '<a xmlns:xi="http://www.w3.org/2001/XInclude">'
        include += '<xi:include href="/etc/hostname"/></a>'
        sheet = '<?xml-stylesheet href="/etc/hostname"?>'
        text = with_extra(VISUALS + joint("odd", "base", "drawn") + include + sheet)
        KinematicChain.from_urdf(text, tip_link="tip")  # imports what it needs
        import generative_ik_ros.robot.sdf_reader
        touched = []
        watching = True
        def hook(event, arguments):
            if watching and event.split(".")[0] in ("open", "socket", "subprocess", "urllib"):
                touched.append((event, arguments))
        sys.addaudithook(hook)
        KinematicChain.from_urdf(text, tip_link="tip")
        for bad in BAD_URDFS:
            if bad.id in ("plain_words", "json") or len(bad.text) > 100_000:
                continue
            try:
                KinematicChain.from_urdf(bad.text, bad.base_link, bad.tip_link)
            except GenerativeIKError as error:
                assert "hostname" not in str(error)
        watching = False
        assert not touched, touched[:5]
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
