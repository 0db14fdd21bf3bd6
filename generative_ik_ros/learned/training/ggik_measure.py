"""What evaluations during a training of GGIK measure: raw errors, success and convergence."""

from collections.abc import Mapping

import numpy as np
import torch

from generative_ik_ros.learned.ggik.models import Model, generator_for
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.training.convergence import converged_in_10
from generative_ik_ros.learned.training.data import pose_errors
from generative_ik_ros.robot.chain import KinematicChain

HELD_OUT = 512
"""Problems of which evaluations compute the loss."""
_TARGETS, _SAMPLES = 32, 32
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

    def __call__(self, model: Model) -> dict[str, float]:
        """Return means over the chains, and position error and convergence of each."""
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
        self._lower = np.where(chain.continuous, -np.pi, chain.lower)
        self._upper = np.where(chain.continuous, np.pi, chain.upper)

    def __call__(self, model: Model) -> dict[str, float]:
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
            "converged_in_10": converged_in_10(
                self._chain,
                np.clip(q.numpy(), self._lower, self._upper),
                self._wanted.numpy(),
                self._lower,
                self._upper,
            ),
        }
