"""The protocol of collisions, on an arm of boxes, and the truth that it is measured by."""

import tarfile
from dataclasses import replace

import numpy as np
import pytest
import trimesh
import yaml

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.collision_oracle import file_triangles, winding_number
from generative_ik_benchmarks.protocols import collision_goals, collision_verdicts
from generative_ik_benchmarks.sphere_oracle import SphereOracle

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
from generative_ik_benchmarks.collision_oracle import RobotOracle, Solid  # noqa: E402

LENGTH, THICK = 0.25, 0.08
AXES = ["0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1"]
GOAL = [0.4, 0.7, 0.6, 0.3, 0.8, -0.5]


def _links(names):
    """An upright arm whose links are boxes of `link.stl`."""
    mesh = "<geometry><mesh filename='package://meshes/link.stl'/></geometry>"
    body = f"<collision><origin xyz='0 0 {LENGTH / 2}'/>{mesh}</collision>"
    parts = [f"<robot name='arm'><link name='{names[0]}'/>"]
    for i, axis in enumerate(AXES):
        parts.append(
            f"<link name='{names[i + 1]}'>{body}</link><joint name='j{i}' type='revolute'>"
            f"<parent link='{names[i]}'/><child link='{names[i + 1]}'/>"
            f"<origin xyz='0 0 {LENGTH if i else 0.0}'/><axis xyz='{axis}'/>"
            "<limit lower='-2.5' upper='2.5' effort='1' velocity='1'/></joint>"
        )
    return "".join([*parts, "</robot>"])


NAMES = ["base_link", *(f"l{i}" for i in range(1, 6)), "ee_link"]


@pytest.fixture
def scenes(tmp_path):
    """A folder as `--scenes-dir` takes it: one robot, one scenario, two problems."""
    robot = tmp_path / "scenes/ur5"
    (robot / "meshes").mkdir(parents=True)
    trimesh.creation.box([THICK, THICK, 0.9 * LENGTH]).export(robot / "meshes/link.stl")
    (robot / "ur5.urdf").write_text(_links(NAMES))
    disabled = [
        f"<disable_collisions link1='{a}' link2='{b}' reason='Adjacent'/>"
        for a, b in zip(NAMES, NAMES[1:], strict=False)
    ]
    (robot / "ur5.srdf").write_text(f"<robot name='arm'>{''.join(disabled)}</robot>")
    problems = tmp_path / "problems/shelf_ur5"
    problems.mkdir(parents=True)
    here = {"orientation": [0, 0, 0, 1]}
    box = {"type": "box", "dimensions": [0.3, 0.3, 0.3]}
    can = {"type": "cylinder", "dimensions": [0.4, 0.05]}  # height, radius
    objects = [
        {
            "id": "crate",
            "pose": {"position": [-0.6, 0.0, 0.0], **here},
            "primitives": [box, can],
            "primitive_poses": [
                {"position": [0.0, 0.0, 0.4], **here},
                {"position": [0.1, 0.5, 0.3], **here},
            ],
        }
    ]
    names = [f"j{i}" for i in range(6)]
    for number, goal in enumerate((GOAL, [-0.4, *GOAL[1:]])):
        (problems / f"scene{number:04}.yaml").write_text(
            yaml.safe_dump({"world": {"collision_objects": objects}})
        )
        constraints = [
            {"joint_name": name, "position": x} for name, x in zip(names, goal, strict=True)
        ]
        request = {
            "start_state": {"joint_state": {"name": names, "position": [0.0] * 6}},
            "goal_constraints": [{"joint_constraints": constraints}],
        }
        (problems / f"request{number:04}.yaml").write_text(yaml.safe_dump(request))
    with tarfile.open(robot / "problems.tar.bz2", "w:bz2") as archive:
        archive.add(tmp_path / "problems", "problems")
    return tmp_path / "scenes"


