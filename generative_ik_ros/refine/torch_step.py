"""One iteration of damped least squares in PyTorch: errors, then a step.

This is the iteration of the compiled kernels (`lm_step`) on tensors whose last axis is the seeds:
damping that grows with the squared error (T. Sugihara, IEEE T-RO 27(5), 2011), hard limits, and
columns of joints at a limit left out. Shapes do not depend on values and no value is read back to
the host, as compilers and CUDA graphs require.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.refine.kernel_chain import KernelOptions
from generative_ik_ros.refine.torch_chain import Placement, TorchChain, torch
from generative_ik_ros.refine.torch_solve import solve_by_entries, solve_by_rows
from generative_ik_ros.robot.chain import KinematicChain

Tensor = torch.Tensor

_HALF_TURN = 1e-3
"""Cosine of half the angle below which a rotation's axis is not taken from its skew part."""
_PROBE = (0.36, 0.48, 0.8)
"""A unit vector, whose image shows the axis of a rotation by half a turn."""


class Errors(NamedTuple):
    """How far tips are from their targets.

    Attributes:
        place: Where tips and joints are.
        vector: (6, S) weighted error: position, then axis times chord 2 sin(angle / 2).
        position: (S,) distance [m].
        orientation: (S,) chord of the angle [rad].
        squared: (S,) length of the weighted error, squared.
    """

    place: Placement
    vector: Tensor
    position: Tensor
    orientation: Tensor
    squared: Tensor


class TorchStep:
    """Errors and steps for one chain, in one precision on one device.

    `compiled` says whether a compiler will fuse the operations.
    """

    def __init__(
        self,
        chain: KinematicChain,
        options: KernelOptions,
        device: torch.device,
        dtype: torch.dtype,
        *,
        compiled: bool = False,
    ):
        """Put the constants on the device."""
        self._solve = solve_by_entries if compiled else solve_by_rows
        self.chain = TorchChain(chain, device, dtype)
        self.options = options
        # How much keeps the normal equations solvable at a singularity depends on the precision.
        self._least_damping = 1e-9 if dtype == torch.float64 else 1e-6
        scale = chain.step_units
        unit = chain.joint_multiplier * scale[chain.joint_variable]
        weights = np.repeat([options.position_weight, options.orientation_weight], 3)

        def constant(values: NDArray[np.float64]) -> Tensor:
            return torch.tensor(values, dtype=dtype, device=device)

        self._units = constant(unit[:, None, None] * weights[None, :, None])
        self._weights = constant(weights)[:, None]
        self._scale = constant(scale)[:, None]
        self._probe = constant(np.array(_PROBE))[:, None]

    def errors(self, q: Tensor, target: Tensor) -> Errors:
        """Measure (n, S) configurations; targets as in `SeedBatch`."""
        place = self.chain.place(q)
        gap = target[:3] - place.position
        wanted = target[3:].unflatten(0, (3, 3))
        # Half the sum of the cross products is the axis times the sine of the angle.
        skew = 0.5 * torch.linalg.cross(place.columns, wanted, dim=1).sum(0)
        trace = (place.columns * wanted).sum((0, 1))
        half = torch.sqrt(torch.clamp(0.25 * (1.0 + trace), min=0.0))
        turned = half < _HALF_TURN
        chord = skew / torch.clamp(half, min=_HALF_TURN)
        # At half a turn the rotation takes w to 2 a (a w) - w, where a is its axis.
        image = (wanted * (place.columns * self._probe).sum(1)[:, None]).sum(0) + self._probe
        image = image * (2.0 / torch.clamp(_norm(image), min=_HALF_TURN))
        chord = torch.where(turned, image, chord)
        vector = torch.cat([gap, chord]) * self._weights
        orientation = torch.where(turned, 2.0, _norm(chord))
        return Errors(place, vector, _norm(gap), orientation, (vector * vector).sum(0))

    def exact(self, errors: Errors) -> Tensor:
        """Return (S,) whether errors are within the tolerances."""
        options, done = self.options, None
        if options.position_weight > 0.0:
            done = errors.position <= options.position_tolerance
        if options.orientation_weight > 0.0:
            turned = errors.orientation <= options.orientation_tolerance
            done = turned if done is None else done & turned
        if done is None:
            raise ValueError("neither position nor orientation has a weight")
        return done

    def moved(
        self,
        q: Tensor,
        errors: Errors,
        damping: Tensor | float,
        lower: Tensor,
        upper: Tensor,
    ) -> Tensor:
        """Return (n, S) configurations after one step, inside the bounds (n, 1) [rad or m].

        The damping is per squared error.
        """
        columns = self.chain.jacobian(errors.place, self._units)
        # A joint at a limit that would be pushed beyond it is left out.
        push = (columns * errors.vector).sum(1)
        free = torch.where(push > 0.0, q < upper, q > lower)
        columns = columns * free[:, None]
        damp = errors.squared * damping + self._least_damping
        solved = self._solve(columns, damp, errors.vector)
        step = (columns * solved).sum(1)
        most = self.options.max_step
        q = q + torch.clamp(step, -most, most) * self._scale
        return torch.minimum(torch.maximum(q, lower), upper)


def _norm(vector: Tensor) -> Tensor:
    return torch.sqrt((vector * vector).sum(0))
