"""A chain with weights in, IKFlow's table II and figure 4 for it out, and what they leave open.

B. Ames, J. Morgan, G. Konidaris, IKFlow: generating diverse inverse kinematics solutions, RA-L
2022, arXiv 2111.08933. The paper judges samples as they are. Here they are also made exact, which
is what a user gets, and judged by how much of the solution set they reach.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.protocols.generative import GenerativeTable
from generative_ik_benchmarks.protocols.generative import Options as GenerativeOptions
from generative_ik_benchmarks.protocols.generative import measure as measure_samples
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.reproduce.ikflow_published import TABLE_II, TableII
from generative_ik_benchmarks.reproduce.ikflow_raw import (
    AtTemperature,
    RawErrors,
    at_temperatures,
    raw_errors,
)
from generative_ik_benchmarks.reproduce.ikflow_times import RunTime, run_times
from generative_ik_ros.learned.checkpoint import MissingWeightsError, find_weights
from generative_ik_ros.learned.ikflow.sampler import IKFlow

MMD_SAMPLES = 250
"""Samples a pose of its discrepancy."""
RIVALS = ("uniform", "quasi_random")
"""Samplers without training that stand beside it: what a figure is worth shows only there."""
TEMPERATURES = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
SIZES = (1, 10, 100, 500, 1000, 2000, 4000)


@dataclass(frozen=True)
class IKFlowReport:
    """One chain's part of the paper's results.

    Attributes:
        chain: Its label.
        dof: Joints to choose.
        parameters: Numbers in the weights' file.
        training: What the weights' file says of how they came about.
        published: The paper's row, None for robots that it does not have.
        raw: Errors and time.
        quality: Discrepancy, and what becomes of the samples, beside samplers without training.
        temperatures: Effect of the base's spread.
        run_times: Figure 4.
    """

    chain: str
    dof: int
    parameters: int
    training: dict[str, object]
    published: TableII | None
    raw: RawErrors
    quality: GenerativeTable
    temperatures: tuple[AtTemperature, ...]
    run_times: tuple[RunTime, ...]


def with_weights(cases: Iterable[ChainCase]) -> list[ChainCase]:
    """Return the chains that have weights, each canonical chain once."""
    found: dict[str, ChainCase] = {}
    for case in cases:
        try:
            find_weights("ikflow", case.chain)
        except MissingWeightsError:
            continue
        found.setdefault(case.chain.fingerprint, case)
    return list(found.values())


def steps_of(poses: int, temperatures: Sequence[float], sizes: Sequence[int]) -> int:
    """Return how often `reproduce_ikflow` reports progress."""
    return poses + 1 + len(RIVALS) + 1 + len(temperatures) + len(sizes)


def reproduce_ikflow(
    case: ChainCase,
    *,
    poses: int = 50,
    error_poses: int = 1000,
    temperatures: Sequence[float] = TEMPERATURES,
    sizes: Sequence[int] = SIZES,
    reference: ExhaustiveSettings | None = None,
    device: str = "cpu",
    seed: int = 1,
    on_step: Callable[[], None] = lambda: None,
) -> IKFlowReport:
    """Measure one chain.

    Args:
        case: The chain.
        poses: Random reachable poses for discrepancy and coverage, whose solutions all have to
            be found first; the paper's discrepancy has 1000.
        error_poses: Random reachable poses for errors.
        temperatures: Scales of the base's spread.
        sizes: Numbers of samples to time.
        reference: How hard all solutions are looked for.
        device: Where the flow runs.
        seed: Of poses and samplers.
        on_step: Called `steps_of` times, for a progress bar.

    Raises:
        GenerativeIKError: The chain is refused, or there are no usable weights for it.
    """
    flow = IKFlow(case.chain, device)
    raw = raw_errors(case, flow, error_poses, seed)
    on_step()
    options = GenerativeOptions(
        poses=poses,
        samples=MMD_SAMPLES,
        samplers=(*RIVALS, "ikflow"),
        reference=reference,
        random_seed=seed,
    )
    quality = measure_samples(case, options, on_step)
    return IKFlowReport(
        case.label,
        case.chain.num_joints,
        sum(values.size for values in flow.checkpoint.tensors.values()),
        dict(flow.checkpoint.training),
        TABLE_II.get((case.stem, case.chain.num_joints)),
        raw,
        quality,
        at_temperatures(case, temperatures, poses, reference, device, seed, on_step),
        run_times(case, flow, sizes, seed, on_step),
    )
