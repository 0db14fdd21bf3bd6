"""The batched Levenberg-Marquardt solver in PyTorch: the local solver for GPUs."""

import time
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.refine.base import Refinement, Refiner, RefineTask, characteristic_length
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.refine.torch_chain import torch
from generative_ik_ros.refine.torch_run import Run, TorchRunner
from generative_ik_ros.refine.torch_thorough import run_thoroughly
from generative_ik_ros.robot.chain import KinematicChain

Tensor = torch.Tensor

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("auto", "double", "mixed")
_THOROUGH_ITERATIONS = 300
_FAST_DOUBLES = (6, 7, 8, 9, 10)
"""Generations (compute capability) with processors that are fast in double precision."""


class TorchLevenbergMarquardt(Refiner):
    """Damped least squares on tensors; what `levenberg_marquardt` does, on a GPU.

    On the CPU it takes some twenty times as long as the compiled kernel and serves as the
    reference for what runs on CUDA.

    Args:
        chain: The chain to solve.
        position_tolerance: [m]; inf leaves the position free.
        orientation_tolerance: [rad]; inf leaves the orientation free.
        device: "cpu", "cuda", or "auto" for CUDA where there is a device.
        precision: "double", or "mixed" for single precision until a seed is near a solution and
            double from there; "auto" is mixed on GPUs that are slow in double precision.
        compiled: Whether `torch.compile` makes fused kernels, once, in a minute or two; None
            to do so on CUDA only.

    Attributes:
        device: Where it runs.
        runner: Runs seeds that are on the device already.

    Raises:
        UnknownNameError: There is no such device or precision.
        InvalidArgumentError: There is no CUDA device.
    """

    name = "torch_levenberg_marquardt"
    takes_device = True

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
        kernel = LevenbergMarquardt(chain, position_tolerance, orientation_tolerance)
        self.runner = TorchRunner(
            chain,
            kernel.options,
            characteristic_length(chain),
            self.device,
            mixed=precision == "mixed" or (precision == "auto" and not _fast_doubles(self.device)),
            compiled=on_gpu if compiled is None else compiled,
        )
        self._lock = Lock()

    @torch.inference_mode()
    def refine(self, task: RefineTask) -> Refinement:
        """Move every seed towards its target, inside the bounds."""
        count = len(task.seeds)
        left_out = Refinement(
            task.seeds.copy(),
            np.full(count, np.inf),
            np.full(count, np.inf),
            np.zeros(count, np.bool_),
            np.zeros(count, np.int64),
        )
        if count == 0 or time.perf_counter() >= task.deadline:
            return left_out
        run = Run.of(
            self._tensor(task.seeds.T),
            target_columns(self._tensor(task.targets)),
            self._tensor(task.target_of_seed),
            self._tensor(task.wanted),
        )
        bounds = self._tensor(task.lower), self._tensor(task.upper)
        with self._lock:
            if task.thorough:
                run_thoroughly(self.runner.step, run, *bounds, _THOROUGH_ITERATIONS, task.deadline)
            else:
                self.runner.run(run, *bounds, task.deadline)
        return self._refinement(run, left_out)

    def _tensor(self, values: NDArray) -> Tensor:
        return torch.tensor(np.ascontiguousarray(values), device=self.device)

    def _refinement(self, run: Run, left_out: Refinement) -> Refinement:
        """Measure where all seeds ended once more, in double precision, and copy it back."""
        position, orientation, exact = measured(self.runner, run.q, run.target, run.target_of_seed)
        tried = run.tried.cpu().numpy()
        ended = (run.q.mT.cpu().numpy(), position.cpu().numpy(), orientation.cpu().numpy())
        return Refinement(
            np.where(tried[:, None], ended[0], left_out.positions),
            np.where(tried, ended[1], np.inf),
            np.where(tried, ended[2], np.inf),
            tried & exact.cpu().numpy(),
            np.where(tried, run.iterations.cpu().numpy(), 0).astype(np.int64),
        )


def measured(
    runner: TorchRunner, q: Tensor, target: Tensor, target_of_seed: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (S,) distances [m], (S,) angles [rad], and (S,) whether both are small enough.

    Args:
        runner: Knows the chain and the tolerances.
        q: (n, S) configurations [rad or m].
        target: (12, T) see `target_columns`.
        target_of_seed: (S,) which target each configuration is meant for.
    """
    errors = runner.step.errors(q, target[:, target_of_seed])
    angle = 2.0 * torch.asin(torch.clamp(0.5 * errors.orientation, max=1.0))
    return errors.position, angle, runner.step.exact(errors)


def target_columns(poses: Tensor) -> Tensor:
    """Return (12, T) position and the three axes of each of (T, 4, 4) poses."""
    return torch.cat([poses[:, :3, 3].T, poses[:, :3, :3].permute(2, 1, 0).flatten(0, 1)])


def _fast_doubles(device: torch.device) -> bool:
    """Say whether a device takes no more than about twice the time for double precision."""
    if device.type != "cuda":
        return True
    major, minor = torch.cuda.get_device_capability(device)
    # NVIDIA's processors for data centres; the others of a generation have another minor number.
    return minor == 0 and major in _FAST_DOUBLES


def torch_device(device: str) -> torch.device:
    """Return the device of a name.

    Raises:
        UnknownNameError: The name is none of `DEVICES`.
        InvalidArgumentError: It is "cuda", and there is no such device.
    """
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)
