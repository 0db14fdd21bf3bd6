"""MoveIt's position and orientation constraints as regions."""

import math
from types import SimpleNamespace as Message

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from generative_ik_ros.errors import InvalidTargetError, UnknownNameError
from generative_ik_ros.moveit import GenerativeIK
from generative_ik_ros.moveit.conditions import euler_angles, fulfilled
from generative_ik_ros.moveit.constraints import constraint_goals
from generative_ik_ros.robot.known import robot_urdf_path

BOX, SPHERE, CYLINDER, CONE = 1, 2, 3, 4
EULER, VECTOR = 0, 1
FREE = 2.0 * math.pi
# A table at (1, 2, 0), turned a quarter about z: its x axis is the base's y axis.
TABLE = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 0], [0, 0, 0, 1.0]])
FRAMES = {"table": TABLE, "base": np.eye(4)}
LEVEL = Rotation.identity()
ASKEW = Rotation.from_rotvec((1.0, 0.0, 0.0))
QUARTER = Rotation.from_euler("z", 90.0, degrees=True)


def position(kind, sizes, at=(0.0, 0.0, 0.0), turned=LEVEL, offset=(0.0, 0.0, 0.0), frame="table"):
    primitive = Message(type=kind, dimensions=list(sizes))
    return Message(
        header=Message(frame_id=frame),
        link_name="hand",
        target_point_offset=point(offset),
        constraint_region=Message(
            primitives=[primitive],
            primitive_poses=[Message(position=point(at), orientation=quaternion(turned))],
            meshes=[],
        ),
    )


def orientation(tolerances, turned=LEVEL, kind=EULER, frame="table"):
    x, y, z = tolerances
    return Message(
        header=Message(frame_id=frame),
        link_name="hand",
        orientation=quaternion(turned),
        absolute_x_axis_tolerance=x,
        absolute_y_axis_tolerance=y,
        absolute_z_axis_tolerance=z,
        parameterization=kind,
    )


def point(at):
    return Message(x=at[0], y=at[1], z=at[2])


def quaternion(rotation):
    x, y, z, w = rotation.as_quat()
    return Message(x=x, y=y, z=z, w=w)


def together(*given):
    return Message(
        position_constraints=[one for one in given if hasattr(one, "constraint_region")],
        orientation_constraints=[one for one in given if hasattr(one, "parameterization")],
    )


def goal(*given):
    (found,) = constraint_goals(together(*given), FRAMES).values()
    return found


def pose(rotation=LEVEL, at=(0.0, 0.0, 0.0)):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation.as_matrix(), at
    return matrix


def is_inside(goal, link):
    """Whether the region has a link's pose (4, 4): the definition in docs/goals.md."""
    gap = np.linalg.inv(goal.target) @ link @ goal.tool
    region = goal.region
    at = gap[:3, 3]
    if region.cone_axis is not None:
        k = "xyz".index(region.cone_axis)
        turned = np.arccos(gap[k, k]) <= region.half_angle
        return turned and ((region.lower[:3] <= at) & (at <= region.upper[:3])).all()
    yaw, pitch, roll = Rotation.from_matrix(gap[:3, :3]).as_euler("ZYX")
    triples = (roll, pitch, yaw), (roll + math.pi, math.pi - pitch, yaw + math.pi)
    slack = 1e-9
    for triple in triples:
        angles = (np.array(triple) + math.pi) % (2.0 * math.pi) - math.pi
        all_six = np.concatenate([at, angles])
        if ((region.lower - slack <= all_six) & (all_six <= region.upper + slack)).all():
            return True
    return False


def test_a_box_stands_in_its_frame():
    found = goal(position(BOX, (0.2, 0.4, 0.6), at=(0.1, 0.0, 0.0)))
    assert np.allclose(found.target, pose(QUARTER, (1.0, 2.1, 0.0)))
    assert np.allclose(found.region.upper[:3], (0.1, 0.2, 0.3))
    assert np.allclose(found.region.lower, -found.region.upper)
    # The box is long along the base's x, which is against the table's y.
    turned = Rotation.from_euler("xyz", (1.0, 0.3, -2.0))
    assert is_inside(found, pose(turned, (1.19, 2.1, 0.0)))
    assert not is_inside(found, pose(turned, (1.0, 2.21, 0.0)))


def test_the_point_of_the_link_is_what_counts():
    found = goal(position(BOX, (0.02, 0.02, 0.02), offset=(0.0, 0.0, 0.5), frame="base"))
    down = Rotation.from_euler("x", 180.0, degrees=True)
    assert is_inside(found, pose(down, (0.0, 0.0, 0.505)))
    assert not is_inside(found, pose(LEVEL, (0.0, 0.0, 0.505)))


@pytest.mark.parametrize(("kind", "sizes"), [(SPHERE, (0.3,)), (CYLINDER, (0.8, 0.3))])
def test_of_round_shapes_the_inscribed_box_is_taken(kind, sizes):
    found = goal(position(kind, sizes))
    x, y, z = found.region.upper[:3]
    assert math.hypot(x, y, z if kind == SPHERE else 0.0) == pytest.approx(0.3)
    assert z == pytest.approx(0.4 if kind == CYLINDER else 0.3 / math.sqrt(3.0))