@pytest.fixture
def curobo(tmp_path):
    """A folder as `--curobo-dir` takes it: two spheres on each link, and a table."""
    folder = tmp_path / "curobo"
    folder.mkdir()
    names = ["panda_link0", *NAMES[1:-1], "panda_hand"]
    (folder / "franka_panda.urdf").write_text(_links(names))
    spheres = {
        name: [
            {"center": [0.0, 0.0, 0.02], "radius": 0.03},
            {"center": [0.0, 0.0, 0.2], "radius": 0.03},
        ]
        for name in names[1:]
    }
    spheres["panda_link0"] = [{"center": [0.0, 0.0, -0.2], "radius": 0.02}]
    robot = {
        "base_link": "panda_link0",
        "tool_frames": ["panda_hand"],
        "collision_link_names": names,
        "collision_spheres": spheres,
        "collision_sphere_buffer": 0.0,
        "self_collision_buffer": {"l3": 0.01},
        "self_collision_ignore": {a: [b] for a, b in zip(names, names[1:], strict=False)},
        "lock_joints": {},
    }
    (folder / "franka.yml").write_text(yaml.safe_dump({"robot_cfg": {"kinematics": robot}}))
    table = {"table": {"dims": [2.0, 2.0, 0.2], "pose": [0.0, 0.0, -0.2, 1, 0, 0, 0]}}
    (folder / "collision_table.yml").write_text(yaml.safe_dump({"cuboid": table}))
    return folder


@pytest.fixture
def robot(scenes):
    case = ChainCase("ur5", scenes / "ur5/ur5.urdf", "base_link", "ee_link")
    return RobotOracle(case, srdf=case.srdf)


def test_goals_batches_and_verdicts(scenes, curobo, evaluate):
    words = ["--scenes-dir", scenes, "--curobo-dir", curobo, "--robot", "ur5"]
    words += ["--configurations", 400, "--scenes", 4, "--solutions", 5]
    code, report, out = evaluate("collisions", *words)
    goals, batches, verdicts = report["tables"]
    assert code == 0 and "checked by pinocchio: nothing false" in out
    rows = {(row["scenario"], row["solver"]): row for row in goals["goals"]}
    for scenario in ("all", "shelf"):
        for solver in ("ours", "ours, filtered"):
            row = rows[scenario, solver]
            assert row["goals"] == 2 and row["solved"] == 1.0 and row["wrong"] == 0
            assert 0.0 < row["median"] <= row["p99"]
        assert rows[scenario, "ours"]["ratio"]["median"] == 1.0
        assert rows[scenario, "ours"]["returned"] >= 4 and rows[scenario, "ours"]["found"] >= 1.0
        assert "trac-ik" in goals["absent"] or rows[scenario, "TRAC-IK, restarts"]["solved"] == 1.0
    plain, free = batches["batches"]
    assert (plain["collisions"], free["collisions"]) == (False, True)
    assert plain["solved"] == 1.0 and free["solved"] > 0.95 and free["colliding"] == 0
    assert plain["colliding"] > 0  # the poses of free configurations have others that are not
    assert "2.73" in out and "RTX 6000 Ada" in out
    figures = verdicts["verdicts"]
    assert figures["configurations"] == 400 and figures["shapes"] == 6 and figures["pairs"] == 10
    shares = figures["free"], figures["undecided"], figures["colliding"]
    assert sum(shares) == pytest.approx(1.0) and min(figures["free"], figures["colliding"]) > 0.1
    assert figures["false_free"] == figures["false_colliding"] == 0
    assert 0.0 < figures["check_min"] <= figures["check_median"] < figures["coal_median"]


@pytest.mark.parametrize("factor, kind", [(0.5, "false_free"), (1.5, "false_colliding")])
def test_false_verdicts_are_found(scenes, evaluate, monkeypatch, factor, kind):
    true_scene = collision_verdicts.scene_of

    def scaled(obstacles):
        """The package sees obstacles of another size than coal."""
        sizes = [tuple(factor * x for x in item.size) for item in obstacles]
        pairs = zip(obstacles, sizes, strict=True)
        return true_scene([Solid(item.name, item.kind, size, item.pose) for item, size in pairs])

    monkeypatch.setattr(collision_verdicts, "scene_of", scaled)
    words = ["--scenes-dir", scenes, "--part", "verdicts", "--robot", "ur5"]
    words += ["--configurations", 400, "--scenes", 4]
    code, report, _ = evaluate("collisions", *words)
    figures = report["tables"][0]["verdicts"]
    other = ({"false_free", "false_colliding"} - {kind}).pop()
    assert code == 1 and figures[kind] > 5 and figures[other] == 0
    example = figures["examples"][0]
    assert (example["distance"] <= 0.0) == (kind == "false_free") and len(
        example["positions"]
    ) == 6


