"""Samples a second of samplers by themselves, by the number of samples.

A sampler proposes seeds for one pose as the pipeline asks it to, as an array on the host.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.quartiles import Quartiles
from generative_ik_benchmarks.seeding import SearchBox, available_samplers
from generative_ik_ros.robot.chain import KinematicChain

_LEAST, _MOST = 5, 50
"""Calls of each size."""
_BUDGET = 1.0
"""Time after which there are enough of them [s]."""
_TOO_LONG = 10.0
"""A call that takes longer than this is the last of its sampler [s]."""


@dataclass(frozen=True)
class SamplerRate:
    """What one sampler took for samples of one pose.

    Attributes:
        sampler: Its name.
        samples: How many it was asked for.
        rounds: Calls measured.
        seconds: Time of a call [s].
    """

    sampler: str
    samples: int
    rounds: int
    seconds: Quartiles

    @property
    def per_second(self) -> float:
        """Samples a second, by the median."""
        return self.samples / self.seconds.median


def sampler_rates(
    chain: KinematicChain,
    target: NDArray[np.float64],
    samples: Sequence[int],
    names: Sequence[str],
    device: str,
    seed: int,
) -> tuple[tuple[SamplerRate, ...], dict[str, str]]:
    """Measure all samplers of a chain.

    Args:
        chain: The chain.
        target: (4, 4) tip in base [m].
        samples: How many samples to ask for.
        names: Which samplers; all if empty.
        device: Where models run.
        seed: Of the samples.

    Returns:
        The rates, and why samplers did not take part.
    """
    box, rates = SearchBox.of(chain), []
    samplers, absent = available_samplers(chain, names, device)
    for name, sampler in samplers.items():

        def propose(count: int, sampler=sampler) -> None:  # noqa: ANN001
            sampler.propose(box.seed_request(target[None], count, seed))

        rates += _rates(name, samples, propose)
    return tuple(rates), absent


def _rates(name: str, samples: Sequence[int], call: Callable[[int], None]) -> list[SamplerRate]:
    rates = []
    for count in sorted(samples):
        start = time.perf_counter()
        call(count)
        if time.perf_counter() - start > _TOO_LONG:
            break
        seconds: list[float] = []
        while len(seconds) < _MOST and (len(seconds) < _LEAST or sum(seconds) < _BUDGET):
            start = time.perf_counter()
            call(count)
            seconds.append(time.perf_counter() - start)
        quartiles = Quartiles.of(np.array(seconds))
        rates.append(SamplerRate(name, count, len(seconds), quartiles))
    return rates
