"""The plan of a call: which sources answer it, in which order, and that it is one call's own."""

import copy
import pickle

import numpy as np
import pytest
from arm_pairs import known_pair
from robots import random_chain

from generative_ik_ros import IKSolver, SolveStatus, TaskSpaceRegion, load_robot
from generative_ik_ros.request import check_request
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.search.plan import (
    ApproximateSource,
    FormSource,
    NearSource,
    plan_of,
    source_for_one_pose,
)
from generative_ik_ros.solutions import IKSolutions


@pytest.fixture(scope="module")
def solvers():
    """Closed forms of eight and of sixteen branches, on curves, and none."""
    names = "ur10", "lwa4p", "panda", "planar_3r"
    arms = {name: load_robot(name) for name in names}
    arms["general"] = random_chain(np.random.default_rng(0), 6, ("revolute",))[1]
    arms |= {"ur10s": known_pair("ur10", "ur10"), "pandas": known_pair("panda", "panda")}
    return {name: IKSolver(arm) for name, arm in arms.items()}


SIX = np.zeros(6)
LARGE = {"num_solutions": 200}
BEST = {"order_by": "manipulability"}
CHECKED = {"check": "collisions"}  # a plan looks no further


def described(source):
    """Name a source, with its budget if that is not the number of solutions wanted."""
    if isinstance(source, FormSource):
        return f"{type(source.form).__name__} {source.candidates}"
    if isinstance(source, NearSource):
        return "steps"
    if isinstance(source, ApproximateSource):
        return "nearest"
    first = "" if source.first.value == "nothing" else f"from {source.first.value}"
    return " ".join(part for part in ("search", "alone" * source.alone, first) if part)


def planned(solver, poses=1, **options):
    """Return the plan of a call for some poses, in words."""
    given = {"num_solutions": 1, "seed_state": None, "consistency_limits": None, "timeout": None}
    given |= {"random_seed": None, **options}
    targets = random_reachable_poses(solver.chain, poses, 0, solver.chain.forward)
    request = check_request(
        solver.chain, solver._whole, solver.distinct_distance, targets, **given
    )
    return [described(one) for one in plan_of(solver._within(request.regions), request)]


