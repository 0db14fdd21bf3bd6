"""`generative-ik reproduce ikflow`: options come in, IKFlow's table II and figure 4 go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    Quick,
    Robot,
    RobotsDir,
    Seed,
    finish,
    over_chains,
    prepare,
    print_absent,
    print_references,
    robots_of,
)
from generative_ik_benchmarks.text import number, percent
from generative_ik_ros.cli.options import MaybeCount, MaybeCounts, MaybeNumbers, MaybePath
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generative_ik_benchmarks.reproduce.ikflow import IKFlowReport


def ikflow_command(
    robots_dir: RobotsDir = None,
    robot: Robot = None,
    poses: Annotated[
        MaybeCount,
        typer.Option(min=1, help="Poses for MMD, coverage and temperature; 50 or 4."),
    ] = None,
    error_poses: Annotated[
        MaybeCount, typer.Option(min=1, help="Poses for errors; 1000 (as the paper) or 50.")
    ] = None,
    temperature: Annotated[
        MaybeNumbers, typer.Option(min=0.0, help="Spread of the base, again for more.")
    ] = None,
    size: Annotated[
        MaybeCounts, typer.Option(min=1, help="Samples to time, again for more.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where the flow runs: cpu or cuda.")] = "cpu",
    plot: Annotated[
        MaybePath, typer.Option(metavar="FILE", help="Draw figure 4 and the temperature's effect.")
    ] = None,
    random_seed: Seed = 1,
    quick: Quick = False,
    json_file: Json = None,
) -> None:
    """IKFlow (arXiv 2111.08933), for every robot that has weights: table II and figure 4.

    Beside the paper: what the samples become when they are made exact, the same figures for
    samplers without training, and what the temperature does.
    """
    prepare(json_file, ["ikflow"])
    from generative_ik_benchmarks.cli.reproduce.ikflow_plot import figure_4
    from generative_ik_benchmarks.protocols.references import QUICK
    from generative_ik_benchmarks.reproduce.ikflow import (
        SIZES,
        TEMPERATURES,
        reproduce_ikflow,
        steps_of,
        with_weights,
    )
    from generative_ik_ros.cli.plot import check_plot_path

    if plot is not None:
        check_plot_path(plot)
    wanted = ["all"] if robots_dir is not None and not robot else robot
    cases = with_weights(robots_of(robots_dir, wanted))
    if not cases:
        raise InvalidArgumentError(
            "none of these robots has weights; train some: generative-ik train ikflow --help"
        )
    count = poses or (4 if quick else 50)
    temperatures = tuple(temperature or ((0.5, 1.0) if quick else TEMPERATURES))
    sizes = tuple(size or ((1, 100) if quick else SIZES))
    reports, refused = over_chains(
        cases,
        steps_of(count, temperatures, sizes),
        lambda case, step: reproduce_ikflow(
            case,
            poses=count,
            error_poses=error_poses or (50 if quick else 1000),
            temperatures=temperatures,
            sizes=sizes,
            reference=QUICK if quick else None,
            device=device,
            seed=random_seed,
            on_step=step,
        ),
    )
    if plot is not None:
        figure_4(reports).savefig(plot, dpi=120)
    if json_file != "-":
        _print(reports)
        print_absent([(one.chain, one.quality.absent) for one in reports], refused)
        if plot is not None:
            typer.echo(f"wrote {plot}")
    faults = sum(one.quality.violations.total for one in reports)
    finish(json_file, {"paper": "IKFlow", "reports": reports, "refused": refused}, faults)


def _print(reports: "Sequence[IKFlowReport]") -> None:
    _print_table_two(reports)
    _print_refined(reports)
    print_references({one.chain: one.quality.reference for one in reports})
    _print_temperatures(reports)
    _print_run_times(reports)


def _print_table_two(reports: "Sequence[IKFlowReport]") -> None:
    from generative_ik_ros.cli.console import print_table

    rows = []
    for one in reports:
        mmd = {row.sampler: row.raw.mmd for row in one.quality.rows}
        flow, raw = mmd.pop("ikflow"), one.raw
        rows.append(
            (
                one.chain, str(one.dof), f"{one.parameters:,}",
                _mmd(flow), number(raw.milliseconds),
                number(raw.position_mm), number(raw.orientation_deg),
            )
        )  # fmt: skip
        rows.append(("- medians", *["-"] * 4, number(raw.position_median_mm),
                     number(raw.orientation_median_deg)))  # fmt: skip
        paper = one.published
        if paper is not None:
            rows.append(
                (f"- published: {paper.name}", str(one.dof), "-", _mmd(paper.mmd),
                 number(paper.milliseconds), number(paper.position_mm),
                 number(paper.orientation_deg))
            )  # fmt: skip
        for name, value in mmd.items():
            rows.append((f"- {name} draws of the joint box", *["-"] * 2, _mmd(value),
                         *["-"] * 3))  # fmt: skip
        rows.append(("- the solution set itself", *["-"] * 2, _mmd(one.quality.mmd_floor),
                     *["-"] * 3))  # fmt: skip
    print_table(
        "Table II: raw samples. MMD of 250 a pose with the kernel of the authors' code (the "
        "paper gives none): only its distance from that of uniform draws, which are no solutions, "
        "means something. ms: 100 samples of one pose, asked for alone. mm, deg: mean errors.",
        ("chain", "joints", "parameters", "MMD", "ms", "mm", "deg"),
        rows,
    )


def _print_refined(reports: "Sequence[IKFlowReport]") -> None:
    from generative_ik_ros.cli.console import print_table

    rows = []
    for one in reports:
        for row in one.quality.rows:
            refined = row.refined
            rows.append(
                (
                    one.chain,
                    row.sampler,
                    percent(refined.converged),
                    f"{refined.iterations:.1f}",
                    f"{refined.distinct:.1f}",
                    f"{refined.distinct_per_second / 1e3:.1f}",
                    percent(refined.coverage),
                    percent(refined.branch_recall),
                )
            )
    samples = reports[0].quality.samples if reports else 0
    print_table(
        f"After the local solver: {samples} samples of a pose refined to 1e-5 m and 1e-5 rad. "
        "distinct/ms: of the time of sampling and refining.",
        ("chain", "sampler", "converged %", "iterations", "distinct", "distinct/ms",
         "coverage %", "branches %"),
        rows,
    )  # fmt: skip


def _print_temperatures(reports: "Sequence[IKFlowReport]") -> None:
    from generative_ik_ros.cli.console import print_table

    rows = []
    for one in reports:
        for at in one.temperatures:
            rows.append(
                (
                    one.chain,
                    f"{at.temperature:g}",
                    number(at.position_mm),
                    number(at.orientation_deg),
                    percent(at.converged),
                    f"{at.distinct:.1f}",
                    percent(at.coverage),
                )
            )
    print_table(
        "Temperature: 100 samples of a pose, raw errors, then what they become.",
        ("chain", "temperature", "mm", "deg", "converged %", "distinct", "coverage %"),
        rows,
    )


def _print_run_times(reports: "Sequence[IKFlowReport]") -> None:
    from generative_ik_benchmarks.reproduce.ikflow_published import FIGURE_4
    from generative_ik_ros.cli.console import print_table

    rows = [
        (one.chain, str(run.samples), run.contestant, f"{run.mean:.3g} ({run.deviation:.2g})",
         f"{run.found:.0f}")
        for one in reports
        for run in one.run_times
    ]  # fmt: skip
    print_table(
        "Figure 4: time of so many samples of a pose, mean (deviation).",
        ("chain", "samples", "contestant", "ms", "found"),
        rows,
    )
    published = "; ".join(
        f"{name}: {samples} in about {ms:g} ms" for name, (samples, ms) in FIGURE_4.items()
    )
    print(f"published, ATLAS: {published}")


def _mmd(value: float) -> str:
    """Return a discrepancy; a dash where a pose has one solution, which has no spread."""
    return "-" if value != value else f"{value:.4f}"
