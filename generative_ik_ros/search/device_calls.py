"""The part of `IKSolver` that solves poses which are on a GPU, and leaves solutions there."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from generative_ik_ros import _core
from generative_ik_ros.arguments import MAX_SEED, positive_number, whole_number
from generative_ik_ros.device.open import OPENED
from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError
from generative_ik_ros.search.on_device import problem_of
from generative_ik_ros.search.stages import Stages

if TYPE_CHECKING:
    from generative_ik_ros.collision.checker import SceneCheck
    from generative_ik_ros.collision.scene import Scene


class DeviceCalls:
    """The call of a solver for arrays on a GPU."""

    _stages: Stages
    _check: "Callable[[Scene | None], SceneCheck | None]"

    def solve_into(
        self,
        targets: Any,  # noqa: ANN401 (whatever has the protocol)
        positions: Any,  # noqa: ANN401
        counts: Any,  # noqa: ANN401
        *,
        timeout: float | None = None,
        random_seed: int | None = None,
        scene: "Scene | None" = None,
    ) -> None:
        """Find solutions of poses in the memory of a GPU, and write them there.

        Arrays are those of PyTorch, CuPy, or any others with `__cuda_array_interface__`;
        nothing is copied through the CPU, which answers nothing either: a target without solutions
        may have some. Solutions are what `solve` promises of them, in no order (docs/gpu.md).

        Args:
            targets: (B, 4, 4) float64 poses, tip in base [m]. What is no pose has no solution;
                the last row is not read.
            positions: (B, N, n) float64, written: up to N solutions of each, undefined behind the
                last [rad or m].
            counts: (B,) int32, written: how many there are.
            timeout: Time limit of the call [s]; what is not found then is not written.
            random_seed: The same gives the same solutions; None is 0.
            scene: Obstacles that every solution must be clear of; needs `collision`.

        Raises:
            InvalidArgumentError: There is no GPU, or an argument is unusable; the message says
                why.
            UnsupportedChainError: There are no kernels for the chain, or for so many bodies.
            MemoryError: The GPU has not enough.
            RuntimeError: The GPU has failed.
        """
        device, stages = OPENED.get(), self._stages
        if device is None:
            raise InvalidArgumentError(f"solve_into needs a GPU, but {OPENED.why}")
        if stages.goals or not _core.Device.takes(stages.problem):
            raise UnsupportedChainError("solve_into is for chains of up to 16 joints with one tip")
        check = self._check(scene)
        if check is not None and not _core.Device.takes_world(check.world):
            raise UnsupportedChainError("solve_into is for up to 24 moving frames and 64 bodies")
        seconds = math.inf if timeout is None else positive_number("timeout", timeout)
        seed = whole_number("random_seed", random_seed or 0, 0, MAX_SEED)
        try:
            problem = problem_of(stages, check)
            device.solve_into(problem, targets, seed, seconds, positions, counts)
        except RuntimeError as error:
            OPENED.give_up(error)
            raise
        except ValueError as error:
            raise InvalidArgumentError(f"solve_into: {error}") from None
