"""Protocol E, zero-shot: what samplers are worth on a robot that they were not trained on.

A row for every registered sampler that was not trained on the chain. One that was (it has weights
of its own for the chain, or says so by `trained_on`, the fingerprints of what it learned from, or
by `trained.knows(chain)`) takes part with other weights if it has some that serve any chain and
were not trained on this one. Else it is left out by name: a sampler with weights for each chain
has no zero-shot row by nature. Samplers without training were trained on nothing; their rows are
what a learned one has to beat.

Measured as in GGIK's tables II and III (T-RO): 32 samples a pose, raw errors, "success" when the
best of them is within 1 cm and 1 degree; and what they are worth as seeds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.options import option
from generative_ik_benchmarks.protocol import Listing, OnStep, Protocol, each_row
from generative_ik_benchmarks.protocols.sample_quality import (
    SampleOptions,
    SampleTable,
    SampleTrial,
)
from generative_ik_benchmarks.seeding import seed_samplers
from generative_ik_benchmarks.text import number, percent
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import (
    SUFFIX,
    MissingWeightsError,
    find_weights,
    package_weights,
    user_weights,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.registry import sampler_class

_MM, _DEG = 1e3, np.rad2deg(1.0)


@dataclass(frozen=True, kw_only=True)
class Options(SampleOptions):
    """What can be set."""

    poses: int = option(100, "Random reachable poses a chain.", quick=4, min=1)
    samples: int = option(32, "Samples a pose; GGIK's 32.", min=2)


def measure(case: ChainCase, options: Options, on_step: OnStep) -> SampleTable:
    """Measure the samplers that were not trained on a chain."""
    chain = case.chain
    samplers, absent = seed_samplers(chain, options.samplers)
    for name, sampler in list(samplers.items()):
        if was_trained_on(name, sampler, chain):
            variant = untrained_variant(name, chain)
            if variant is None:
                del samplers[name]
                absent[name] = "was trained on this chain"
            else:
                samplers[name] = variant
    rows = SampleTrial(case, options, on_step).rows(samplers, on_step) if samplers else ()
    return SampleTable(
        chain=case.label,
        dof=chain.num_joints,
        poses=options.poses,
        samples=options.samples,
        rows=rows,
        absent=absent,
    )


def was_trained_on(name: str, sampler: Sampler, chain: KinematicChain) -> bool:
    """Say whether a sampler of that name was trained on a chain."""
    if chain.fingerprint in getattr(sampler, "trained_on", ()):
        return True
    trained = getattr(sampler, "trained", None)
    if trained is not None and hasattr(trained, "knows"):
        return trained.knows(chain)
    try:
        find_weights(name, chain)
    except MissingWeightsError:
        return False
    return True


def untrained_variant(name: str, chain: KinematicChain) -> Sampler | None:
    """Return a sampler of that name with weights not trained on a chain; None without such."""
    for folder in (user_weights(), package_weights()):
        for file in sorted((folder / name).glob(f"*{SUFFIX}")):
            try:
                sampler = sampler_class(name)(chain, weights=file)  # pyright: ignore[reportCallIssue]
            except (GenerativeIKError, TypeError):
                continue  # for another chain, or not to be chosen
            if hasattr(sampler, "trained") and not was_trained_on(name, sampler, chain):
                return sampler
    return None


def listings(tables: Sequence[SampleTable]) -> Iterator[Listing]:
    """Show a row a sampler."""
    columns = (
        ("chain", lambda table, _: table.chain),
        ("sampler", lambda _, row: row.sampler),
        ("mm: mean", lambda _, row: number(_MM * row.raw.position.mean)),
        ("min", lambda _, row: number(_MM * row.raw.position.mean_min)),
        ("deg: mean", lambda _, row: number(_DEG * row.raw.orientation.mean)),
        ("min", lambda _, row: number(_DEG * row.raw.orientation.mean_min)),
        ("success %", lambda _, row: percent(row.raw.success)),
        ("converged %", lambda _, row: percent(row.refined.converged)),
        ("iterations", lambda _, row: f"{row.refined.iterations:.1f}"),
        ("distinct", lambda _, row: f"{row.refined.distinct:.1f}"),
        ("coverage %", lambda _, row: percent(row.refined.coverage)),
    )
    sizes = sorted({f"{table.samples} samples of {table.poses} poses" for table in tables})
    heading = (
        f"Samplers on chains that they were not trained on: {', '.join(sizes)}. min: of each "
        "pose, on average. success: the best is within 1 cm and 1 degree (GGIK). Then refined to "
        "1e-5."
    )
    yield Listing(heading, columns, each_row(tables))


PROTOCOL = Protocol(
    Options,
    SampleTable,
    measure,
    listings,
    steps=lambda options: options.steps,
)
