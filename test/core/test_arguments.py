"""Arguments of IKSolver: every kind of number is accepted, and misuse is named."""

import math
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from generative_ik_ros import GenerativeIKWarning, IKSolver
from generative_ik_ros.errors import (
    InvalidArgumentError,
    InvalidTargetError,
    UnknownNameError,
)


def test_degrees_are_recognised(panda, panda_solver):
    home = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    for call in (panda_solver.solve, panda_solver.solve_path):
        with pytest.warns(GenerativeIKWarning, match="panda_joint4.*is it in degrees") as warned:
            call(panda.forward(home), seed_state=np.degrees(home))
        assert len(warned) == 1 and warned[0].filename == __file__


def test_what_encoders_overshoot_is_no_reason_to_warn(panda, panda_solver, recwarn):
    seed = np.where(np.arange(7) % 2, panda.upper + 0.04, panda.lower - 0.04)
    target = panda.forward(np.clip(seed, panda.lower, panda.upper))
    assert panda_solver.solve(target, 1, seed_state=seed).counts[0] == 1
    assert not recwarn.list


def test_seed_states_that_differ_are_warned_of_in_the_same_words(panda, panda_solver):
    """Python keeps every text it has shown: a node that solves for days must not make new ones."""
    target = panda.forward((panda.lower + panda.upper) / 2)
    with pytest.warns(GenerativeIKWarning) as warned:
        for far in (0.1, 0.2):
            panda_solver.solve(target, 1, seed_state=panda.upper + far)
    first, second = (str(one.message) for one in warned)
    assert first == second


class Message:
    """Anything with the attributes of a message, made by keywords."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


POSE = Message(position=Message(x=0, y=0, z=0), orientation=Message(x=0, y=0, z=0, w=1))
SEVEN = [0.4, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0]
NO_POSE = {
    "no numbers": ("home", "numbers, as generative_ik_ros.pose_matrix"),
    "ragged": ([[1.0, [2.0]]], "numbers"),
    "shape": (np.eye(3), r"\(4, 4\) or \(B, 4, 4\).* w, use generative_ik_ros.pose_matrix"),
    "seven numbers": (SEVEN, r"\(7,\).*as these seem to be, use generative_ik_ros.pose_matrix"),
    "seven each": (np.array([SEVEN] * 4), "as these seem to be"),
    "pose message": (POSE, r"not Pose messages.*pose_matrix\(\[p.x, p.y, p.z\]"),
    "pose messages": ([POSE], "not Pose messages"),
    "stamped pose": (Message(header=None, pose=POSE), "not Pose messages"),
    "rows": (np.zeros((2, 3, 4)), r"\(4, 4\)"),
    "nan": (np.full((4, 4), np.nan), "NaN"),
    "infinite": (np.diag([1, 1, np.inf, 1.0]), "NaN or infinite"),
    "zero rotation": (np.diag([0, 0, 0, 1.0]), "orthonormal"),
    "scaled": (np.diag([2, 2, 2, 1.0]), "orthonormal"),
    "mirrored": (np.diag([1, 1, -1, 1.0]), "reflection"),
    "last row": (np.eye(4) * [[1], [1], [1], [2]], "last row"),
}


@pytest.mark.parametrize("name", NO_POSE)
def test_what_is_no_pose(panda_solver, name):
    target, message = NO_POSE[name]
    with pytest.raises(InvalidTargetError, match=message):
        panda_solver.solve(target)


BAD_CALLS = {
    "no solutions": ({"num_solutions": 0}, "num_solutions must be from 1"),
    "negative": ({"num_solutions": -3}, "num_solutions"),
    "half": ({"num_solutions": 2.5}, "whole number"),
    "text": ({"num_solutions": "ten"}, "whole number"),
    "true": ({"num_solutions": True}, "whole number"),
    "absurd": ({"num_solutions": 10**9}, "1000000"),
    "short seed": ({"seed_state": [0.0] * 6}, "seed_state.*panda_joint1"),
    "nan seed": ({"seed_state": [np.nan] * 7}, "seed_state.*not finite"),
    "text seed": ({"seed_state": ["a"] * 7}, "seed_state.*numbers"),
    "two seeds": ({"seed_state": np.zeros((2, 7))}, "seed_state has shape"),
    "limits without seed": ({"consistency_limits": [0.1] * 7}, "seed_state"),
    "short limits": ({"seed_state": [0, 0, 0, -1, 0, 1, 0], "consistency_limits": [1]}, "each"),
    "negative limits": (
        {"seed_state": [0, 0, 0, -1, 0, 1, 0], "consistency_limits": [-1] * 7}, "negative"),
    "nan limits": (
        {"seed_state": [0, 0, 0, -1, 0, 1, 0], "consistency_limits": [np.nan] * 7}, "NaN"),
    "seed too far out": (
        {"seed_state": [9.0] + [0] * 6, "consistency_limits": [0.1] * 7}, "panda_joint1"),
    "zero timeout": ({"timeout": 0.0}, "above 0"),
    "negative timeout": ({"timeout": -1}, "above 0"),
    "nan timeout": ({"timeout": np.nan}, "above 0"),
    "text timeout": ({"timeout": "soon"}, "number of seconds"),
    "negative random seed": ({"random_seed": -1}, "random_seed"),
    "goal set text": ({"goal_set": "no"}, "goal_set must be True or False, not 'no'"),
    "random seed text": ({"random_seed": "x"}, "random_seed must be a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_arguments(panda, panda_solver, name):
    arguments, message = BAD_CALLS[name]
    target = panda.forward([0, 0, 0, -1, 0, 1, 0])
    with pytest.raises(InvalidArgumentError, match=message):
        panda_solver.solve(target, **arguments)


@pytest.mark.parametrize("number", [np.float32, np.float16, np.float64, np.int64, int, float])
def test_every_kind_of_number_is_a_tolerance(panda, number):
    solver = IKSolver(panda, position_tolerance=number(1), distinct_distance=number(2))
    assert (solver.position_tolerance, solver.distinct_distance) == (1.0, 2.0)
    assert type(solver.position_tolerance) is float


BAD_SOLVERS = {
    "sampler": ({"sampler": "magic"}, UnknownNameError, "auto, quasi_random, "),
    "device": ({"device": "tpu"}, UnknownNameError, "auto, cpu, cuda"),
    "zero": ({"position_tolerance": 0.0}, InvalidArgumentError, "position_tolerance"),
    "nan": ({"orientation_tolerance": np.nan}, InvalidArgumentError, "orientation_tolerance"),
    "text": ({"position_tolerance": "tight"}, InvalidArgumentError, "position_tolerance"),
    "true": ({"position_tolerance": True}, InvalidArgumentError, "position_tolerance"),
    "numpy true": ({"distinct_distance": np.True_}, InvalidArgumentError, "distinct_distance"),
    "complex": ({"orientation_tolerance": 1j}, InvalidArgumentError, "orientation_tolerance"),
    "endless": ({"position_tolerance": 10**400}, InvalidArgumentError, "position_tolerance"),
    "nothing": (
        {"position_tolerance": math.inf, "orientation_tolerance": math.inf},
        InvalidArgumentError, "nothing to solve"),
    "distance": ({"distinct_distance": -1}, InvalidArgumentError, "distinct_distance"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_SOLVERS)
def test_bad_solvers(panda, name):
    arguments, error, message = BAD_SOLVERS[name]
    with pytest.raises(error, match=message):
        IKSolver(panda, **arguments)


def test_a_solver_of_no_chain():
    with pytest.raises(InvalidArgumentError, match="KinematicChain"):
        IKSolver("panda")


def test_absurd_sizes_are_refused_before_memory_is_taken(panda_solver):
    with pytest.raises(InvalidArgumentError, match="several calls"):
        panda_solver.solve(np.tile(np.eye(4), (1000, 1, 1)), num_solutions=1_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ['sampler="ikflow", device="cuda"', 'sampler="ikflow"'])
def test_without_torch_the_error_says_what_to_install(wanted):
    script = f"""
        import sys
        sys.modules["torch"] = None
        from generative_ik_ros import IKSolver, load_robot
        from generative_ik_ros.errors import MissingDependencyError
        try:
            IKSolver(load_robot("panda"), {wanted})
        except MissingDependencyError as error:
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "pip install 'generative_ik_ros[learned]" in run.stdout


