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
from generative_ik_ros.errors import shown
from generative_ik_ros.robot.known import robot_urdf_path

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


NAMES = (
    "load_robot chain tree solver solve nearest free path track step reset forward model scene "
    "region cone plane bases reach load time pose filter clutch jog"
).split() + ["scene file", "a grid of bases", "checked reach"]


@pytest.mark.filterwarnings("ignore::generative_ik_ros.GenerativeIKWarning")
@pytest.mark.parametrize("name", NAMES)
def test_an_error_says_what_is_taken(calls, name):
    call, usual = calls[name]
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
