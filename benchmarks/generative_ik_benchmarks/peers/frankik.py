"""`frankik`: the closed form of Franka's arms at values of the last joint."""

from typing import Any

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded import SeededSolver
from generative_ik_benchmarks.solver import UnsupportedChainError, imported
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.random_poses import random_configurations

_JOINTS = 7
_SAME = 1e-6
"""A chain is Franka's arm if its tip stays within this of a place on frankik's [m and rad]."""


class Frankik(SeededSolver):
    """`frankik`: branches at sixty values of the last joint, or where that joint stays (`keep`).

    Raises:
        MissingDependencyError: `frankik` is not installed.
        UnsupportedChainError: The chain is none of Franka's arms.
    """

    def __init__(self, case: ChainCase, keep: bool):
        """Find where the chain's tip is on frankik's arm."""
        frankik = imported("frankik", "frankik", "peer 'frankik'")
        chain = case.chain
        self.name, self._keep = f"frankik, last joint {'kept' if keep else 'sampled'}", keep
        if chain.num_joints != _JOINTS:
            raise UnsupportedChainError("is for Franka's arms only")
        arms: list[Any] = [frankik.FrankaKinematics(kind) for kind in ("panda", "fr3")]
        self._arm = min(arms, key=lambda arm: np.abs(np.array(arm.q_min) - chain.lower).max())
        places = np.array(
            [
                np.linalg.inv(self._arm.forward(q)) @ chain.forward(q)
                for q in random_configurations(chain, 3, 0)
            ]
        )
        if np.abs(places - places[0]).max() > _SAME:
            raise UnsupportedChainError("is for Franka's arms only")
        # Its `forward` returns the hand's tool centre, its `inverse` takes the flange: the two
        # are an offset apart, whose sine of 45 degrees it rounds to 0.707.
        tool_in_flange = np.array(self._arm.FrankaHandTCPOffset)
        tool_in_flange[:2, :2] *= np.sqrt(0.5) / tool_in_flange[0, 0]
        self._flange_in_tip = np.linalg.inv(tool_in_flange @ places[0])

    def near(self, tip_in_base: Floats, seed_state: Floats) -> Floats | None:
        """Return the nearest of its solutions (n,), see `SeededSolver`."""
        last = float(seed_state[-1]) if self._keep else None
        pose = tip_in_base @ self._flange_in_tip
        return self._arm.inverse(pose, q0=seed_state, q7=last, global_solution=True)


def seeded(case: ChainCase, seconds: float) -> list[SeededSolver]:
    """Return both; they do not iterate."""
    return [Frankik(case, keep=False), Frankik(case, keep=True)]