@pytest.mark.parametrize(
    ("robot", "options", "sources"),
    [
        ("planar_3r", {}, ["search alone"]),
        ("planar_3r", {"poses": 2}, ["search alone"]),
        ("planar_3r", {"num_solutions": 1000}, ["search alone"]),
        ("planar_3r", {"num_solutions": 1001}, ["search"]),
        ("planar_3r", {"num_solutions": 5, "timeout": 0.2}, ["search"]),
        ("planar_3r", {"num_solutions": 5, "goal_set": True}, ["search"]),
        ("planar_3r", {"num_solutions": 5, "poses": 2}, ["search"]),
        ("planar_3r", {**BEST, "num_solutions": 5}, ["search"]),
        ("planar_3r", {"timeout": 1e-4}, ["search"]),
        ("planar_3r", {"seed_state": np.zeros(3)}, ["steps", "search alone"]),
        ("planar_3r", {"seed_state": np.zeros(3), "num_solutions": 2}, ["search alone"]),
        ("planar_3r", {"seed_state": np.zeros(3), "order_by": "diverse"}, ["search"]),
        ("planar_3r", {"seed_state": np.zeros(3), "poses": 2}, ["steps", "search"]),
        ("planar_3r", {"seed_state": np.zeros(3), "consistency_limits": np.ones(3)},
         ["steps", "search"]),
        ("panda", {"seed_state": np.zeros(7)}, ["Curves 1", "search alone"]),
        ("ur10", {}, ["Branches 1", "search alone from branches"]),
        ("ur10", {"seed_state": SIX}, ["Branches 1", "search from branches"]),
        ("ur10", LARGE, ["Branches 200", "search from branches"]),
        ("ur10", {"goal_set": True}, ["search"]),
        ("ur10", BEST, ["Branches 33", "search from branches"]),
        ("ur10", {"order_by": "nearest", "seed_state": SIX, "optimize": True},
         ["search from branches"]),
        ("general", {}, ["Branches 1", "search alone from branches"]),
        ("general", {"poses": 3}, ["Branches 1", "search alone from branches"]),
        ("general", {"num_solutions": 2}, ["Branches 2", "search from branches"]),
        ("lwa4p", {"poses": 17}, ["Branches 1", "search alone from branches"]),
        ("lwa4p", {"poses": 17, "num_solutions": 2}, ["Branches 2", "search from branches"]),
        ("panda", {}, ["Surfaces 1", "search alone"]),
        ("panda", {"poses": 128}, ["Surfaces 1", "search alone"]),
        ("panda", {"poses": 129}, ["search alone"]),
        ("panda", {"poses": 129, "timeout": 5e-3}, ["search"]),
        ("panda", {"poses": 257}, ["search"]),
        ("panda", {"random_seed": 1}, ["Surfaces 1", "search alone"]),
        ("panda", {"num_solutions": 2}, ["Curves 2", "search alone"]),
        ("panda", {"num_solutions": 2, "poses": 9}, ["search"]),
        ("panda", {"num_solutions": 4, "poses": 9}, ["Curves 4", "search"]),
        ("panda", {"num_solutions": 2, "timeout": 1e-6}, ["search"]),
        ("panda", {"num_solutions": 2, "seed_state": np.zeros(7)}, ["search alone"]),
        ("panda", LARGE, ["Curves 200", "search from solutions on curves"]),
        ("panda", CHECKED, ["search alone"]),
        ("panda", {**CHECKED, "num_solutions": 5},
         ["Curves 5", "search from solutions on curves"]),
        ("panda", {**CHECKED, "num_solutions": 5, "seed_state": np.zeros(7)}, ["search alone"]),
        ("planar_3r", {**CHECKED, "num_solutions": 5}, ["search alone"]),
        ("ur10", {**CHECKED, "num_solutions": 5}, ["Branches 5", "search from branches"]),
        ("panda", BEST, ["Curves 60", "search"]),
        ("panda", {**BEST, "num_solutions": 40}, ["Curves 80", "search"]),
        ("panda", {**BEST, "optimize": True}, ["search from solutions on curves"]),
        ("panda", {**BEST, "region": TaskSpaceRegion.free_axis()}, ["search"]),
        ("ur10", {"num_solutions": 9, "region": TaskSpaceRegion.free_axis()},
         ["FreeAxis 9", "search from solutions about a free axis"]),
        ("ur10", {"num_solutions": 9, "region": TaskSpaceRegion.cone("z", 0.3)},
         ["Surfaces 9", "search alone"]),
        ("ur10", {"num_solutions": 1001, "region": TaskSpaceRegion.cone("z", 0.3)}, ["search"]),
        ("ur10s", {}, ["Limbs 1", "search alone"]),
        ("ur10s", {"num_solutions": 20, "poses": 9}, ["Limbs 20", "search"]),
        ("ur10s", {"num_solutions": 5, "seed_state": np.zeros(12)}, ["Limbs 5", "search"]),
        ("ur10s", BEST, ["search"]),
        ("ur10s", {"goal_set": True}, ["search"]),
        ("ur10s", {"region": (TaskSpaceRegion.cone("z", 0.3), None)}, ["search alone"]),
        ("pandas", {}, ["Limbs 1", "search alone"]),
        ("pandas", {"random_seed": 1}, ["Limbs 1", "search alone"]),
        ("pandas", {"seed_state": np.zeros(14)}, ["Limbs 1", "search alone"]),
        (
            "pandas",
            {"seed_state": np.zeros(14), "num_solutions": 2},
            ["search alone from the nearest solution of limbs"],
        ),
        ("pandas", {"num_solutions": 1001}, ["search"]),
    ],
)  # fmt: skip
def test_the_sources_of_a_call(solvers, robot, options, sources):
    assert planned(solvers[robot], **options) == sources


