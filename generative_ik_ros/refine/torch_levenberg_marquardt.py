"""Batched Levenberg-Marquardt in PyTorch: the local solver for GPUs."""

import time
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.arguments import check_device
from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask
from generative_ik_ros.refine.levenberg_marquardt import THOROUGH_ITERATIONS, LevenbergMarquardt
from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_run import Run, TorchRunner
from generative_ik_ros.refine.torch_thorough import run_thoroughly
from generative_ik_ros.robot.chain import KinematicChain

Tensor = torch.Tensor

PRECISIONS = ("auto", "double", "mixed")
_FAST_DOUBLES = (6, 7, 8, 9, 10)
"""Major compute capabilities with GPUs that are fast in double precision."""


class TorchLevenbergMarquardt(Refiner):
    """Damped least squares on tensors: `levenberg_marquardt` for GPUs.

    On the CPU it takes about twenty times as long as the compiled kernel, and serves as the
    reference for CUDA.

    Args:
        chain: The chain to solve.
        position_tolerance: [m]; inf leaves the position free.
        orientation_tolerance: [rad]; inf leaves the orientation free.
        device: "cpu", "cuda", or "auto" for CUDA where there is a device.
        precision: "double", or "mixed" for single precision until a seed is near a solution and
            double from there; "auto" is mixed on GPUs that are slow in double precision.
        compiled: Whether `torch.compile` fuses kernels, once, in a minute or two; None for on
            CUDA only.

    Attributes:
        device: Where it runs.
        runner: Refines seeds that are on the device already.

    Raises:
        UnknownNameError: There is no such device or precision.
        InvalidArgumentError: There is no CUDA device.
    """

    name = "torch_levenberg_marquardt"

    def __init__(
        self,
        chain: KinematicChain,
        position_tolerance: float,
        orientation_tolerance: float,
        *,
        device: str = "auto",
        precision: str = "auto",
        compiled: bool | None = None,
    ):
        """Put the chain on the device."""
        super().__init__(chain, position_tolerance, orientation_tolerance)
        self.device = torch_device(device)
        if precision not in PRECISIONS:
            raise UnknownNameError("precision", precision, PRECISIONS)
        on_gpu = self.device.type == "cuda"
        if precision == "auto":
            precision = "double" if _has_fast_doubles(self.device) else "mixed"
        kernel = LevenbergMarquardt(chain, position_tolerance, orientation_tolerance)
        self.runner = TorchRunner(
            chain,
            kernel.options,
            self.device,
            mixed=precision == "mixed",
            compiled=on_gpu if compiled is None else compiled,
        )
        self._lock = Lock()

    @torch.inference_mode()
    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        if len(task.seeds) == 0 or time.perf_counter() >= task.deadline:
            return Refinement.none_of(task.seeds)
        run = Run.of(
            self._tensor(task.seeds.T),
            target_columns(self._tensor(task.targets)),
            self._tensor(task.target_of_seed),
            self._tensor(task.wanted),
        )
        bounds = self._tensor(task.lower), self._tensor(task.upper)
        with self._lock:
            if task.thorough:
                run_thoroughly(self.runner.step, run, *bounds, THOROUGH_ITERATIONS, task.deadline)
            else:
                self.runner.run(run, *bounds, task.deadline)
        return self._refinement(run, task.seeds)

    @torch.inference_mode()
    def restarts(
        self,
        targets: NDArray[np.float64],
        seeds: NDArray[np.float64],
        bounds: NDArray[np.float64],
        enough: int,
        deadline: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Refine the same number K of seeds for each of T targets, and return the best of them.

        Args:
            targets: (T, 4, 4) target poses, tip in base [m].
            seeds: (T, K, n) start configurations, or (1, K, n) for all targets [rad or m].
            bounds: (2, n) lower and upper bounds, as in `RefineTask`.
            enough: How many converged seeds of a target are enough; the rest may be left out.
            deadline: Reading of `time.perf_counter` after which no more work is started [s].

        Returns:
            (T, L, n) where seeds ended: of each target those that converged, in their order, then
            others, the closest first where none converged; L is how many did, for the target with
            the most, at most `enough`, and 1 at least. Then (T,) how many of its seeds were not
            left out, and (T,) their iterations.
        """
        count, size = len(targets), seeds.shape[1]
        q = self._tensor(seeds).expand(count, -1, -1).reshape(count * size, -1)
        owners = torch.arange(count, device=self.device).repeat_interleave(size)
        wanted = torch.full((count,), enough, device=self.device)
        run = Run.of(q.T.contiguous(), target_columns(self._tensor(targets)), owners, wanted)
        lower, upper = self._tensor(bounds)
        with self._lock:
            self.runner.run(run, lower, upper, deadline)
            converged = run.converged.unflatten(0, (count, size))
            key = torch.where(converged, -1.0, torch.inf).to(torch.float64)
            missed = run.tried & ~converged.any(1)[owners]
            errors = self.runner.step.errors(run.q[:, missed], run.target[:, owners[missed]])
            key.view(-1)[missed] = errors.squared
            most = int(converged.sum(1).max()) if size else 0
            best = torch.sort(key, dim=1, stable=True).indices[:, : min(max(most, 1), enough)]
            ended = run.q.T.unflatten(0, (count, size))
            rows = ended.gather(1, best[..., None].expand(-1, -1, ended.shape[-1]))
            work = torch.stack([run.tried, run.iterations]).unflatten(1, (count, size)).sum(2)
            return rows.cpu().numpy(), *work.cpu().numpy()

    def _tensor(self, values: NDArray) -> Tensor:
        return torch.tensor(np.ascontiguousarray(values), device=self.device)

    def _refinement(self, run: Run, seeds: NDArray[np.float64]) -> Refinement:
        """Measure all seeds again, in double precision, and copy the outcome to the host."""
        errors = self.runner.step.errors(run.q, run.target[:, run.target_of_seed])
        angle = 2.0 * torch.asin(torch.clamp(0.5 * errors.orientation, max=1.0))
        tried, exact = run.tried.cpu().numpy(), self.runner.step.exact(errors).cpu().numpy()
        return Refinement(
            np.where(tried[:, None], run.q.mT.cpu().numpy(), seeds),
            np.where(tried, errors.position.cpu().numpy(), np.inf),
            np.where(tried, angle.cpu().numpy(), np.inf),
            tried & exact,
            np.where(tried, run.iterations.cpu().numpy(), 0).astype(np.int64),
        )


def target_columns(poses: Tensor) -> Tensor:
    """Return (12, T) position and the three axes of each of (T, 4, 4) poses."""
    return torch.cat([poses[:, :3, 3].T, poses[:, :3, :3].permute(2, 1, 0).flatten(0, 1)])


def _has_fast_doubles(device: torch.device) -> bool:
    """Say whether double precision takes at most about twice the time of single precision."""
    if device.type != "cuda":
        return True
    major, minor = torch.cuda.get_device_capability(device)
    # NVIDIA's GPUs for data centres; the others of a generation have another minor number.
    return minor == 0 and major in _FAST_DOUBLES


def torch_device(device: str) -> torch.device:
    """Return the device of a name that `check_device` accepts."""
    if check_device(device) == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)
