"""A device that refines seeds of one chain, as long as its memory suffices."""

import math
from ctypes import CDLL
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import warn_caller
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.chain import KinematicChain

if TYPE_CHECKING:
    from generative_ik_ros.refine.torch_levenberg_marquardt import TorchLevenbergMarquardt

REFINER = "torch_levenberg_marquardt"
_SLAB, _LEAST_SLAB = 1 << 20, 1 << 8
"""Most seeds on the device at a time; with fewer than the least it is of no use."""
_RATE = 1 << 17
"""The same for each second of a timeout [1/s]: while seeds come and go, no clock is looked at."""


class Refined(NamedTuple):
    """Where the seeds of some targets ended.

    Attributes:
        rows: (T, L, n) the best of them, see `TorchLevenbergMarquardt.restarts` [rad or m].
        tried: (T,) how many seeds of a target were not left out.
        iterations: (T,) their iterations.
    """

    rows: NDArray[np.float64]
    tried: NDArray[np.int64]
    iterations: NDArray[np.int64]


class Device:
    """Refines seeds of a chain on a device; safe to use from several threads at once.

    Nothing is loaded before the first use.

    Args:
        chain: The chain.
        tolerances: Of position [m] and orientation [rad].
        place: "cpu", "cuda", or "auto" for CUDA where there is a device.
    """

    def __init__(self, chain: KinematicChain, tolerances: tuple[float, float], place: str):
        """Remember what to load."""
        self._given = chain, tolerances, place
        self._engine: TorchLevenbergMarquardt | None = None
        self._slab, self._lock = _SLAB, Lock()

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """Copies and pickles load anew."""
        return Device, self._given

    @property
    def engine(self) -> "TorchLevenbergMarquardt":
        """The local solver on the device; PyTorch is imported when it is first asked for.

        Raises:
            MissingDependencyError: PyTorch is not installed.
        """
        with self._lock:
            if (engine := self._engine) is None:
                chain, tolerances, place = self._given
                made: Any = refiner_class(REFINER)
                engine = self._engine = made(chain, *tolerances, device=place)
            return engine

    @property
    def name(self) -> str | None:
        """What the device calls itself; None if there is none after all."""
        import torch

        if self._given[2] == "cpu":
            return "cpu"
        return torch.cuda.get_device_name() if torch.cuda.is_available() else None

    @property
    def works(self) -> bool:
        """Whether its memory has sufficed so far."""
        return self._slab >= _LEAST_SLAB

    def room(self, timeout: float) -> int:
        """Return how many seeds it refines at a time, for calls with a timeout [s]."""
        return int(min(self._slab, max(_RATE * timeout, _LEAST_SLAB)))

    def prepare(self) -> None:
        """Refine seeds in all numbers for which a device compiles or captures something."""
        chain, size = self._given[0], _LEAST_SLAB
        if self.engine.device.type == "cpu":
            return
        lower, upper = (np.where(np.isfinite(x), x, 0.0) for x in (chain.lower, chain.upper))
        poses, bounds = chain.forward(lower[None]), np.stack([chain.lower, chain.upper])
        while size <= self._slab:
            seeds = np.linspace(lower, upper, size)[None]
            self.refined(poses, seeds, bounds, size, math.inf)
            size *= 2

    def refined(
        self,
        poses: NDArray[np.float64],
        seeds: NDArray[np.float64],
        *rest: Any,  # noqa: ANN401
    ) -> Refined | None:
        """Refine seeds; None if there was not enough memory: there is `room` for fewer then.

        Args are those of `TorchLevenbergMarquardt.restarts`.
        """
        import torch

        engine = self.engine
        try:
            return Refined(*engine.restarts(poses, seeds, *rest))
        except torch.cuda.OutOfMemoryError:
            pass
        # Out of the handler, whose traceback would hold on to what is in memory.
        if engine.device.type == "cuda":
            torch.cuda.empty_cache()
        with self._lock:
            # The least of both, for another thread may have found out as well.
            before = self.works
            self._slab = min(self._slab, len(poses) * seeds.shape[1]) // 2
            if before and not self.works:
                warn_caller(
                    "the device's memory does not suffice: from now on this solver does not use it"
                )
        return None


def cuda_library() -> bool:
    """Say whether there may be a CUDA device, without importing PyTorch."""
    try:
        CDLL("libcuda.so.1")
    except OSError:
        return False
    return find_spec("torch") is not None
