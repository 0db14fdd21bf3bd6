"""Poses that Python and C++ solve, for `test_core`."""

import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import IKSolver, KinematicChain, KinematicTree

_ROOT = Path(__file__).parents[2]


def _solved(program: Path, arguments: list[str], targets: NDArray[np.float64]) -> np.ndarray:
    """Return (T, 3) statuses, numbers of solutions and the first ones' angles [rad]."""
    text = " ".join(map(repr, targets.ravel().tolist()))
    done = subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, check=True, timeout=600
    )
    return np.array([line.split() for line in done.stdout.splitlines()], np.float64)


def check_two_arms(program: Path) -> None:
    """Half of the poses are reachable; of the others one hand is moved."""
    urdf, tips = str(_ROOT / "examples" / "two_arms.urdf"), ["left_hand", "right_hand"]
    tree, random = KinematicTree.from_urdf(urdf, tip_links=tips), np.random.default_rng(0)
    q = tree.lower + random.random((40, tree.num_joints)) * (tree.upper - tree.lower)
    targets = tree.forward(q)
    targets[20:, 1, :3, 3] += 0.3 * random.normal(size=(20, 3))
    found = _solved(program, [urdf, tree.base_link, "none", "4", *tips], targets)
    assert found[:, 0].tolist() == list(IKSolver(tree).solve(targets, num_solutions=4).status)
    assert (found[:20, 1] == 4).all()


def check_position_first(program: Path) -> None:
    """Five joints of the Panda, at poses that are turned away from what they reach."""
    urdf = str(_ROOT / "config" / "robots" / "panda.urdf")
    chain = KinematicChain.from_urdf(urdf, "panda_link0", "panda_link5")
    random = np.random.default_rng(0)
    q = chain.lower + random.random((30, 5)) * (chain.upper - chain.lower)
    targets, angle = chain.forward(q), 0.4
    turn = [[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]]
    targets[:, :3, :3] = targets[:, :3, :3] @ turn
    found = _solved(program, [urdf, chain.base_link, "position", "8", chain.tip_link], targets)
    expected = IKSolver(chain, prefer="position").solve(targets, num_solutions=8)
    assert (found[:, 1] == expected.counts).all() and (expected.counts > 0).all()
    np.testing.assert_allclose(found[:, 2], expected.orientation_error[:, 0], atol=1e-5)
