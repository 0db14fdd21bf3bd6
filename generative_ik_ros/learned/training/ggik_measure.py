"""Chains in, what evaluations during a training of GGIK measure on them out."""

from collections.abc import Mapping

import numpy as np
import torch

from generative_ik_ros.learned.ggik.generate import generator_for
from generative_ik_ros.learned.ggik.model import GGIK
from generative_ik_ros.learned.ggik.walk import Walk
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.data import pose_errors
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.chain import KinematicChain

HELD_OUT = 512
"""Problems of which evaluations compute the loss."""
_TARGETS, _SAMPLES = 32, 32
_ITERATIONS = 10
_NEAR, _TURNED = 1e-2, np.deg2rad(1.0)
"""What counts as success in the papers' tables: 1 cm and 1 degree."""


class Measures:
    """Measures samples for fixed problems of some chains.

    Args:
        chains: By name.
        device: Where models are.
    """

    def __init__(self, chains: Mapping[str, KinematicChain], device: torch.device):
        """Draw the problems."""
        self._each = {name: _Measure(chain, device) for name, chain in chains.items()}

    def __call__(self, model: GGIK | Walk) -> dict[str, float]:
        """Return means over the chains, and raw errors and convergence of each."""
        rows = {name: measure(model) for name, measure in self._each.items()}
        figures = {}
        for key in next(iter(rows.values()), ()):
            figures[key] = float(np.mean([row[key] for row in rows.values()]))
        for name, row in rows.items():
            for key in ("position_error_mm", "converged_in_10"):
                figures[f"{key}_{name}"] = row[key]
        return figures


class _Measure:
    """Measures samples for fixed problems of one chain."""

    def __init__(self, chain: KinematicChain, device: torch.device):
        self._chain, self._device = chain, device
        self._arm = ArmGraph.of(chain)
        lines = self._arm.lines
        unit = np.random.default_rng(0).uniform(-1.0, 1.0, (_TARGETS, lines.num_variables))
        self._wanted = lines.forward(lines.middle + lines.half * torch.tensor(unit))
        self._refiner = refiner_class("levenberg_marquardt")(chain, 1e-5, 1e-5)
        self._lower = np.where(chain.continuous, -np.pi, chain.lower)
        self._upper = np.where(chain.continuous, np.pi, chain.upper)

    def __call__(self, model: GGIK | Walk) -> dict[str, float]:
        draws = generator_for(model, self._arm, self._device)
        numbers = torch.Generator().manual_seed(1)
        unit = torch.rand((_SAMPLES, draws.width), generator=numbers).to(self._device)
        q = draws.draw(self._wanted.to(self._device, torch.float32), unit).cpu()
        distance, angle = pose_errors(self._arm.lines.forward(q), self._wanted[:, None])
        near = ((distance < _NEAR) & (angle < _TURNED)).any(dim=1)
        inside = (q.numpy() >= self._lower) & (q.numpy() <= self._upper)
        return {
            "position_error_mm": float(distance.mean()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "success": float(near.double().mean()),
            "inside_limits": float(inside.all(axis=-1).mean()),
            "converged_in_10": self._convergence(q.numpy()),
        }

    def _convergence(self, q: np.ndarray) -> float:
        """Return the share of seeds that our local solver makes exact within 10 iterations."""
        chain, lower, upper = self._chain, self._lower, self._upper
        canonical = chain.canonical
        tip_in_base = (
            canonical.first_joint_in_base @ self._wanted.numpy() @ canonical.tip_in_last_joint
        )
        seeds = np.clip(q.reshape(-1, chain.num_joints), lower, upper)
        free = chain.continuous
        refined = self._refiner.refine(
            RefineTask(
                tip_in_base,
                seeds,
                np.repeat(np.arange(len(q)), q.shape[1]),
                np.where(free, -np.inf, lower),
                np.where(free, np.inf, upper),
                np.full(len(q), np.iinfo(np.int64).max),
            )
        )
        return float((refined.converged & (refined.iterations <= _ITERATIONS)).mean())
