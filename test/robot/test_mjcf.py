"""MJCF: couplings, meshes, names, and what is refused."""

import numpy as np
import pytest
import trimesh

from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.errors import ClosedLoopError, GenerativeIKWarning, RobotDescriptionError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.kinematic_tree import KinematicTree

mujoco = pytest.importorskip("mujoco")

GEOM = '<geom type="sphere" size="0.05"/>'


def arm(extra="", inside="", first="", assets="", compiler=""):
    """Two hinges and a tool: world, base, upper, lower with a site, and beside it a finger."""
    return (
        f'<mujoco model="arm"><compiler angle="radian" {compiler}/><asset>{assets}</asset>'
        '<default><default class="h"><joint axis="0 0 1" range="-2 2" limited="true"/>'
        "</default></default><worldbody>"
        f'{first}<body name="base"><body name="upper" pos="0 0 1"><joint name="one" class="h"/>'
        f'{GEOM}<body name="lower" pos="0.5 0 0"><joint name="two" class="h"/>{GEOM}'
        f'<site name="tool" pos="0.5 0 0" euler="0 0 0.5"/>{inside}</body></body></body>'
        f"</worldbody>{extra}</mujoco>"
    )


def test_a_site_is_the_tip_and_defaults_are_mujocos():
    chain = KinematicChain.from_urdf(arm())
    assert (chain.base_link, chain.tip_link) == ("world", "tool")
    assert chain.description.name == "arm"
    assert chain.lower.tolist() == [-2.0, -2.0]
    tip = chain.forward([np.pi / 2, 0.0])
    np.testing.assert_allclose(tip[:3, 3], [0.0, 1.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(np.arctan2(tip[1, 0], tip[0, 0]), np.pi / 2 + 0.5, atol=1e-12)


def test_several_joints_of_a_body_at_other_points_and_positions():
    inside = (
        '<body name="hand" pos="0 0.1 0" euler="0.3 0.2 0.1">'
        '<joint name="a" type="hinge" axis="1 2 3" pos="0.1 0.2 0.3" ref="0.4"/>'
        '<joint name="b" type="slide" axis="0 1 1" ref="-0.2"/>'
        '<joint name="c" type="hinge" axis="0 1 0" pos="-0.1 0 0.3"/>'
        f'{GEOM}</body><body name="ball"><joint type="ball"/>{GEOM}</body>'
    )
    text = arm(inside=inside)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    limits = {"b": (-1.0, 1.0)}
    chain = KinematicChain.from_urdf(text, "world", "hand", joint_limits=limits)
    assert chain.joint_names == ["one", "two", "a", "b", "c"]
    for q in np.random.default_rng(0).uniform(-1, 1, (10, 5)):
        for name, value in zip(chain.joint_names, q, strict=True):
            data.qpos[model.joint(name).qposadr] = value
        mujoco.mj_kinematics(model, data)
        tip = chain.forward(q)
        np.testing.assert_allclose(tip[:3, 3], data.body("hand").xpos, atol=1e-12)
        np.testing.assert_allclose(tip[:3, :3].ravel(), data.body("hand").xmat, atol=1e-12)


FINGER = f'<body name="finger"><joint name="grip" class="h"/>{GEOM}</body>'


def equality(inside):
    return f"<equality>{inside}</equality>"


def test_a_linear_equality_is_a_mimic():
    text = arm(
        equality('<joint joint1="grip" joint2="two" polycoef="0.1 -2 0 0 0"/>'), inside=FINGER
    )
    chain = KinematicChain.from_urdf(text, "world", "finger")
    assert chain.joint_names == ["one", "two"]
    tip = chain.forward([0.0, 0.3])
    np.testing.assert_allclose(np.arctan2(tip[1, 0], tip[0, 0]), 0.3 + 0.1 - 0.6, atol=1e-12)


def test_an_equality_with_one_joint_holds_it():
    text = arm(equality('<joint joint1="grip" polycoef="0.4 0 0 0 0"/>'), inside=FINGER)
    chain = KinematicChain.from_urdf(text, "world", "finger")
    assert chain.joint_names == ["one", "two"]
    tip = chain.forward([0.0, 0.3])
    np.testing.assert_allclose(np.arctan2(tip[1, 0], tip[0, 0]), 0.7, atol=1e-12)


TENDON = '<tendon><fixed name="cable" limited="true" range="0 1"><joint joint="grip" coef="1"/>'
REFUSED = {
    "polynomial": (
        equality('<joint name="cam" joint1="grip" joint2="two" polycoef="0 1 0.5 0 0"/>'),
        "joint 'grip' between 'world' and 'finger' follows 'two' by a polynomial of degree 2 "
        r"\(equality 'cam'\)",
    ),
    "rope equality": (
        '<tendon><spatial name="rope"><site site="tool"/><site site="nail"/></spatial></tendon>'
        + equality('<tendon name="taut" tendon1="rope"/>'),
        "equality 'taut' of a tendon",
    ),
    "limited cable": (
        '<tendon><spatial name="rope" limited="true" range="0 1"><site site="tool"/>'
        '<site site="nail"/></spatial></tendon>',
        "limits of the tendon 'rope'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_couplings_that_are_not_supported_are_named(case):
    extra, message = REFUSED[case]
    finger = FINGER.replace("</body>", '<site name="nail"/></body>')
    text = arm(extra, inside=finger)
    with pytest.raises(RobotDescriptionError, match=message):
        KinematicChain.from_urdf(text, "world", "finger")
    # They do not matter where they are not between the base and the tip, or held.
    assert KinematicChain.from_urdf(text, "world", "tool").joint_names == ["one", "two"]
    held = KinematicChain.from_urdf(text, "world", "finger", fixed={"grip": 0.5})
    assert held.joint_names == ["one", "two"]


HELD = {
    "connect": (
        equality('<connect name="rod" body1="finger" body2="lower" anchor="0 0 0"/>'),
        "the loop 'rod'",
    ),
    "weld": (equality('<weld body1="finger" body2="lower"/>'), "the loop '1'"),
    "limited tendon": (f"{TENDON}</fixed></tendon>", "the coupling 'cable'"),
    "tendon equality": (
        f"{TENDON}</fixed></tendon>".replace('limited="true" range="0 1"', "")
        + equality('<tendon tendon1="cable"/>'),
        "the coupling '1'",
    ),
}


@pytest.mark.parametrize("case", HELD)
def test_loops_and_sums_are_for_trees(case):
    extra, name = HELD[case]
    text = arm(extra, inside=FINGER)
    with pytest.raises(ClosedLoopError, match=f"'world' and 'finger' are in {name}"):
        KinematicChain.from_urdf(text, "world", "finger")
    tree = KinematicTree.from_urdf(text, "world", ["finger"])
    assert [closure.name for closure in tree.closures] == [name]
    assert tree.mobility == (3 if case in ("connect", "limited tendon") else 2)
    # They do not matter where they are not between the base and the tip, or held.
    assert KinematicChain.from_urdf(text, "world", "tool").joint_names == ["one", "two"]
    held = KinematicChain.from_urdf(text, "world", "finger", fixed={"grip": 0.5})
    assert held.joint_names == ["one", "two"]


def test_welds_by_their_pose_and_by_sites():
    inside = (
        '<body name="bar" pos="0 0.1 0"><joint name="bend" class="h"/>'
        '<body name="end" pos="0.1 0 0"><joint name="reach" type="slide" axis="1 0 0" range="0 1" '
        'limited="true"/><joint name="turn" class="h"/>'
        f'<site name="there" pos="0.1 0.05 0" euler="0 0 0.4"/>{GEOM}</body>{GEOM}</body>'
        '<site name="here" pos="0.25 0.2 0" euler="0 0 0.9"/>'
    )
    poses = (
        '<weld site1="here" site2="there"/>',
        '<weld body1="lower" body2="end" anchor="0.1 0.05 0" '
        'relpose="0.25 0.2 0 0.9689124217106447 0 0 0.24740395925452294"/>',
    )
    model = mujoco.MjModel.from_xml_string(arm(equality(poses[0]), inside=inside))
    data, answers = mujoco.MjData(model), []
    for weld in poses:
        text = arm(equality(weld), inside=inside)
        tree = KinematicTree.from_urdf(text, "world", ["end"])
        assert tree.mobility == 2 and tree.names == ("one", "two", "bend", "reach", "turn")
        q = tree.close([0.3, -0.2, 0.0, 0.0, 0.0], hold=["one", "two"])
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        assert data.ne == 6 and np.abs(data.efc_pos[: data.ne]).max() < 1e-9
        answers.append(q)
    np.testing.assert_allclose(*answers, atol=1e-9)


def test_a_weld_without_torque_holds_a_point():
    weld = equality('<weld name="rod" body1="finger" body2="lower" torquescale="0"/>')
    tree = KinematicTree.from_urdf(arm(weld, inside=FINGER), "world", ["finger"])
    assert tree.mobility == 3


def test_inactive_equalities_and_mocap_targets_couple_nothing():
    target = '<body name="target" mocap="true"/>'
    welds = '<weld body1="target" body2="lower"/><weld body1="base" body2="lower" active="false"/>'
    text = arm(equality(welds), first=target)
    assert KinematicChain.from_urdf(text, "base", "tool").joint_names == ["one", "two"]


def test_a_mesh_without_a_name_has_that_of_its_file_and_the_scale_of_its_class():
    text = arm(
        inside='<geom type="mesh" mesh="part"/>', assets='<mesh class="mm" file="sub/part.stl"/>'
    ).replace("<default>", '<default><default class="mm"><mesh scale="0.1 0.1 0.1"/></default>', 1)
    mesh = RobotDescription.from_urdf(text).collisions["lower"][-1]
    assert (mesh.fault, mesh.mesh_uri, mesh.size) == ("", "sub/part.stl", (0.1, 0.1, 0.1))


@pytest.mark.parametrize(("kind", "word"), [("ball", "ball"), ("free", "floating")])
def test_other_joints_are_refused_in_a_chain(kind, word):
    first = (
        f'<body name="odd"><joint name="o" type="{kind}"/>{GEOM}<body name="end">'
        f'<joint name="e"/>{GEOM}</body></body>'
    )
    with pytest.raises(
        RobotDescriptionError, match=f"joint 'o' between 'world' and 'end' is {word}"
    ):
        KinematicChain.from_urdf(arm(first=first), "world", "end")
    assert KinematicChain.from_urdf(arm(first=first), "odd", "end").joint_names == ["e"]


def test_a_free_joint_gives_way_to_a_floating_base():
    text = (
        f'<mujoco><worldbody><body name="trunk"><freejoint/>{GEOM}<body name="leg">'
        f'<joint name="hip" axis="0 1 0"/>{GEOM}</body></body></worldbody></mujoco>'
    )
    bounds = np.array([[-1.0] * 3 + [-np.inf] * 3, [1.0] * 3 + [np.inf] * 3])
    tree = KinematicTree.from_urdf(text, tip_links=["leg"], floating_base=bounds)
    assert tree.num_joints == 7


def test_what_has_no_name_gets_one():
    text = (
        f'<mujoco><worldbody><body><joint/>{GEOM}<body name="body_1"><joint/>{GEOM}</body></body>'
        "</worldbody></mujoco>"
    )
    description = RobotDescription.from_urdf(text)
    assert description.links == ("world", "body_1_", "body_1")
    assert KinematicChain.from_urdf(text).joint_names == ["joint_0", "joint_1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (arm().replace("0 0 1", "0 0 one", 1), "MuJoCo refuses the description"),
        (arm(inside='<site pos="0 nan 0"/>'), "has the attribute pos '0 nan 0', which is not fin"),
        (arm(equality('<joint joint1="gone"/>')), "MuJoCo refuses the description: .*gone"),
        ("<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>", "repeated|a"),
    ],
)
def test_what_mujoco_refuses_is_told(text, message):
    with pytest.raises(RobotDescriptionError, match=message):
        RobotDescription.from_urdf(text)


MESH = '<mesh name="part" file="part.stl" scale="2 2 2" refpos="0.1 0.2 0.3" refquat="1 1 0 0"/>'


def write_box(path):
    shape = trimesh.creation.box((0.1, 0.2, 0.4))
    shape.apply_translation((0.3, 0.1, 0.2))
    path.write_bytes(shape.export(file_type="stl"))
    return shape


def test_meshes_are_where_mujoco_has_them(tmp_path):
    """MuJoCo moves each mesh into its inertia frame; its vertices in the world tell."""
    (tmp_path / "assets").mkdir()
    write_box(tmp_path / "assets" / "part.stl")
    path = tmp_path / "arm.xml"
    inside = '<geom type="mesh" mesh="part" pos="0 0 0.2" euler="0.1 0.2 0.3"/>'
    path.write_text(arm(inside=inside, assets=MESH, compiler='meshdir="assets"'))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    geom = int(np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)[0])
    placed = model.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]

    collisions = CollisionModel.from_urdf(path)
    description = RobotDescription.from_urdf(path)
    assert [one.mesh_uri for one in description.collisions["lower"]] == ["", "assets/part.stl"]
    (link,) = (one for one in collisions.links if one.name == "lower")
    (mesh,) = (one for one in link.shapes if hasattr(one, "vertices"))
    lower = KinematicChain.from_urdf(path, "world", "lower").forward([0.0, 0.0])
    frame = lower @ mesh.pose
    ours = mesh.vertices @ frame[:3, :3].T + frame[:3, 3]
    for place in placed:
        assert np.abs(ours - place).max(axis=1).min() < 1e-6  # it keeps single precision


def test_a_robot_loads_without_its_meshes_and_textures(tmp_path):
    path = tmp_path / "arm.xml"
    assets = MESH + '<texture name="t" type="2d" file="t.png"/><material name="m" texture="t"/>'
    path.write_text(arm(inside='<geom type="mesh" mesh="part" material="m"/>', assets=assets))
    assert KinematicChain.from_urdf(path).joint_names == ["one", "two"]
    with pytest.raises(RobotDescriptionError, match="'part.stl'"):
        CollisionModel.from_urdf(path)


def test_sites_and_tendons_have_materials_too(tmp_path):
    sites = '<site name="tip" material="m"/><site name="beside" pos="0 0 1"/>'
    text = arm(inside=sites, assets='<material name="m"/>')
    ends = '<site site="tip"/><site site="beside"/>'
    tendon = f'<tendon><spatial material="m">{ends}</spatial></tendon>'
    text = text.replace("</mujoco>", tendon + "</mujoco>")
    path = tmp_path / "arm.xml"
    path.write_text(text)
    for source in (path, text):
        chain = KinematicChain.from_urdf(source, "world", "tip")
        assert chain.joint_names == ["one", "two"]


def test_a_mesh_beside_the_models_folder_is_found_in_a_folder_that_is_named(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "mjcf").mkdir()
    write_box(tmp_path / "meshes" / "part.stl")
    path = tmp_path / "mjcf" / "arm.xml"
    inside = '<geom type="mesh" mesh="part"/>'
    path.write_text(arm(inside=inside, assets=MESH, compiler='meshdir="../meshes"'))
    with pytest.raises(RobotDescriptionError, match="package_dirs="):
        CollisionModel.from_urdf(path)
    assert CollisionModel.from_urdf(path, package_dirs=[tmp_path]).links


def test_shapes_and_colours():
    inside = (
        '<geom type="box" size="1 2 3" pos="0 0 1"/><geom type="capsule" size="0.1 0.5"/>'
        '<geom type="cylinder" size="0.1 0.5" contype="0" conaffinity="0" material="red"/>'
        '<geom type="ellipsoid" size="1 2 3" group="3"/>'
    )
    assets = '<material name="red" rgba="1 0 0 0.5"/>'
    text = arm(inside=inside, assets=assets, first='<geom type="plane" size="1 1 1"/>')
    description = RobotDescription.from_urdf(text.replace("<asset>", "<asset>"))
    sphere, box, capsule, odd = description.collisions["lower"]
    assert (sphere.shape, sphere.size) == ("sphere", (0.05,))
    assert (box.shape, box.size, box.shape_in_link[2, 3]) == ("box", (2.0, 4.0, 6.0), 1.0)
    assert (capsule.shape, capsule.size) == ("capsule", (0.1, 1.0))
    assert "the kind ellipsoid is not supported" in odd.fault
    looks = [one.shape for one in description.visuals["lower"]]
    assert looks == ["sphere", "box", "cylinder", "sphere", "sphere", "cylinder"]
    text = text.replace('<geom type="ellipsoid" size="1 2 3" group="3"/>', "")
    with pytest.warns(GenerativeIKWarning, match="planes are left out .* of world: give a scene"):
        links = [link.name for link in CollisionModel.from_urdf(text).links]
    assert links == ["upper", "lower"]


def test_materials_of_a_file_colour_it(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        arm(
            inside='<geom type="box" size="1 1 1" material="red"/>',
            assets='<material name="red" rgba="1 0 0 0.5"/>',
        )
    )
    box = RobotDescription.from_urdf(path).visuals["lower"][-1]
    assert box.rgba == (1.0, 0.0, 0.0, 0.5)


def test_a_file_may_include_others_and_text_may_not(tmp_path):
    (tmp_path / "finger.xml").write_text(f"<mujocoinclude>{FINGER}</mujocoinclude>")
    text = arm(inside='<include file="finger.xml"/>')
    path = tmp_path / "arm.xml"
    path.write_text(text)
    assert "finger" in RobotDescription.from_urdf(path).links
    with pytest.raises(RobotDescriptionError, match="<include>, which only a file may have"):
        RobotDescription.from_urdf(text)


@pytest.mark.parametrize(
    "text",
    [
        arm().replace("<worldbody>", '<include file="x"/><worldbody>'),
        arm(equality('<include file="x"/>')),
        arm("<extension><plugin plugin='x'/></extension>"),
        arm(inside='<replicate count="1000000"><site/></replicate>'),
        arm(inside='<attach model="x" body="y" prefix="z"/>'),
        arm(inside='<flexcomp name="f" type="gmsh" file="x" dim="3"/>'),
        arm(inside='<composite type="cable" count="1000000 1 1"/>'),
        arm(inside='<plugin plugin="x"/>'),
    ],
)
def test_text_holds_nothing_that_opens_files_or_makes_many_parts_of_one(text, tmp_path):
    with pytest.raises(RobotDescriptionError, match="which only a file may have"):
        RobotDescription.from_urdf_text(text)


def test_assets_of_text_are_not_opened(tmp_path, monkeypatch):
    """Files that would be refused if they were opened."""
    monkeypatch.chdir(tmp_path)
    for name in ("part.stl", "t.png", "other.xml"):
        (tmp_path / name).write_text("no")
    assets = (
        '<texture name="t" type="2d" file="t.png"/><hfield name="h" file="t.png" size="1 1 1 1"/>'
        '<model name="x" file="other.xml"/>' + MESH
    )
    text = arm(inside='<geom type="mesh" mesh="part"/>', assets=assets)
    assert KinematicChain.from_urdf(text).joint_names == ["one", "two"]


def test_joints_that_actuators_drive(tmp_path):
    motors = '<actuator><motor name="m" joint="one"/><position tendon="cable"/></actuator>'
    tendon = '<tendon><fixed name="cable"><joint joint="grip" coef="1"/></fixed></tendon>'
    rod = equality('<connect name="rod" body1="finger" body2="lower" anchor="0 0 0"/>')
    file = tmp_path / "arm.xml"
    file.write_text(arm(rod + tendon + motors, inside=FINGER))
    tree = KinematicTree.from_urdf(file, "world", ["finger"])
    assert (tree.names, tree.actuated_joints) == (("one", "two", "grip"), ("one", "grip"))
    file.write_text(arm(rod + tendon, inside=FINGER))
    assert KinematicTree.from_urdf(file, "world", ["finger"]).actuated_joints == tree.names


@pytest.mark.filterwarnings("ignore:Attaching")
def test_mujocos_warnings_make_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = tmp_path / "part.xml"
    joint = f'<worldbody><body name="b"><joint name="turn"/>{GEOM}</body></worldbody>'
    part.write_text(f'<mujoco model="part">{joint}</mujoco>')
    # It warns of attachments without a prefix.
    model = tmp_path / "model.xml"
    model.write_text(
        '<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody>'
        '<body name="base"><attach model="part" body="b" prefix=""/></body></worldbody></mujoco>'
    )
    assert KinematicChain.from_urdf(model).joint_names == ["turn"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.xml", "part.xml"]
    assert mujoco.get_mju_user_warning() is None
    heard = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        KinematicChain.from_urdf(model)
    finally:
        mujoco.set_mju_user_warning(None)
    assert len(heard) == 1 and "prefix" in str(heard[0])


def test_actuators_by_plugins_are_taken_out_with_these(tmp_path):
    """As in the Shadow DEX-EE of Menagerie: MuJoCo deletes a plugin with its last actuator."""
    file = tmp_path / "driven.xml"
    file.write_text(
        '<mujoco><extension><plugin plugin="mujoco.pid"><instance name="pid"/></plugin>'
        '</extension><worldbody><body name="arm"><joint name="turn" range="-90 45"/>'
        '<geom size="0.1"/></body></worldbody><actuator><plugin plugin="mujoco.pid" '
        'instance="pid" joint="turn"/></actuator></mujoco>'
    )
    (joint,) = RobotDescription.from_urdf(file).joints
    assert (joint.name, joint.actuated, joint.upper) == ("turn", True, np.pi / 4)
