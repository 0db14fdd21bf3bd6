"""Stored configurations of chains, for samplers that look seeds up."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import MovingJoints, finite_limits
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom

Stored = TypeVar("Stored")


class ChainCache(Generic[Stored]):
    """What is built once per canonical chain and process, for the chains used last.

    Chains that differ in mounting or tool share an entry. Of more than eight, the one that was not
    used for the longest time goes first.
    """

    most = 8

    def __init__(self, build: Callable[[KinematicChain], Stored]):
        self._build = build
        self._entries: OrderedDict[tuple[str, bytes], Stored] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, chain: KinematicChain) -> Stored:
        """Return the entry of a chain, built at most once however many threads ask."""
        key = chain.fingerprint, chain.lower.tobytes() + chain.upper.tobytes()
        with self._lock:
            if key not in self._entries:
                self._entries[key] = self._build(chain)
                while len(self._entries) > self.most:
                    self._entries.popitem(last=False)
            self._entries.move_to_end(key)
            return self._entries[key]


def spread_configurations(
    chain: MovingJoints, count: int, centred: Sequence[int] = (), begin: int = 0
) -> Floats:
    """Return configurations (count, n) that fill the limits evenly [rad or m].

    A joint with more than a full turn is spread over the middle one: further turns are the same
    poses. Centred joints stay in the middle of their range. `begin` configurations were asked for
    before.
    """
    lower, upper = finite_limits(chain)
    middle, half = (lower + upper) / 2.0, (upper - lower) / 2.0
    half = np.where(chain.prismatic, half, np.minimum(half, np.pi))
    half[list(centred)] = 0.0
    box = SeedRequest(np.eye(4)[None], count, middle - half, middle + half, 0, begin)
    # A tree has all that is used of a chain here.
    return QuasiRandom(cast(KinematicChain, chain)).propose(box)[0].copy()