def test_euler_angles_are_about_the_axes_of_the_orientation():
    turned = Rotation.from_euler("xyz", (0.5, -0.4, 1.0))
    desired = Rotation.from_matrix(TABLE[:3, :3]) * turned

    def link(a, b, c):
        return pose(desired * Rotation.from_euler("XYZ", (a, b, c)))

    found = goal(orientation((0.31, 0.21, 2.1), turned))
    assert is_inside(found, link(0.3, -0.2, 2.0)) and is_inside(found, link(-0.3, 0.2, -2.0))
    assert not is_inside(found, link(0.32, 0.0, 0.0))
    assert not is_inside(found, link(0.0, 0.22, 2.0))
    assert not is_inside(found, link(2.0, 0.0, 0.3))
    assert not is_inside(found, pose(Rotation.from_euler("XYZ", (0.3, -0.2, 2.0)) * desired))


def test_rotation_vectors_are_in_the_axes_of_the_frame():
    found = goal(orientation((1.0, 0.0, 0.0), QUARTER, VECTOR))
    in_table, table = Rotation.from_euler("x", 0.9), Rotation.from_matrix(TABLE[:3, :3])
    assert is_inside(found, pose(table * in_table * QUARTER))
    assert not is_inside(found, pose(table * QUARTER * in_table))
    assert not is_inside(found, pose(table * Rotation.from_euler("x", 1.1) * QUARTER))


def test_a_full_turn_frees_an_axis():
    spinning = goal(orientation((0.0, 0.0, FREE)))
    assert is_inside(spinning, pose(QUARTER * Rotation.from_euler("z", 3.0)))
    assert not is_inside(spinning, pose(QUARTER * Rotation.from_euler("y", 0.1)))
    tilting = goal(orientation((0.1, 0.2, FREE), kind=VECTOR)).region
    assert tilting.cone_axis == "z"
    assert tilting.half_angle == pytest.approx(2.0 * math.asin(0.1 / math.pi))
    for kind in (EULER, VECTOR):
        region = goal(position(SPHERE, (0.1,)), orientation((FREE,) * 3, kind=kind)).region
        assert (region.upper[3:] == math.pi).all()
    # MoveIt's angle about y is never beyond a right angle: a turn of 2 rad has others beside it.
    across = goal(orientation((0.1, FREE, 0.1)))
    assert is_inside(across, pose(QUARTER * Rotation.from_euler("y", 1.5)))
    assert not is_inside(across, pose(QUARTER * Rotation.from_euler("y", 2.0)))


def test_one_orientation_goes_with_a_box_that_stands_as_it_likes():
    turned, askew = Rotation.from_euler("xyz", (0.3, 0.2, 0.1)), Rotation.from_euler("z", 0.7)
    found = goal(position(BOX, (0.2, 0.0, 0.0), turned=askew), orientation((0, 0, 0), turned))
    desired = Rotation.from_matrix(TABLE[:3, :3]) * turned
    along = TABLE[:3, :3] @ askew.as_matrix()[:, 0]
    assert is_inside(found, pose(desired, TABLE[:3, 3] + 0.099 * along))
    assert not is_inside(found, pose(desired, TABLE[:3, 3] + 0.101 * along))
    assert not is_inside(found, pose(Rotation.from_euler("z", 0.01) * desired, TABLE[:3, 3]))


def random_constraints(rng, kinds):
    turned = Rotation.random(random_state=rng.integers(1 << 30))
    kind = int(rng.integers(1, 4))
    sizes = rng.uniform(0.0, 0.3, {BOX: 3, SPHERE: 1, CYLINDER: 2}[kind])
    at, offset = rng.uniform(-1.0, 1.0, (2, 3))
    tolerances = rng.choice([0.0, 0.01, 0.1, 0.7, 1.7, math.pi, FREE], 3)
    vector = int(rng.choice(kinds))
    # The vector's axes are those of the frame.
    box = turned if vector == EULER else LEVEL
    return (position(kind, sizes, at, box, offset), orientation(tolerances, turned, vector))


@pytest.mark.parametrize("seed", range(3))
def test_all_of_a_region_fulfils_the_constraints(seed):
    """Against MoveIt's own formulas, which know nothing of regions."""
    rng = np.random.default_rng(seed)
    for _ in range(150):
        given = random_constraints(rng, (EULER, VECTOR))
        found, given = goal(*given), together(*given)
        upper = np.minimum(found.region.upper, [9, 9, 9, math.pi, 1.5707, math.pi])
        for share in (*rng.uniform(-1.0, 1.0, (5, 6)), *rng.choice([-0.9999, 0.9999], (3, 6))):
            x, y, z, roll, pitch, yaw = share * upper
            turn = Rotation.from_euler("ZYX", (yaw, pitch, roll))
            if found.region.cone_axis is not None:
                k = "xyz".index(found.region.cone_axis)
                tilt = np.insert([math.cos(roll), math.sin(roll)], k, 0.0)
                tilt = Rotation.from_rotvec(share[0] * found.region.half_angle * tilt)
                turn = tilt * Rotation.from_rotvec(np.eye(3)[k] * yaw)
            link = found.target @ pose(turn, (x, y, z)) @ np.linalg.inv(found.tool)
            assert fulfilled(given, {**FRAMES, "hand": link}, 1e-9, 1e-7)


