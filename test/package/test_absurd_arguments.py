"""What nobody means, passed to the public calls: an error of the package, in one line."""

import inspect
import sys

import numpy as np
import pytest

from generative_ik_ros import (
    Clutch,
    CollisionModel,
    GenerativeIKError,
    IKSolver,
    Jog,
    KinematicChain,
    KinematicTree,
    PoseFilter,
    ReachabilityMap,
    Scene,
    TaskSpaceRegion,
    load_robot,
    place_base,
    pose_matrix,
    time_path,
)
from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.collision.obstacles import Obstacle
from generative_ik_ros.collision.shapes import Box, Capsule, Mesh, Sphere
from generative_ik_ros.errors import MissingDependencyError, shown
from generative_ik_ros.moveit import GenerativeIK, read_joint_limits
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.known import known_robot, robot_urdf_path
from generative_ik_ros.samplers.demonstrations import Demonstrations
from generative_ik_ros.samplers.registry import sampler_class, sampler_names
from generative_ik_ros.select.preferences import limit_margin, manipulability

ABSURD = {
    "none": None,
    "zero": 0,
    "a large number": 10**400,
    "infinite": float("inf"),
    "complex": 1j,
    "text": "x",
    "no text": "",
    "bytes": b"x",
    "an object": object(),
    "a module": sys,
    "an error": ValueError("x"),
    "a set": {1},
    "a mapping": {"a": 1},
    "a list": ["a"],
    "a ragged list": [[1], [2, 3]],
    "a generator": (one for one in "ab"),
    "a matrix": np.eye(3),
    "numbers": np.zeros((2, 2, 2)),
    "no numbers": np.zeros(0),
    "an array of texts": np.array(["a", "b"]),
    "an array of no dimensions": np.array(2.0),
    "text that no path has": "a\0b",
}
HOME = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
UR10 = robot_urdf_path("ur10")


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Public calls, and arguments with which each would do."""
    panda, ur10 = load_robot("panda"), load_robot("ur10")
    target, solver, none = panda.forward(HOME), IKSolver(panda), tmp_path_factory.mktemp("none")
    model = CollisionModel.from_urdf(UR10)
    checked, pose = IKSolver(ur10, collision=model), ur10.forward(HOME[:6])
    tracker = solver.track(HOME, 0.01)
    path = solver.solve_path(np.stack([target] * 2), seed_state=HOME)
    bases = {"chain": ur10, "tasks": pose, "candidates": np.eye(4)}
    box = {"chain": ur10, "tasks": pose, "bounds": np.zeros((2, 3)), "yaw_step": 3.0}
    reach = {"chain": ur10, "resolution": 0.7, "orientations": 8}
    return {
        "load_robot": (load_robot, {"name": "panda"}),
        "chain": (KinematicChain.from_urdf, {"source": UR10}),
        "tree": (KinematicTree.from_urdf, {"source": UR10}),
        "solver": (IKSolver, {"chain": panda}),
        "solve": (solver.solve, {"targets": target, "num_solutions": 2}),
        "nearest": (solver.solve, {"targets": target, "num_solutions": 1, "seed_state": HOME}),
        "free": (checked.solve, {"targets": pose, "num_solutions": 1}),
        "path": (solver.solve_path, {"targets": target}),
        "track": (solver.track, {"seed_state": HOME, "period": 0.01}),
        "step": (tracker.step, {"target": target}),
        "reset": (tracker.reset, {"seed_state": HOME}),
        "forward": (panda.forward, {"q": HOME}),
        "model": (CollisionModel.from_urdf, {"source": UR10}),
        "scene": (Scene, {}),
        "scene file": (Scene.from_yaml, {"path": none / "none.yaml"}),
        "region": (TaskSpaceRegion, {"lower": np.zeros(6), "upper": np.ones(6)}),
        "cone": (TaskSpaceRegion.cone, {"axis": "z", "half_angle": 0.1}),
        "plane": (TaskSpaceRegion.plane, {}),
        "bases": (place_base, bases),
        "a grid of bases": (place_base, box),
        "reach": (ReachabilityMap.compute, reach),
        "checked reach": (ReachabilityMap.compute, {**reach, "collision": model}),
        "load": (ReachabilityMap.load, {"path": none / "none.npz"}),
        "time": (time_path, {"path": path, "chain": panda}),
        "pose": (pose_matrix, {"position": HOME[:3], "quaternion_xyzw": [0, 0, 0, 1]}),
        "filter": (PoseFilter, {"period": 0.01, "cutoff": 2.0}),
        "clutch": (Clutch, {}),
        "jog": (Jog, {"period": 0.01}),
    }


@pytest.fixture(scope="module")
def other_calls(tmp_path_factory):
    """The same for what the pages of docs/api have besides."""
    panda, ur10 = load_robot("panda"), load_robot("ur10")
    target, solver, none = panda.forward(HOME), IKSolver(panda), tmp_path_factory.mktemp("none")
    model, tree = CollisionModel.from_urdf(UR10), KinematicTree.from_urdf(UR10, None, ["tool0"])
    checked, pose = IKSolver(ur10, collision=model), ur10.forward(HOME[:6])
    box = Box(np.full(3, 0.1))
    cloud, scene = PointCloud.of(np.eye(3)), Scene.of([Obstacle("box", box)])
    found, moveit = solver.solve(target, 2), GenerativeIK.initialize(UR10)
    seen = np.random.default_rng(0).uniform(-1.0, 1.0, (80, 6))
    path = solver.solve_path(np.stack([target] * 2), seed_state=HOME)
    query, q, name = {"pose": pose, "seed_state": HOME[:6]}, {"q": HOME}, {"name": "panda"}
    positions = {"positions": HOME[:6]}
    return {
        "of": (found.of, {}),
        "branches": (found.branches, {}),
        "best effort": (found.best_effort_message, {}),
        "at": (time_path(path, panda).at, {"times": 0.0}),
        "manipulability": (manipulability, {"chain": panda, **q}),
        "limit margin": (limit_margin, {"chain": panda, **q}),
        "jacobian": (panda.jacobian, q),
        "close": (tree.close, {"q": HOME[:6]}),
        "refiner": (LevenbergMarquardt, {"chain": panda, "position_tolerance": 1e-5,
                                         "orientation_tolerance": 1e-5}),
        "sampler": (sampler_class, {"name": "uniform"}),
        "demonstrations": (Demonstrations, {"chain": tree, "configurations": seen}),
        "known robot": (known_robot, name),
        "file of a robot": (robot_urdf_path, name),
        "description": (RobotDescription.from_urdf, {"source": UR10}),
        "text": (RobotDescription.from_urdf_text, {"text": UR10.read_text()}),
        "joint limits": (read_joint_limits, {"file": none / "none.yaml"}),
        "freed": (TaskSpaceRegion.exact().freed, {"position": True, "orientation": True}),
        "collides": (checked.collides, positions),
        "clearance": (checked.clearance, positions),
        "colliding pair": (checked.colliding_pair, positions),
        "attach": (model.attach, {"link": "tool0", "shapes": [box]}),
        "box": (Box, {"size": np.ones(3)}),
        "sphere": (Sphere, {"radius": 1.0}),
        "capsule": (Capsule, {"radius": 1.0, "length": 1.0}),
        "mesh": (Mesh, {"vertices": np.eye(3), "faces": np.array([[0, 1, 2]])}),
        "obstacle": (Obstacle, {"name": "a", "shape": box}),
        "cloud": (PointCloud.of, {"points": np.zeros((3, 3))}),
        "moved cloud": (cloud.moved, {"pose": np.eye(4)}),
        "thinned": (cloud.thinned, {"distance": 0.1}),
        "cubes": (cloud.cubes, {"edge": 0.1}),
        "scene of": (Scene.of, {"obstacles": [Obstacle("box", box)]}),
        "moved": (scene.moved, {"name": "box", "pose": np.eye(4)}),
        "without": (scene.without, {"name": "box"}),
        "with points": (scene.with_points, {"points": np.zeros((3, 3))}),
        "clutch step": (Clutch().step, {"device": target, "engaged": True, "tip": target}),
        "jog step": (Jog(0.01).step, {"twist": np.zeros(6), "tip": target}),
        "filter step": (PoseFilter(0.01, 2.0).step, {"target": target}),
        "group": (GenerativeIK.initialize, {"robot_description": UR10}),
        "fk": (moveit.get_position_fk, {"link_names": ["tool0"], "joint_values": HOME[:6]}),
        "ik": (moveit.get_position_ik, query),
        "search": (moveit.search_position_ik, query),
        "all": (moveit.get_position_ik_all, query),
    }  # fmt: skip


NAMES = (
    "load_robot chain tree solver solve nearest free path track step reset forward model scene "
    "region cone plane bases reach load time pose filter clutch jog"
).split() + ["scene file", "a grid of bases", "checked reach"]
OTHERS = (
    "of branches at manipulability jacobian close refiner sampler demonstrations description text "
    "freed collides clearance attach box sphere capsule mesh obstacle cloud thinned cubes moved "
    "without group fk ik search all"
).split() + [
    "best effort", "limit margin", "known robot", "file of a robot", "joint limits", "scene of",
    "colliding pair", "moved cloud", "with points", "clutch step", "jog step", "filter step",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::generative_ik_ros.GenerativeIKWarning")
@pytest.mark.parametrize("name", NAMES)
def test_an_error_says_what_is_taken(calls, name):
    check(name, *calls[name])


@pytest.mark.filterwarnings("ignore::generative_ik_ros.GenerativeIKWarning")
@pytest.mark.parametrize("name", OTHERS)
def test_other_calls_say_what_they_take(other_calls, name):
    check(name, *other_calls[name])


@pytest.mark.parametrize("name", sampler_names())
def test_samplers_say_what_they_take(name):
    try:
        kind, panda = sampler_class(name), load_robot("panda")
    except MissingDependencyError:
        pytest.skip("torch is not installed (make setup)")
    check(name, kind, {"chain": panda})
    if name != "postures":
        target = panda.forward(HOME)
        check(name, kind(panda).samples, {"target": target, "count": 2})


def check(name, call, usual):
    """Fail unless absurd arguments are accepted, or refused by an error of the package."""
    refused = 0
    for argument in inspect.signature(call).parameters:
        for what, value in ABSURD.items():
            # Maps have files of their own names.
            if argument == "path" and what == "text" and name.endswith("reach"):
                continue
            try:
                call(**{**usual, argument: value})
            except GenerativeIKError as error:
                refused += 1
                text = str(error)
                assert text.strip() and "\n" not in text, (argument, what, text)
                assert len(text) < 1000, (argument, what, text)
            except Exception as error:  # noqa: BLE001
                pytest.fail(f"{argument}={what}: {type(error).__name__}: {error}")
    assert refused or not usual


def test_values_are_quoted_in_one_line():
    assert shown(np.eye(2)) == "array([1.0, 0.0, 0.0, 1.0], shape=(2, 2))"
    assert shown(np.arange(100)) == "array([0, 1, 2, 3, 4, 5, ...], shape=(100,))"
    assert shown(np.array(3.5)) == "array(3.5)"
    assert shown([np.arange(2)]) == "[array([0, 1])]"
    assert shown("text") == "'text'" and shown(2.5) == "2.5"
    for value in ("x" * 10_000, list(range(10_000)), 10**10_000, "a\nb" * 100):
        assert len(shown(value)) < 70 and "\n" not in shown(value)
