"""How well the web viewer keeps up with a target that moves as if it was dragged."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.robot.kinematic_tree import Kinematics
from generative_ik_ros.viewer.session import Outcome
from generative_ik_ros.viewer.viewer import Viewer

RATE = 30.0
"""Rate of targets, about that of mouse events [Hz]."""
_AMPLITUDE = 0.35
"""Amplitude of each joint's oscillation [rad or m]."""
_WARM_UP_TIMEOUT = 60.0
"""Longest wait for the first result, which includes compilation [s]."""


class _Frame(NamedTuple):
    """Number of arms and times of one frame [s]."""

    arms: int
    solving: float
    drawing: float
    delay: float


@dataclass(frozen=True)
class Drag:
    """Statistics of a drag, or of one second of it.

    Attributes:
        seconds: Duration [s].
        targets: Targets sent.
        frames: Targets whose arms were drawn; the others were superseded by later ones.
        solving: Median and 95th percentile of the time for solving [s].
        drawing: The same of the time for placing the arms and queueing the messages [s].
        delay: The same of the time from sending a target to queueing its arms [s].
        pages: Open pages.
        arms: Mean number of arms per frame.
    """

    seconds: float
    targets: int
    frames: int
    solving: tuple[float, float]
    drawing: tuple[float, float]
    delay: tuple[float, float]
    pages: int
    arms: float


def drag(viewer: Viewer, seconds: float, tell: Callable[[Drag], None]) -> Drag:
    """Move the target along a smooth, reachable path at 30 Hz and measure the frames.

    Args:
        viewer: The viewer, with its current settings.
        seconds: Duration [s].
        tell: Called once per second with the statistics of that second.
    """
    sent: dict[int, float] = {}
    frames: list[_Frame] = []

    def note(outcome: Outcome, drawing: float) -> None:
        begun = sent.get(id(outcome.target))
        if begun is not None:
            count = 0 if outcome.solutions is None else int(outcome.solutions.counts[0])
            delay = time.perf_counter() - begun
            frames.append(_Frame(count, outcome.seconds, drawing, delay))

    _wait_for_first_outcome(viewer)
    viewer.listeners.append(note)
    targets = list(_path(viewer.chain, round(seconds * RATE)))
    start = told = time.perf_counter()
    told_targets = told_frames = 0
    for number, target in enumerate(targets, start=1):
        sent[id(target)] = time.perf_counter()
        viewer.go_to(target)
        time.sleep(max(0.0, start + number / RATE - time.perf_counter()))
        now = time.perf_counter()
        if number % round(RATE) == 0:
            tell(_statistics(now - told, number - told_targets, viewer, frames[told_frames:]))
            told, told_targets, told_frames = now, number, len(frames)
    viewer.listeners.remove(note)
    return _statistics(time.perf_counter() - start, len(targets), viewer, frames)


def _wait_for_first_outcome(viewer: Viewer) -> None:
    """Wait until the kernels are compiled and the first target is solved."""
    end = time.monotonic() + _WARM_UP_TIMEOUT
    while viewer.outcome is None and time.monotonic() < end:
        time.sleep(0.01)


def _path(chain: Kinematics, count: int) -> Iterator[Floats]:
    """Oscillate every joint at a frequency of its own, so that each pose (4, 4) is reachable."""
    middle = bent_configuration(chain)
    margin = np.minimum(chain.upper - middle, middle - chain.lower)
    amplitude = np.minimum(_AMPLITUDE, 0.9 * np.where(np.isfinite(margin), margin, np.inf))
    frequency = 0.5 + 0.13 * np.arange(chain.num_joints)
    for number in range(count):
        phase = 2 * np.pi * frequency * number / RATE / 4
        yield chain.forward(middle + amplitude * np.sin(phase))


def _statistics(seconds: float, targets: int, viewer: Viewer, frames: list[_Frame]) -> Drag:
    table = np.array(frames, np.float64).reshape(-1, len(_Frame._fields))
    median, p95 = (np.full(4, np.nan),) * 2
    if len(table):
        median, p95 = np.percentile(table, (50, 95), axis=0)
    pairs = [(float(m), float(p)) for m, p in zip(median, p95, strict=True)]
    arms = float(table[:, 0].mean()) if len(table) else 0.0
    solving, drawing, delay = pairs[1:]
    return Drag(seconds, targets, len(table), solving, drawing, delay, viewer.num_pages, arms)
