"""A plain call of solve() imports nothing that takes long, whatever it is asked for."""

import subprocess
import sys
import textwrap
from functools import cache

import pytest

HEAVY = ("scipy", "trimesh", "torch", "coal")
"""What is imported by the first call that needs it, if any does."""
PANDA = "chain = load_robot('panda')"
UR10 = "chain = load_robot('ur10')"
FIVE = """
    robot = load_robot('ur10').description
    chain = KinematicChain.from_urdf(robot, 'shoulder_link', 'tool0')
"""
SEVEN = f"{PANDA}\noptions['sampler'] = 'quasi_random'"
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
    "one in a cone": "solver.solve(target, 1, region=TaskSpaceRegion.cone('z', 0.3))",
    "a box near a seed": "solver.solve(target, 5, seed_state=q, region=TaskSpaceRegion("
    "[-0.1] * 6, [0.1] * 6))",
    "a region out of reach": "solver.solve(far, 5, region=TaskSpaceRegion.plane()).best_effort",
    "a goal set": "solver.solve(np.stack([target, far]), 5, goal_set=True)",
    "a path": "solver.solve_path(np.stack([target, target]), timeout=10.0)",
    "a path in a region": "solver.solve_path(np.stack([target, target]), "
    "region=TaskSpaceRegion.free_axis())",
    "a goal set of regions": "solver.solve(np.stack([target, far]), 5, goal_set=True, "
    "region=TaskSpaceRegion.free_axis())",
}
"""Of one tip."""
BOTH = {
    "two regions": "solver.solve(target, 5, region=[TaskSpaceRegion.cone('z', 0.3)] * 2)",
    "a goal set of both": "solver.solve(np.stack([target, far]), 5, goal_set=True)",
}
"""Of two tips."""


SINGLE, SEVERAL = {**CALLS, **REGIONS}, {**CALLS, **BOTH}
ROBOTS = {
    "ur10": (UR10, SINGLE),
    "panda": (PANDA, SINGLE),
    "five joints": (FIVE, SINGLE),
    "seven joints searched": (SEVEN, SINGLE),
    "two tips": (TREE, SEVERAL),
    "floating base": (FLOATING, SEVERAL),
    "capability map": (f"{PANDA}\noptions['sampler'] = 'capability_map'", SINGLE),
    "postures": (f"{FLOATING}    options['sampler'] = 'postures'\n", SEVERAL),
}


def run(robot: str, calls: dict[str, str]) -> dict[str, set[str]]:
    """Return which heavy modules each of some calls imported, in a process of their own."""
    script = "\n".join(textwrap.dedent(part) for part in (BEGIN, robot, SOLVE))
    for call in calls.values():
        script += f"\nassert {call} is not None\n"
        script += f"print(*(name for name in {HEAVY} if name in sys.modules))\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return {name: set(line.split()) for name, line in zip(calls, lines, strict=True)}


@cache
def imported(name: str) -> dict[str, set[str]]:
    """Return the same of all calls for a robot: one process, for it takes time to start many."""
    return run(*ROBOTS[name])


@pytest.mark.parametrize(
    ("robot", "call"), [(name, call) for name, (_, calls) in ROBOTS.items() for call in calls]
)
def test_a_plain_call_imports_nothing_heavy(robot: str, call: str):
    assert imported(robot)[call] == set()
