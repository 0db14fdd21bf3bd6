"""A path on the viewer's page: a slider for the time, and the arm that moves along it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import viser
from numpy.typing import NDArray


@dataclass(frozen=True)
class PathPlayerTuning:
    """How a path is played."""

    rate: float = 30.0
    """Frames per second."""
    steps: int = 1000
    """Positions of the slider."""


TUNING = PathPlayerTuning()


class TimedPath(NamedTuple):
    """Configurations over time.

    Attributes:
        times: (M,) increasing times from 0 [s].
        positions: (M, n) joint positions [rad or m].
    """

    times: NDArray[np.float64]
    positions: NDArray[np.float64]

    def at(self, when: float) -> NDArray[np.float64]:
        """Return the configuration (n,) at a time [s]."""
        return np.array([np.interp(when, self.times, one) for one in self.positions.T])


class PathPlayer:
    """Plays a path over and over, in a thread of its own, while Play is checked.

    Args:
        gui: The page's panel.
        path: The path.
        show: Called with the configuration (n,) that the slider selects.
    """

    def __init__(
        self, gui: viser.GuiApi, path: TimedPath, show: Callable[[NDArray[np.float64]], None]
    ):
        """Create the panel; nothing is shown until it is used."""
        self._path, self._show = path, show
        self._stopping, self._moving = threading.Event(), threading.Lock()
        self._duration = max(float(path.times[-1]), 1e-3)
        with gui.add_folder("Path"):
            self.slider = gui.add_slider(
                "Time [s]", 0.0, self._duration, self._duration / TUNING.steps, 0.0
            )
            self.play = gui.add_checkbox("Play", False, hint="Over and over")
        self.slider.on_update(lambda _: self._show(self._path.at(float(self.slider.value))))
        self.play.on_update(lambda _: self._begin() if self.play.value else self.stop())

    def stop(self) -> None:
        """Stop playing; nothing is shown after this returns."""
        with self._moving:
            self._stopping.set()

    def _begin(self) -> None:
        self.stop()
        self._stopping = threading.Event()
        threading.Thread(target=self._run, args=(self._stopping,), daemon=True).start()

    def _run(self, stopping: threading.Event) -> None:
        begun = time.monotonic() - float(self.slider.value)
        while not stopping.wait(1.0 / TUNING.rate):
            with self._moving:
                if stopping.is_set():
                    return
                self.slider.value = (time.monotonic() - begun) % self._duration
