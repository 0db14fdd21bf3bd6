"""IKFlow's table II and figure 4 for one chain with weights, and what they leave open.

B. Ames, J. Morgan, G. Konidaris, IKFlow: generating diverse inverse kinematics solutions, RA-L
2022, arXiv 2111.08933. The paper measures samples as they are. Here they are also refined, which
is what a user gets, and measured by how much of the solution set they reach.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions, option, reference_setting
from generative_ik_benchmarks.protocol import OnStep
from generative_ik_benchmarks.protocols import generative
from generative_ik_benchmarks.protocols.generative import GenerativeTable
from generative_ik_benchmarks.protocols.references import Reference
from generative_ik_benchmarks.published import TABLE_II, TableII
from generative_ik_benchmarks.reference.saturation import ExhaustiveSettings
from generative_ik_benchmarks.reproduce.ikflow_raw import (
    AtTemperature,
    RawErrors,
    RunTime,
    at_temperatures,
    raw_errors,
    run_times,
)
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.learned.checkpoint import MissingWeightsError, find_weights
from generative_ik_ros.learned.ikflow.sampler import IKFlow, IKFlowLarge

MMD_SAMPLES = 250
"""Samples a pose for the discrepancy."""
UNTRAINED = ("uniform", "quasi_random")
"""Samplers without training, for comparison: they show what a figure is worth."""


@dataclass(frozen=True, kw_only=True)
class Options(RunOptions):
    """What can be set; the paper's discrepancy is of 1000 poses."""

    poses: int = option(50, "Poses for MMD, coverage and temperature.", quick=4, min=1)
    error_poses: int = option(1000, "Poses for errors.", quick=50, min=1)
    temperatures: tuple[float, ...] = option(
        (0.1, 0.25, 0.5, 0.75, 0.9, 1.0), "Spread of the base, may be given again.",
        quick=(0.5, 1.0), flag="--temperature", min=0.0,
    )  # fmt: skip
    sizes: tuple[int, ...] = option(
        (1, 10, 100, 500, 1000, 2000, 4000), "Samples to time, may be given again.",
        quick=(1, 100), flag="--size", min=1,
    )  # fmt: skip
    sampler: str = option("ikflow", "ikflow, or ikflow_large.")
    device: str = option("cpu", "Where the flow runs: cpu or cuda.")
    plot: Path | None = option(None, "Draw figure 4 and the temperature's effect.", metavar="FILE")
    reference: ExhaustiveSettings | None = reference_setting()


@dataclass(frozen=True)
class IKFlowReport:
    """One chain's part of the paper's results."""

    chain: str = figure("Its label.")
    sampler: str = figure("Which flow.")
    dof: int = figure("Joints to choose.")
    parameters: int = figure("Numbers in the weights' file.")
    training: dict[str, object] = figure("What the weights' file says about its training.")
    published: TableII | None = figure("The paper's row, None for robots that it does not have.")
    raw: RawErrors = figure("Errors and time.")
    quality: GenerativeTable = figure(
        "Discrepancy, and what becomes of the samples, beside samplers without training."
    )
    temperatures: tuple[AtTemperature, ...] = figure("Effect of the base's spread.")
    run_times: tuple[RunTime, ...] = figure("Figure 4.")

    @property
    def violations(self) -> Violations:
        """Everything untrue in our own results."""
        return self.quality.violations

    @property
    def reference(self) -> Reference:
        """What coverage and discrepancy are measured against."""
        return self.quality.reference

    @property
    def absent(self) -> dict[str, str]:
        """Why a sampler, or the analytic branches, did not take part."""
        return self.quality.absent


def with_weights(cases: Iterable[ChainCase], sampler: str) -> list[ChainCase]:
    """Return the chains that have weights for a sampler, each canonical chain once.

    Raises:
        InvalidArgumentError: There is none.
    """
    found: dict[str, ChainCase] = {}
    for case in cases:
        try:
            find_weights(sampler, case.chain)
        except MissingWeightsError:
            continue
        found.setdefault(case.chain.fingerprint, case)
    if not found:
        raise InvalidArgumentError(
            "none of these robots has weights; train some: generative-ik train ikflow --help"
        )
    return list(found.values())


def flow_class(sampler: str) -> type[IKFlow]:
    """Return the flow of a name.

    Raises:
        UnknownNameError: There is none.
    """
    kinds = {kind.name: kind for kind in (IKFlow, IKFlowLarge)}
    if sampler not in kinds:
        raise UnknownNameError("flow", sampler, tuple(kinds))
    return kinds[sampler]


def steps(options: Options) -> int:
    """Return how often `reproduce_ikflow` reports progress."""
    return options.poses + len(UNTRAINED) + len(options.temperatures) + len(options.sizes) + 2


def reproduce_ikflow(case: ChainCase, options: Options, on_step: OnStep) -> IKFlowReport:
    """Measure one chain.

    Raises:
        GenerativeIKError: The chain is refused, or there are no usable weights for it.
    """
    seed = options.random_seed
    kind = flow_class(options.sampler)
    flow = kind(case.chain, options.device)
    raw = raw_errors(case, flow, options.error_poses, seed)
    on_step()
    of_samples = generative.Options(
        poses=options.poses,
        samples=MMD_SAMPLES,
        samplers=(*UNTRAINED, options.sampler),
        reference=options.reference,
        random_seed=seed,
    )
    return IKFlowReport(
        chain=case.label,
        sampler=options.sampler,
        dof=case.chain.num_joints,
        parameters=sum(values.size for values in flow.checkpoint.tensors.values()),
        training=dict(flow.checkpoint.training),
        published=TABLE_II.get((case.stem, case.chain.num_joints)),
        raw=raw,
        quality=generative.measure(case, of_samples, on_step),
        temperatures=at_temperatures(
            case, kind, options.device, options.temperatures, of_samples, on_step
        ),
        run_times=run_times(case, flow, options.sizes, seed, on_step),
    )
