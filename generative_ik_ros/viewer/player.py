"""A configuration comes in, its self-motion goes out as an animation."""

import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.self_motion import SelfMotion, self_motion

_RATE = 30.0
_STEP = 0.04
"""Length of a step between pictures, over all joints [rad or m]: 1.2 rad in a second."""


class Player:
    """Plays one self-motion at a time, in a thread of its own.

    Args:
        chain: The chain.
        show: Called with each configuration (n,) and a sentence about the motion, in Markdown.
    """

    def __init__(
        self,
        chain: KinematicChain,
        show: Callable[[NDArray[np.float64], str], None],
    ):
        """Begin with nothing to play."""
        self._chain, self._show = chain, show
        self._stopping, self._showing = threading.Event(), threading.Lock()

    def play(self, start: NDArray[np.float64], position_only: bool) -> None:
        """Play the self-motion of a configuration (n,) instead of the one before."""
        self.stop()
        self._stopping = threading.Event()
        threading.Thread(
            target=self._run, args=(start, position_only, self._stopping), daemon=True
        ).start()

    def stop(self) -> None:
        """Stop playing; once this returns nothing more is shown."""
        with self._showing:
            self._stopping.set()

    def _run(
        self, start: NDArray[np.float64], position_only: bool, stopping: threading.Event
    ) -> None:
        motion = self_motion(
            self._chain, start, position_only=position_only, step=_STEP, max_steps=500
        )
        sentence, due = describe(self._chain, motion), time.monotonic()
        for index in frames(motion):
            with self._showing:
                if stopping.is_set():
                    return
                self._show(motion.positions[index], sentence)
            due = max(due + 1.0 / _RATE, time.monotonic())
            if stopping.wait(due - time.monotonic()):
                return


def frames(motion: SelfMotion) -> Iterator[int]:
    """Go through a path from where the walk began, round and round, or to and fro for ever."""
    count = len(motion.positions)
    there_and_back = [*range(count), *range(count - 2, 0, -1)]
    turn = list(range(count)) if motion.closed else there_and_back
    return cycle(turn[motion.start :] + turn[: motion.start])


def describe(chain: KinematicChain, motion: SelfMotion) -> str:
    """Say in Markdown what kind of motion it is and how far each joint goes."""
    if len(motion.positions) == 1:
        return "This arm cannot move while its tip stays where it is."
    kind = "a closed curve" if motion.closed else "from limit to limit"
    spans = np.ptp(motion.positions, axis=0)
    rows = [
        f"| {name} | {np.degrees(span):.0f} deg |" if not slides else f"| {name} | {span:.3f} m |"
        for name, span, slides in zip(chain.names, spans, chain.prismatic, strict=True)
    ]
    return "\n".join(
        [
            f"{len(motion.positions)} configurations, {kind}",
            "",
            "| joint | span |",
            "|---|---|",
            *rows,
        ]
    )