def test_what_is_nearest_comes_last(solvers):
    """After all that may find exact solutions, of a solver that prefers something."""
    for robot, options in (("ur10", LARGE), ("panda", BEST), ("planar_3r", {})):
        chain = solvers[robot].chain
        nearly = planned(IKSolver(chain, prefer="position"), **options)
        assert nearly == [*planned(solvers[robot], **options), "nearest"]


def test_calls_that_say_nothing_else_ask_what_their_plan_begins_with(solvers):
    solver = solvers["panda"]
    stages, pose = solver._stages, random_reachable_poses(solver.chain, 1, 4)[0]
    assert source_for_one_pose(stages, 7).form is stages.curves
    assert source_for_one_pose(stages, 1).form is stages.for_one
    assert source_for_one_pose(stages.without_branches, 7).alone
    general = solvers["general"]._stages
    assert source_for_one_pose(general, 1).form is general.branches
    found = solver.solve(pose, 7)
    ask = stages.at_once[7, True]
    assert solver.solve(pose, 7).counts == found.counts and stages.at_once[7, True] is ask
    for other in (copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))):
        assert not other._stages.at_once
        np.testing.assert_array_equal(other.solve(pose, 7).positions, found.positions)


@pytest.mark.parametrize("region", [None, TaskSpaceRegion.free_axis()])
@pytest.mark.parametrize("robot", ["planar_3r", "general"])
def test_a_search_alone_finds_what_a_search_finds(solvers, robot, region, monkeypatch):
    solver = solvers[robot].searching()
    poses = random_reachable_poses(solver.chain, 4, 6, solver.chain.forward)
    poses[0, 0, 3] += 50.0
    asked = [(pose, wanted) for pose in poses for wanted in (1, 2, 9, 40)]
    alone = [solver.solve(*ask, random_seed=3, region=region) for ask in asked]
    monkeypatch.setattr("generative_ik_ros.search.plan.MOST_ALONE", 0)
    general = IKSolver(solver.chain).searching()
    for ask, found in zip(asked, alone, strict=True):
        other = general.solve(*ask, random_seed=3, region=region)
        for name in ("positions", "counts", "position_error", "orientation_error"):
            np.testing.assert_array_equal(getattr(found, name), getattr(other, name))
        assert found.status == other.status
        assert found.timings.iterations == other.timings.iterations


def test_every_result_is_of_one_class(solvers):
    for solver in solvers.values():
        near = random_reachable_poses(solver.chain, 3, 1, solver.chain.forward)
        far = near.copy()
        far[..., 0, 3] += 50.0
        for targets in (near[0], near, far[0], np.concatenate([near, far])):
            for wanted in (1, 6):
                found = solver.solve(targets, wanted)
                assert type(found) is IKSolutions
                assert "best_effort" not in vars(found) and "timings" not in vars(found)


def test_what_is_left_is_found_by_the_next_source(solvers):
    """Of poses beside which a closed form is singular, among others and out of reach."""
    arm = solvers["ur10"].chain
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.0, 0.6])  # two axes of the wrist in line
    singular, near = arm.forward(q), random_reachable_poses(arm, 2, 1, arm.forward)
    far = near[0].copy()
    far[0, 3] += 50.0
    found = solvers["ur10"].solve(np.stack([near[0], singular, far, near[1]]), 12)
    assert found.status[1] is SolveStatus.SOLVED and found.counts[1] == 12
    assert found.status[2] is SolveStatus.NO_SOLUTION and found.complete[2]
    alone = [solvers["ur10"].solve(pose, 12) for pose in (near[0], singular, far, near[1])]
    np.testing.assert_array_equal(found.positions, np.concatenate([a.positions for a in alone]))
    np.testing.assert_array_equal(
        found.best_effort, np.concatenate([one.best_effort for one in alone])
    )
    assert found.timings.iterations > 0 and found.timings.seeds > found.timings.iterations / 100
