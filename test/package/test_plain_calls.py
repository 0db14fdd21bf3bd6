"""A plain call of solve() imports no compiler and compiles nothing, whatever it is asked for."""

import subprocess
import sys
import textwrap

import pytest

HEAVY = ("numba", "llvmlite", "scipy", "trimesh", "torch", "coal")
"""What is imported by the first call that needs it, if any does."""
PANDA = "chain = load_robot('panda')"
UR10 = "chain = load_robot('ur10')"
FIVE = """
    robot = load_robot('ur10').description
    chain = KinematicChain.from_urdf(robot, 'shoulder_link', 'tool0')
"""
SEVEN = """
    limits = {name: (-2.0, 2.0) for name in load_robot('panda').names}
    chain = KinematicChain.from_urdf(load_robot('panda').description, joint_limits=limits)
    options['sampler'] = 'quasi_random'
"""
TREE = """
    robot = load_robot('panda').description
    chain = KinematicTree.from_urdf(robot, 'panda_link0', ('panda_hand_tcp', 'panda_link5'))
"""
FLOATING = """
    robot, bounds = load_robot('ur10').description, np.array([[-2.0] * 6, [2.0] * 6])
    chain = KinematicTree.from_urdf(robot, None, ('tool0', 'forearm_link'), floating_base=bounds)
"""
BEGIN = """
    import sys
    import numpy as np
    from generative_ik_ros import (
        IKSolver, KinematicChain, KinematicTree, SolveStatus, TaskSpaceRegion, load_robot)
    options = {}
"""
SOLVE = """
    lower, upper = np.maximum(chain.lower, -3.0), np.minimum(chain.upper, 3.0)
    share = np.linspace(0.3, 0.7, chain.num_joints)
    q = lower + share * (upper - lower)
    target, far = chain.forward(q), chain.forward(q)
    far[..., :3, 3] += 10.0
    solver = IKSolver(chain, **options)
"""
CALLS = {
    "one": "solver.solve(target, 1)",
    "some": "solver.solve(target, 20)",
    "many": "solver.solve(target, 1000)",
    "out of reach": "solver.solve(far, 5).best_effort",
    "in time": "solver.solve(target, 5, timeout=5.0)",
    "a batch": "solver.solve(np.stack([target] * 20), 5)",
    "a seed": "solver.solve(target, 5, seed_state=q)",
    "limits about it": "solver.solve(target, 5, seed_state=q, consistency_limits=[0.5] * len(q))",
    "manipulability": "solver.solve(target, 5, order_by='manipulability')",
    "limit margin": "solver.solve(target, 5, order_by='limit_margin')",
    "nearest": "solver.solve(target, 5, seed_state=q, order_by='nearest', joint_weights=q**2 + 1)",
    "own score": "solver.solve(target, 5, order_by=lambda q: q[:, 0])",
    "a pickle": "__import__('pickle').loads(__import__('pickle').dumps(solver)).solve(target, 5)",
}
REGIONS = {
    "a free axis": "solver.solve(target, 20, region=TaskSpaceRegion.free_axis())",
    "a cone": "solver.solve(target, 20, region=TaskSpaceRegion.cone('z', 0.3))",
    "tips apart": "solver.solve(target, 5, region=TaskSpaceRegion.free_axis(), "
    "order_by='diverse_tip')",
    "a goal set": "solver.solve(np.stack([target, far]), 5, goal_set=True)",
}
"""Of one tip."""


def imported(robot: str, call: str) -> set[str]:
    """Return which heavy modules a process of its own has after a call, which finds something."""
    script = "\n".join(textwrap.dedent(part) for part in (BEGIN, robot, SOLVE))
    script += f"\nfound = {call}\nassert found is not None\n"
    script += f"print(*(name for name in {HEAVY} if name in sys.modules))\n"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.parametrize("call", [*CALLS, *REGIONS])
@pytest.mark.parametrize("robot", [UR10, PANDA], ids=["ur10", "panda"])
def test_calls_of_arms_with_a_closed_form(robot: str, call: str):
    assert imported(robot, (CALLS | REGIONS)[call]) == set()


@pytest.mark.parametrize("call", [*CALLS, *REGIONS])
@pytest.mark.parametrize("robot", [FIVE, SEVEN], ids=["five joints", "seven joints"])
def test_calls_of_arms_that_are_searched(robot: str, call: str):
    assert imported(robot, (CALLS | REGIONS)[call]) == set()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("robot", [TREE, FLOATING], ids=["two tips", "floating"])
def test_calls_of_several_tips(robot: str, call: str):
    assert imported(robot, CALLS[call]) == set()


@pytest.mark.parametrize("sampler", ["capability_map", "uniform", "quasi_random"])
def test_calls_with_a_sampler(sampler: str):
    robot = f"{PANDA}\noptions['sampler'] = {sampler!r}"
    assert imported(robot, CALLS["some"]) == set()


def test_stored_postures():
    assert imported(f"{FLOATING}\n    options['sampler'] = 'postures'", CALLS["some"]) == set()


@pytest.mark.slow
def test_what_compiles_is_imported_by_the_call_that_needs_it():
    path = "solver.solve_path(np.stack([target, target]), timeout=10.0)"
    assert {"numba", "llvmlite"} <= imported(UR10, path)
