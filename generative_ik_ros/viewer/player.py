"""Players of self-motions and of paths, each in a thread of its own."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple

import numpy as np
import viser

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.self_motion import SelfMotion, self_motion


@dataclass(frozen=True)
class PlayerTuning:
    """How fast motions are played."""

    rate: float = 30.0
    """Frames per second."""
    step: float = 0.04
    """Joint-space distance between two frames of a self-motion [rad or m]: 1.2 rad per second."""
    positions: int = 1000
    """Positions of a path's slider."""


TUNING = PlayerTuning()


class _Playing:
    """Shows frames one after the other in a thread, until it is stopped."""

    def __init__(self, show: Callable[..., None]):
        """Start without a thread; `show` is called with what a frame consists of."""
        self._show = show
        self._stopping, self._showing = threading.Event(), threading.Lock()

    def stop(self) -> None:
        """Stop playing; nothing is shown after this returns."""
        with self._showing:
            self._stopping.set()

    def _begin(self, frames: Iterator[tuple]) -> None:
        """Show what a generator yields, which runs in the thread."""
        stopping = threading.Event()
        with self._showing:  # whoever else begins now is stopped by this one, or stops it
            self._stopping.set()
            self._stopping = stopping
        threading.Thread(target=self._run, args=(frames, stopping), daemon=True).start()

    def _run(self, frames: Iterator[tuple], stopping: threading.Event) -> None:
        due = 0.0
        for frame in frames:
            with self._showing:
                if stopping.is_set():
                    return
                self._show(*frame)
            due = max(due + 1.0 / TUNING.rate, time.monotonic())
            if stopping.wait(due - time.monotonic()):
                return


class Player(_Playing):
    """Plays one self-motion at a time.

    Args:
        chain: The chain, or a tree with several tips.
        show: Called with each configuration (n,) and a description of the motion in Markdown.
    """

    def __init__(self, chain: KinematicChain | KinematicTree, show: Callable[[Floats, str], None]):
        """Start without a motion."""
        super().__init__(show)
        self._chain = chain

    def play(self, start: Floats, position_only: bool) -> None:
        """Play the self-motion of a configuration (n,) instead of the current one."""
        self._begin(self._frames(start, position_only))

    def _frames(self, start: Floats, position_only: bool) -> Iterator[tuple]:
        motion = self_motion(
            self._chain, start, position_only=position_only, step=TUNING.step, max_steps=500
        )
        description = describe(self._chain, motion)
        for index in frames(motion):
            yield motion.positions[index], description


def frames(motion: SelfMotion) -> Iterator[int]:
    """Yield path indices for ever, from the motion's start: around a closed path or to and fro."""
    count = len(motion.positions)
    there_and_back = [*range(count), *range(count - 2, 0, -1)]
    period = list(range(count)) if motion.closed else there_and_back
    return cycle(period[motion.start :] + period[: motion.start])


def describe(chain: KinematicChain | KinematicTree, motion: SelfMotion) -> str:
    """Return a Markdown description of the motion and of each joint's range."""
    if len(motion.positions) == 1:
        return "This arm cannot move while its tip is fixed."
    kind = "a closed curve" if motion.closed else "from limit to limit"
    spans = np.ptp(motion.positions, axis=0)
    rows = [
        f"| {name} | {span:.3f} m |" if prismatic else f"| {name} | {np.degrees(span):.0f} deg |"
        for name, span, prismatic in zip(chain.names, spans, chain.prismatic, strict=True)
    ]
    head = f"{len(motion.positions)} configurations, {kind}\n\n| joint | span |\n|---|---|\n"
    return head + "\n".join(rows)


class TimedPath(NamedTuple):
    """Configurations over time.

    Attributes:
        times: (M,) increasing times from 0 [s].
        positions: (M, n) joint positions [rad or m].
    """

    times: Floats
    positions: Floats

    def at(self, when: float) -> Floats:
        """Return the configuration (n,) at a time [s]."""
        return np.array([np.interp(when, self.times, one) for one in self.positions.T])


class PathPlayer(_Playing):
    """Plays a path over and over while Play is checked.

    Args:
        gui: The page's panel.
        path: The path.
        show: Called with the configuration (n,) that the slider selects.
    """

    def __init__(self, gui: viser.GuiApi, path: TimedPath, show: Callable[[Floats], None]):
        """Create the panel; nothing is shown until it is used."""
        super().__init__(self._move_to)
        self._duration = max(float(path.times[-1]), 1e-3)
        with gui.add_folder("Path"):
            self.slider = gui.add_slider(
                "Time [s]", 0.0, self._duration, self._duration / TUNING.positions, 0.0
            )
            self.play = gui.add_checkbox("Play", False, hint="Over and over")
        self.slider.on_update(lambda _: show(path.at(float(self.slider.value))))
        self.play.on_update(
            lambda _: self._begin(self._times()) if self.play.value else self.stop()
        )

    def _times(self) -> Iterator[tuple[float]]:
        begun = time.monotonic() - float(self.slider.value)
        while True:
            yield ((time.monotonic() - begun) % self._duration,)

    def _move_to(self, seconds: float) -> None:
        self.slider.value = seconds
