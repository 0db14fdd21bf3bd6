"""The kernels of path searches, loaded or compiled before a request needs them."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from contextlib import AbstractContextManager

from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.random_poses import finite_limits
from generative_ik_ros.ros.solvers import MAX_SOLVERS, THREAD, PreparingError
from generative_ik_ros.trajectories.timing import time_path


class PathKernels:
    """Sees to it that no path request waits for a compiler beyond its deadline.

    Compiling takes up to two minutes, once on a machine; loading takes a fraction of a second,
    once in a process. Either begins with the first request for a chain, with and without collision
    checks and regions, on a thread of its own.

    Args:
        pause: Returns a context to wait in.
    """

    def __init__(self, pause: Callable[[], AbstractContextManager[None]]):
        """Know of no chain."""
        self._pause, self._lock = pause, threading.Lock()
        self._ready: OrderedDict[object, tuple[object, Future[None]]] = OrderedDict()

    def wait(
        self, solver: IKSolver, scene: Scene | None, deadline: float, *, regions: bool = False
    ) -> None:
        """Wait until the kernels for a solver are there.

        Args:
            solver: The solver.
            scene: What it checks among; None: it does not check.
            deadline: Reading of `time.perf_counter` until which to wait [s].
            regions: Whether paths within regions are wanted.

        Raises:
            PreparingError: They are not there by the deadline; loading goes on.
        """
        key = id(solver.chain), scene is not None, regions
        with self._lock:
            if key not in self._ready:
                # What the key has the number of must live as long.
                self._ready[key] = solver.chain, Future()
                threading.Thread(
                    target=_load,
                    args=(solver, self._ready[key][1], regions),
                    name=THREAD,
                    daemon=True,
                ).start()
                while len(self._ready) > 4 * MAX_SOLVERS:
                    self._ready.popitem(last=False)
            loading = self._ready[key][1]
        if loading.done():
            return
        left = None if math.isinf(deadline) else max(deadline - time.perf_counter(), 0.0)
        try:
            with self._pause():
                loading.result(left)
        except StillRunning:
            raise PreparingError(
                "the kernels for paths are being compiled or loaded; try again in some seconds"
            ) from None


def _load(solver: IKSolver, done: Future[None], regions: bool) -> None:
    """Follow short paths and time one."""
    try:
        time_path(finite_limits(solver.chain), solver.chain, velocity_limits=1.0)
        solver.warm_up(paths=True, regions=regions)
    except GenerativeIKError:
        # Requests are answered with it.
        pass
    finally:
        done.set_result(None)