def test_tensors_and_whole_floats_are_what_they_mean(panda, panda_solver):
    torch = pytest.importorskip("torch")
    q = np.array([0.1, 0.3, 0.0, -1.8, 0.2, 2.1, 0.8])
    target = panda.forward(q)
    expected = panda_solver.solve(target, 5, seed_state=q).positions

    def grad(values):
        return torch.tensor(values, requires_grad=True)

    for targets, seed, count in (
        (grad(target), grad(q), 5),
        ([grad(row) for row in target], list(map(grad, q)), 5.0),
        (torch.tensor(target), torch.tensor(q), np.float64(5.0)),
    ):
        found = panda_solver.solve(targets, count, seed_state=seed, timeout=grad(10.0))
        np.testing.assert_array_equal(found.positions, expected)
    half = torch.tensor(q, dtype=torch.bfloat16)
    np.testing.assert_array_equal(panda.forward(half), panda.forward(half.double().numpy()))
    last = panda_solver.solve(target, 5, seed_state=q, order_by=lambda q: grad(np.zeros(len(q))))
    assert last.counts[0] == 5


@pytest.mark.parametrize(
    "seed", [np.ma.array(np.zeros(7), mask=[1, 0, 0, 0, 0, 0, 0]), np.zeros(7) + 1j], ids=str
)
def test_values_that_would_be_dropped_are_refused(panda, panda_solver, seed):
    with pytest.raises(InvalidArgumentError, match="must be an array of numbers"):
        panda_solver.solve(panda.forward(np.zeros(7)), 1, seed_state=seed)


def test_consistency_limits_hold_from_the_limit_that_an_encoder_reads_beyond(panda, panda_solver):
    seed = (panda.lower + panda.upper) / 2.0
    seed[0] = panda.upper[0]
    target = panda.forward(seed)
    seed[0] += 0.002
    found = panda_solver.solve(target, 1, seed_state=seed, consistency_limits=np.full(7, 1e-3))
    assert found.counts[0] == 1 and abs(found.of()[0, 0] - panda.upper[0]) <= 1e-3
    seed[0] += 0.1
    with pytest.raises(InvalidArgumentError, match="further outside the joint limits"):
        panda_solver.solve(target, 1, seed_state=seed, consistency_limits=np.full(7, 1e-3))
