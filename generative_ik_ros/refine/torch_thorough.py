"""Levenberg-Marquardt in PyTorch all the way to each seed's local minimum.

As the compiled kernel does with thorough seeds: a step that makes the error worse is taken back
and the damping raised (Marquardt's rule), and the rotation vector takes the place of its chord,
because its square has the gradient J^T e.
"""

import time

from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_run import Run
from generative_ik_ros.refine.torch_step import Errors, TorchStep

Tensor = torch.Tensor

_LESS, _MORE, _MOST = 0.2, 8.0, 1e8
"""Factors of the damping after a good and a bad step, and the damping at which a seed ends."""
_NO_PROGRESS = 1e-12
_BLOCK = 8
"""Evaluations after which the seeds that have ended are taken out."""


def run_thoroughly(
    step: TorchStep,
    run: Run,
    lower: Tensor,
    upper: Tensor,
    max_iterations: int,
    deadline: float,
) -> None:
    """Follow all seeds of a run to their local minima; arguments are those of `TorchRunner.run`.

    After `max_iterations` evaluations a seed is left where it is.
    """
    places = torch.arange(run.q.shape[1], device=run.q.device)
    q, best = run.q, run.q
    past = torch.full_like(q[0], torch.inf)
    damping = torch.full_like(q[0], step.options.damping)
    back, live = torch.zeros_like(run.tried), torch.ones_like(run.tried)
    for iteration in range(max_iterations):
        errors = _stretched(step, step.errors(q, run.target[:, run.target_of_seed[places]]))
        done = step.exact(errors)
        better = done | (errors.squared < past)
        # A seed that was taken back is measured a second time: neither better nor worse.
        worse = ~better & ~back
        settled = better & (past - errors.squared < _NO_PROGRESS * errors.squared)
        over = done | settled | (worse & (damping > _MOST))
        best = torch.where(live & better, q, best)
        past = torch.where(live & better, errors.squared, past)
        softer = torch.clamp(damping * _LESS, min=step.options.damping)
        damping = torch.where(worse, damping * _MORE, torch.where(better, softer, damping))
        run.converged[places] |= live & done
        run.iterations[places] += live
        live = live & ~over & (errors.squared < torch.inf)
        step_on = step.moved(q, errors, damping, lower[:, None], upper[:, None])
        q, back = torch.where(live & ~worse, step_on, best), worse
        if (iteration + 1) % _BLOCK == 0 or iteration + 1 == max_iterations:
            run.q[:, places] = best
            late = time.perf_counter() >= deadline
            run.tried[places] = ~live if iteration + 1 < max_iterations else True
            kept = torch.nonzero(live).squeeze(1)
            if late or not len(kept):
                return
            places, back, live = places[kept], back[kept], live[kept]
            q, best, past, damping = q[:, kept], best[:, kept], past[kept], damping[kept]


def _stretched(step: TorchStep, errors: Errors) -> Errors:
    """Replace the chord of the rotation by the rotation vector."""
    chord = errors.orientation
    angle = 2.0 * torch.asin(torch.clamp(0.5 * chord, max=1.0))
    stretch = torch.where(chord > 1e-12, angle / torch.clamp(chord, min=1e-12), 1.0)
    vector = torch.cat([errors.vector[:3], errors.vector[3:] * stretch])
    return errors._replace(vector=vector, squared=(vector * vector).sum(0))