def test_goals_that_all_collide_are_left_out(scenes, evaluate, monkeypatch):
    read, folded = collision_goals.read_problems, [0.0, 2.4, 2.4, 0.0, 0.0, 0.0]
    goal = {f"j{i}": x for i, x in enumerate(folded)}
    monkeypatch.setattr(
        collision_goals,
        "read_problems",
        lambda *words: [replace(one, goal=goal) for one in read(*words)],
    )
    words = ["--scenes-dir", scenes, "--part", "goals", "--robot", "ur5"]
    code, report, out = evaluate("collisions", *words)
    assert code == 0 and report["tables"][0]["goals"] == []
    assert "goals: each known configuration collides" in out


def test_the_oracle_measures_distances(robot):
    q = np.zeros(6)  # upright: the axis of the first link is that of the sphere's centre
    for gap in (2e-3, 1e-5, -1e-3):
        pose = np.eye(4)
        pose[:3, 3] = THICK / 2 + 0.05 + gap, 0.0, LENGTH / 2
        world = robot.among([Solid("ball", "sphere", (0.05,), pose)])
        assert world.collides(q) == (gap < 0.0)
        for distance in (1e-3, 1e-6):
            assert world.collides(q, distance) == (gap < distance)
        distance, *names = world.closest(q)
        assert distance == pytest.approx(gap, abs=1e-6) and "ball" in names


def test_the_oracle_checks_no_joined_links_and_nothing_that_stands(robot):
    folded = np.array([0.0, 2.4, 2.4, 0.0, 0.0, 0.0])
    assert not robot.among([]).collides(np.zeros(6)) and robot.among([]).collides(folded)
    links = {name[:2] for name in robot.among([]).closest(folded)[1:]}
    assert links not in ({"l1", "l2"}, {"l2", "l3"})


def test_what_lies_within_a_mesh_touches_nothing_but_is_found(robot):
    pose = np.eye(4)
    pose[2, 3] = LENGTH / 2
    world = robot.among([Solid("seed", "sphere", (0.01,), pose)])
    assert not world.collides(np.zeros(6)) and world.one_in_the_other(np.zeros(6))
    assert not robot.among([]).one_in_the_other(np.zeros(6))


def test_mesh_files_are_parsed(tmp_path):
    box = trimesh.creation.box([1.0, 2.0, 4.0])
    for name, kind in (("a.stl", "stl"), ("b.stl", "stl_ascii"), ("c.obj", "obj")):
        box.export(tmp_path / name, file_type=kind)
        vertices, faces = file_triangles(tmp_path / name)
        triangles = vertices[faces]
        assert triangles.shape == (12, 3, 3) and np.allclose(np.ptp(vertices, axis=0), [1, 2, 4])
        assert winding_number(triangles, np.array([0.4, 0.9, -1.9])) == pytest.approx(1.0)
        assert winding_number(triangles, np.array([0.4, 0.9, -2.1])) == pytest.approx(0.0)
    (tmp_path / "d.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nusemtl a\nf 1/1/1 2//1 3\nv 0 1 0\nusemtl b\nf -4 -3 -2 -1\n"
    )
    _, faces = file_triangles(tmp_path / "d.obj")
    assert faces.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 3]]
    assert file_triangles(tmp_path / "e.dae") is None


def test_spheres_are_checked(curobo):
    text = (curobo / "franka_panda.urdf").read_text()
    names = [f"j{i}" for i in range(6)]
    oracle = SphereOracle(text, curobo / "franka.yml", curobo / "collision_table.yml", names)
    # Folded, a sphere of l3 is 70.07 mm from one of l1, with radii of 30 mm each and l3's buffer.
    folded = np.array([0.0, 2.4, 2.4, 0.0, 0.0, 0.0])
    assert not oracle.collides(np.zeros(6)) and not oracle.collides(folded)
    robot = yaml.safe_load((curobo / "franka.yml").read_text())
    robot["robot_cfg"]["kinematics"]["self_collision_buffer"]["l3"] = 0.011
    (curobo / "wider.yml").write_text(yaml.safe_dump(robot))
    table = curobo / "collision_table.yml"
    assert SphereOracle(text, curobo / "wider.yml", table, names).collides(folded)
    # Down beside the upright, through the table.
    down = np.array([0.0, np.pi / 2, np.pi / 2, 0.0, 0.0, 0.0])
    assert oracle.collides(down)
