"""A chain and its samplers come in, what they are worth on a robot they never saw goes out.

Protocol E: a row for every registered sampler that was not trained on the chain. One that was (it
has weights of its own for the chain, or says so by `trained_on`, the fingerprints of what it
learned from, or by `trained.knows(chain)`) takes part with other weights if it has some that serve
any chain and did not see this one. Else it is left out by name: a sampler with weights for each
chain has no zero-shot row by nature. Samplers without training were trained for nothing; theirs is
what a learned one has to beat.

Measured as in GGIK's tables II and III (T-RO): 32 samples a pose, raw errors, "success" when the
best of them is within 1 cm and 1 degree; and what they are worth as seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.protocols.generative import (
    GenerativeTable,
    SamplerQuality,
    generative,
)
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.seeding import willing_samplers
from generative_ik_benchmarks.verification import Violations
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
    def faults(self) -> Violations:
        """Everything untrue in our own results."""
        return sum((row.refined.faults for row in self.rows), Violations())


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
    strangers: dict[str, Sampler] = {}
    for name, sampler in ready.items():
        other = stranger(name, case.chain) if knows(name, sampler, case.chain) else sampler
        if other is None:
            absent[name] = "was trained on this chain"
        else:
            strangers[name] = other
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
    trained = getattr(sampler, "trained", None)
    if trained is not None and hasattr(trained, "knows"):
        return trained.knows(chain)
    try:
        find_weights(name, chain)
    except MissingWeightsError:
        return False
    return True


def stranger(name: str, chain: KinematicChain) -> Sampler | None:
    """Return a sampler of that name with weights that did not see a chain; None without such."""
    for folder in (user_weights(), package_weights()):
        for file in sorted((folder / name).glob(f"*{SUFFIX}")):
            try:
                sampler = sampler_class(name)(chain, weights=file)  # pyright: ignore[reportCallIssue]
            except (GenerativeIKError, TypeError):
                continue  # for another chain, or not to be chosen
            if hasattr(sampler, "trained") and not knows(name, sampler, chain):
                return sampler
    return None
