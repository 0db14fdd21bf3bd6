"""What evaluations during a training of GGIK measure: raw errors, success and convergence."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.models import Model, generator_for
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.lines import JointLines
from generative_ik_ros.learned.training.data import pose_errors
from generative_ik_ros.learned.training.probe import converged_in_10
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
        """Make the graphs of the chains."""
        self._device = device
        self._arms = {name: (chain, ArmGraph.of(chain)) for name, chain in chains.items()}

    def __call__(self, model: Model) -> dict[str, float]:
        """Return means over the chains, and position error and convergence of each."""
        rows = {name: self._measure(model, name) for name in self._arms}
        figures = {}
        for key in next(iter(rows.values()), ()):
            figures[key] = float(np.mean([row[key] for row in rows.values()]))
        for name, row in rows.items():
            for key in ("position_error_mm", "converged_in_10"):
                figures[f"{key}_{name}"] = row[key]
        return figures

    def _measure(self, model: Model, name: str) -> dict[str, float]:
        chain, arm = self._arms[name]
        wanted = _targets(arm.lines)
        generator = generator_for(model, arm, self._device)
        numbers = torch.Generator().manual_seed(1)
        unit = torch.rand((_SAMPLES, generator.width), generator=numbers).to(self._device)
        q = generator.draw(wanted.to(self._device, torch.float32), unit).cpu()
        distance, angle = pose_errors(arm.lines.forward(q), wanted[:, None])
        near = ((distance < _NEAR) & (angle < _TURNED)).any(dim=1)
        lower = np.where(chain.continuous, -np.pi, chain.lower)
        upper = np.where(chain.continuous, np.pi, chain.upper)
        seeds = q.numpy()
        inside = np.clip(seeds, lower, upper)
        return {
            "position_error_mm": float(distance.mean()) * 1e3,
            "orientation_error_deg": float(angle.mean().rad2deg()),
            "success": float(near.double().mean()),
            "inside_limits": float((seeds == inside).all(axis=-1).mean()),
            "converged_in_10": converged_in_10(chain, inside, wanted.numpy(), lower, upper),
        }


def _targets(lines: JointLines) -> Tensor:
    """Return reachable canonical targets (T, 4, 4), always the same [m]."""
    unit = np.random.default_rng(0).uniform(-1.0, 1.0, (_TARGETS, lines.num_variables))
    return lines.forward(lines.middle + lines.half * torch.tensor(unit))
