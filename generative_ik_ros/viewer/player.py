"""Animation of the self-motion of a configuration."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.self_motion import SelfMotion, self_motion


@dataclass(frozen=True)
class PlayerTuning:
    """How fast solutions are played."""

    rate: float = 30.0
    """Frames per second."""
    step: float = 0.04
    """Joint-space distance between two frames [rad or m]: 1.2 rad per second."""


TUNING = PlayerTuning()


class Player:
    """Plays one self-motion at a time, in a thread of its own.

    Args:
        chain: The chain, or a tree with several tips.
        show: Called with each configuration (n,) and a description of the motion in Markdown.
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        show: Callable[[NDArray[np.float64], str], None],
    ):
        """Start without a motion."""
        self._chain, self._show = chain, show
        self._stopping, self._showing = threading.Event(), threading.Lock()

    def play(self, start: NDArray[np.float64], position_only: bool) -> None:
        """Play the self-motion of a configuration (n,) instead of the current one."""
        self.stop()
        self._stopping = threading.Event()
        threading.Thread(
            target=self._run, args=(start, position_only, self._stopping), daemon=True
        ).start()

    def stop(self) -> None:
        """Stop playing; nothing is shown after this returns."""
        with self._showing:
            self._stopping.set()

    def _run(
        self, start: NDArray[np.float64], position_only: bool, stopping: threading.Event
    ) -> None:
        motion = self_motion(
            self._chain, start, position_only=position_only, step=TUNING.step, max_steps=500
        )
        description, due = describe(self._chain, motion), time.monotonic()
        for index in frames(motion):
            with self._showing:
                if stopping.is_set():
                    return
                self._show(motion.positions[index], description)
            due = max(due + 1.0 / TUNING.rate, time.monotonic())
            if stopping.wait(due - time.monotonic()):
                return


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
