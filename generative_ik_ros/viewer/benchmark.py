"""A viewer and a time come in, how well it keeps up with a moving target comes out."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.drawing.start import bent
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.viewer.session import Outcome
from generative_ik_ros.viewer.viewer import Viewer

RATE = 30.0
"""Targets a second, about as many as a mouse sends [Hz]."""
_SWING = 0.35
_WAIT_FOR_FIRST = 60.0


class _Frame(NamedTuple):
    """One picture: times in [s]."""

    arms: int
    solving: float
    drawing: float
    delay: float


@dataclass(frozen=True)
class Drag:
    """How a drag, or a second of it, went.

    Attributes:
        seconds: How long it took [s].
        targets: Targets sent.
        frames: Targets whose arms were drawn; the others had been replaced before.
        pages: Pages that were open.
        arms: Mean number of arms in a frame.
        solving: Time for solving, median and 95th percentile [s].
        drawing: Time for placing the arms and queueing the messages, likewise [s].
        delay: From sending a target to having its arms queued, likewise [s].
    """

    seconds: float
    targets: int
    frames: int
    pages: int
    arms: float
    solving: tuple[float, float]
    drawing: tuple[float, float]
    delay: tuple[float, float]


def drag(viewer: Viewer, seconds: float, tell: Callable[[Drag], None]) -> Drag:
    """Move the target along a smooth, reachable path, 30 times a second, and count the pictures.

    Args:
        viewer: A viewer, with whatever settings it has.
        seconds: How long.
        tell: Called once a second with what happened in it.
    """
    sent: dict[int, float] = {}
    frames: list[_Frame] = []

    def note(outcome: Outcome, drawing: float) -> None:
        begun = sent.get(id(outcome.target))
        if begun is not None:
            count = 0 if outcome.solutions is None else int(outcome.solutions.counts[0])
            delay = time.perf_counter() - begun
            frames.append(_Frame(count, outcome.seconds, drawing, delay))

    _wait_for_first(viewer)
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
            tell(_sum_up(now - told, number - told_targets, viewer, frames[told_frames:]))
            told, told_targets, told_frames = now, number, len(frames)
    viewer.listeners.remove(note)
    return _sum_up(time.perf_counter() - start, len(targets), viewer, frames)


def _wait_for_first(viewer: Viewer) -> None:
    """Wait until kernels are compiled."""
    end = time.monotonic() + _WAIT_FOR_FIRST
    while viewer.outcome is None and time.monotonic() < end:
        time.sleep(0.01)


def _path(chain: KinematicChain, count: int) -> Iterator[NDArray[np.float64]]:
    """Swing every joint slowly at a pace of its own: each pose (4, 4) is reachable."""
    middle = bent(chain)
    room = np.minimum(chain.upper - middle, middle - chain.lower)
    swing = np.minimum(_SWING, 0.9 * np.where(np.isfinite(room), room, np.inf))
    pace = 0.5 + 0.13 * np.arange(chain.num_joints)
    for number in range(count):
        yield chain.forward(middle + swing * np.sin(2 * np.pi * pace * number / RATE / 4))


def _sum_up(seconds: float, targets: int, viewer: Viewer, frames: list[_Frame]) -> Drag:
    table = np.array(frames, np.float64).reshape(-1, len(_Frame._fields))
    middle, worst = (np.full(4, np.nan),) * 2
    if len(table):
        middle, worst = np.percentile(table, (50, 95), axis=0)
    pairs = [(float(m), float(w)) for m, w in zip(middle, worst, strict=True)]
    arms = float(table[:, 0].mean()) if len(table) else 0.0
    return Drag(seconds, targets, len(table), viewer.num_pages, arms, *pairs[1:])
