"""A chain and its samplers come in, what they are worth on a robot they never saw goes out.

Protocol E: a row for every registered sampler that was not trained on the chain. One that was is
left out by name: it has weights of its own for the chain, or says what it learned from in an
attribute `trained_on`, the fingerprints of those chains. So is one that has no weights that would
do: a sampler with weights for each chain has no zero-shot row by nature. Samplers without training
were trained for nothing; theirs is what a learned one has to beat.

Measured as in GGIK's tables II and III (T-RO): 32 samples a pose, raw errors, "success" when the
best of them is within 1 cm and 1 degree; and what they are worth as seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generative_ik_ros.evaluation.chains import ChainCase
from generative_ik_ros.evaluation.protocols.generative import (
    GenerativeTable,
    SamplerQuality,
    generative,
)
from generative_ik_ros.evaluation.reference.saturation import ExhaustiveSettings
from generative_ik_ros.evaluation.seeding import willing_samplers
from generative_ik_ros.evaluation.verification import Faults
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.checkpoint import MissingWeightsError, find_weights


@dataclass(frozen=True)
class ZeroShotTable:
    """One chain's table.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        poses: Random reachable poses.
        samples: Samples a pose.
        rows: A row a sampler.
        absent: Why a sampler did not take part.
    """

    chain: str
    dof: int
    poses: int
    samples: int
    rows: tuple[SamplerQuality, ...]
    absent: dict[str, str]

    @property
    def faults(self) -> Faults:
        """Everything untrue in our own results."""
        return sum((row.refined.faults for row in self.rows), Faults())


def leave_one_out(
    case: ChainCase,
    *,
    poses: int = 100,
    samples: int = 32,
    samplers: Sequence[str] = (),
    reference: ExhaustiveSettings | None = None,
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> ZeroShotTable:
    """Measure the samplers that do not know a chain.

    Args:
        case: The chain.
        poses: How many random reachable poses.
        samples: Samples a pose.
        samplers: Which; all that are registered if empty.
        reference: How hard all solutions are looked for.
        seed: Of poses and samplers.
        on_step: Called after each pose of the reference and after each sampler.

    Raises:
        GenerativeIKError: The chain is refused, or a sampler does not exist.
    """
    ready, absent = willing_samplers(case.chain, samplers)
    strangers = []
    for name, sampler in ready.items():
        if knows(name, sampler, case.chain):
            absent[name] = "was trained on this chain"
        else:
            strangers.append(name)
    table: GenerativeTable | None = None
    if strangers:
        table = generative(
            case,
            poses=poses,
            samples=samples,
            samplers=strangers,
            reference=reference,
            seed=seed,
            on_step=on_step,
        )
    rows = table.rows if table else ()
    return ZeroShotTable(case.label, case.chain.num_joints, poses, samples, rows, absent)


def knows(name: str, sampler: Sampler, chain: KinematicChain) -> bool:
    """Say whether a sampler of that name was trained on a chain."""
    if chain.fingerprint in getattr(sampler, "trained_on", ()):
        return True
    try:
        find_weights(name, chain)
    except MissingWeightsError:
        return False
    return True