def test_of_boxes_and_euler_angles_nothing_is_lost():
    rng = np.random.default_rng(5)
    for _ in range(300):
        box, turn = random_constraints(rng, (EULER,))
        if box.constraint_region.primitives[0].type != BOX:
            continue
        found = goal(box, turn)
        given = (turn.absolute_x_axis_tolerance, turn.absolute_y_axis_tolerance)
        tolerances = np.minimum((*given, turn.absolute_z_axis_tolerance), math.pi)
        angles = rng.uniform(-1.0, 1.0, 3) * np.minimum(tolerances, [9.0, 1.57, 9.0])
        q = turn.orientation
        desired = TABLE[:3, :3] @ Rotation.from_quat((q.x, q.y, q.z, q.w)).as_matrix()
        link = np.eye(4)
        link[:3, :3] = desired @ Rotation.from_euler("XYZ", angles).as_matrix()
        assert np.allclose(euler_angles(desired.T @ link[:3, :3]), angles)
        half = 0.5 * np.array(box.constraint_region.primitives[0].dimensions)
        middle = box.constraint_region.primitive_poses[0].position
        inside = desired @ (rng.uniform(-1.0, 1.0, 3) * half)
        reached = TABLE[:3, :3] @ (middle.x, middle.y, middle.z) + TABLE[:3, 3] + inside
        offset = box.target_point_offset
        link[:3, 3] = reached - link[:3, :3] @ (offset.x, offset.y, offset.z)
        assert is_inside(found, link)


def two_boxes():
    found = position(BOX, (0.1, 0.1, 0.1))
    found.constraint_region.primitives *= 2
    found.constraint_region.primitive_poses *= 2
    return found


def with_meshes():
    found = position(BOX, (0.1, 0.1, 0.1))
    found.constraint_region.meshes = [Message()]
    return found


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("boxes, spheres or cylinders", [position(CONE, (0.1, 0.1))]),
        ("boxes, spheres or cylinders", [with_meshes()]),
        ("one box, sphere or cylinder", [two_boxes()]),
        ("needs 3 dimensions", [position(BOX, (0.1, 0.1))]),
        ("needs 1 dimensions", [position(SPHERE, (-0.1,))]),
        ("no frame_id", [position(SPHERE, (0.1,), frame="")]),
        ("must be 0 .* or 1", [orientation((0, 0, 0), kind=2)]),
        ("NaN", [orientation((math.nan, 0, 0))]),
        ("several orientation", [orientation((0, 0, 0))] * 2),
        (
            "not parallel; turn the box, use a sphere",
            [position(BOX, (0.1, 0.2, 0.3)), orientation((0, 0, 1), ASKEW)],
        ),
    ],
)  # fmt: skip
def test_what_is_no_region_is_refused_with_what_would_be(words, given):
    with pytest.raises(InvalidTargetError, match=words):
        goal(*given)


def test_an_unknown_frame_is_named():
    with pytest.raises(UnknownNameError, match="moon"):
        goal(position(SPHERE, (0.1,), frame="moon"))


def test_solutions_are_where_constraints_want_them():
    """A rod of 0.2 m on the flange: its end over a strip, upright within 0.2 rad, spin free."""
    ik = GenerativeIK.initialize(robot_urdf_path("panda"), "arm", "panda_link0", "panda_link8")
    frames = {ik.base_frame: np.eye(4)}
    strip = position(BOX, (0.3, 0.01, 0.0), (0.4, 0.1, 0.3), LEVEL, (0.0, 0.0, 0.2), ik.base_frame)
    down = Rotation.from_euler("x", 180.0, degrees=True)
    upright = orientation((0.2, 0.2, FREE), down, EULER, ik.base_frame)
    for one in (strip, upright):
        one.link_name = ik.tip_frame
    (link, found), = constraint_goals(together(strip, upright), frames).items()  # fmt: skip
    arm = GenerativeIK(ik.group, ik.tip_frame, tools={link: found.tool})
    reached = []
    for seed in np.random.default_rng(1).uniform(-0.4, 0.4, (8, 7)):
        seed = seed + (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8)
        result = arm.search_position_ik(found.target, seed, timeout=60.0, region=found.region)
        (tip,) = ik.get_position_fk([ik.tip_frame], result.solution)
        assert fulfilled(together(strip, upright), {**frames, link: tip}, 1e-5, 0.0)
        reached.append(tip)
    assert np.ptp(reached, axis=0)[:3, :3].max() > 0.1
