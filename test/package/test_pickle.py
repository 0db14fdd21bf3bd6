"""What calls take, return and raise survives pickling and copying, as process pools need it."""

import copy
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pytest

import generative_ik_ros
from generative_ik_ros import (
    Clutch,
    CollisionModel,
    GenerativeIKError,
    GenerativeIKWarning,
    IKSolver,
    Jog,
    KinematicTree,
    PoseFilter,
    Scene,
    TaskSpaceRegion,
    load_robot,
    pose_matrix,
    time_path,
)
from generative_ik_ros.errors import CopyError, UnknownNameError
from generative_ik_ros.robot.known import robot_urdf_path
from generative_ik_ros.samplers.registry import sampler_names

COPIES = (lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy)


def error_classes():
    """Return all error and warning classes of the package, wherever they are defined."""
    for module in pkgutil.walk_packages(generative_ik_ros.__path__, "generative_ik_ros."):
        if not module.name.startswith(("generative_ik_ros.msg", "generative_ik_ros.srv")):
            try:
                importlib.import_module(module.name)
            except ImportError:  # an extra is not installed
                continue
    found, todo = [], [GenerativeIKError, GenerativeIKWarning]
    while todo:
        one = todo.pop()
        found.append(one)
        todo.extend(one.__subclasses__())
    return found


def test_errors_arrive_as_they_were_raised():
    """A pool waits for ever for an error that cannot be unpickled."""
    classes = error_classes()
    assert UnknownNameError in classes and len(classes) >= 9
    for one in classes:
        own = "__init__" in vars(one)  # which may take more than a message
        count = len(inspect.signature(one.__init__).parameters) - 1 if own else 1
        error = one(*("text", "a", ("b", "c"))[:count])
        for again in (again(error) for again in COPIES):
            assert type(again) is one and str(again) == str(error)
            assert vars(again) == vars(error)


def test_what_has_a_motion_of_its_own_says_that_it_is_not_copied():
    """A copy that shared the core's would move the other one along."""
    chain = load_robot("panda")
    tracker = IKSolver(chain).track(chain.lower * 0.4, 0.01)
    for one in (tracker, Clutch(), Jog(0.01), PoseFilter(0.01, 2.0)):
        for again in (*COPIES, copy.copy):
            with pytest.raises(CopyError, match=f"a {type(one).__name__} has a motion"):
                again(one)


@pytest.fixture(scope="module")
def panda():
    urdf = robot_urdf_path("panda")
    return load_robot("panda"), CollisionModel.from_urdf(urdf, srdf=urdf.with_suffix(".srdf"))


def test_solvers_give_the_same_answers(panda):
    """Also those with collision checks, whose memory holds addresses of the process."""
    chain, model = panda
    scene = Scene(boxes={"bench": ((0.7, 1.2, 0.04), (0.5, 0.0, -0.03))})
    target = pose_matrix([0.5, 0.0, 0.3], [1, 0, 0, 0])
    solver = IKSolver(chain, collision=model)
    expected = solver.solve(target, 5, scene=scene)
    for again in (again((solver, scene, expected)) for again in COPIES):
        other, room, result = again
        np.testing.assert_array_equal(other.solve(target, 5, scene=room).of(0), expected.of(0))
        np.testing.assert_array_equal(result.clearance, expected.clearance)
        assert other.collides(expected.of(0), scene=room).tolist() == [False] * 5


@pytest.mark.parametrize("name", sampler_names())
def test_solvers_with_any_sampler(name):
    chain = load_robot("ur10" if name == "closed_form" else "panda")
    if name == "postures":
        tips = ["panda_link4", "panda_link8"]
        chain = KinematicTree.from_urdf(robot_urdf_path("panda"), "panda_link0", tips)
    try:
        solver = IKSolver(chain, name, device="cpu")
    except GenerativeIKError as error:
        pytest.skip(str(error))
    target = chain.forward(np.linspace(-0.6, -0.1, chain.num_joints))
    expected = solver.solve(target, 3).positions
    for again in (again(solver) for again in COPIES):
        np.testing.assert_array_equal(again.solve(target, 3).positions, expected)


def test_results(panda):
    chain, _ = panda
    q = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8])
    poses = chain.forward(q + np.linspace(0.0, 0.1, 5)[:, None])
    solver = IKSolver(chain)
    path = solver.solve_path(poses, seed_state=q)
    tree = KinematicTree.from_urdf(robot_urdf_path("panda"), "panda_link0", ["panda_hand"])
    things = [
        chain, tree, TaskSpaceRegion.free_axis("z"), path, time_path(path, chain),
        solver.solve(poses, 4), solver.solve(poses[0], 4), solver.solve(poses[0], 1),
        solver.solve(poses[0], 4, seed_state=q, order_by="manipulability"),
        solver.solve(pose_matrix([3.0, 0.0, 0.0], [0, 0, 0, 1]), 1),
        IKSolver(tree).solve(poses[:, None], 2),
    ]  # fmt: skip
    for thing in things:
        for again in (again(thing) for again in COPIES):
            assert repr(again) == repr(thing)
            for key in ("positions", "position_error", "best_effort", "status", "timings"):
                if hasattr(thing, key):
                    np.testing.assert_array_equal(getattr(again, key), getattr(thing, key))
