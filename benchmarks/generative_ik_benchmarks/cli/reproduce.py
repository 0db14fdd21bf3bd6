"""`generative-ik reproduce`: a command for each paper whose tables are measured."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from generative_ik_benchmarks.cli.common import (
    check_folder,
    finish,
    over_chains,
    prepare,
    progress,
    show,
)
from generative_ik_benchmarks.cli.lazy import LazyGroup

if TYPE_CHECKING:
    from generative_ik_benchmarks.chains import ChainCase
    from generative_ik_benchmarks.reproduce import ggik, ikflow


class _PaperGroup(LazyGroup):
    """A command for each paper whose options are a dataclass."""

    purposes = {
        "distal": "Distal teaching (von Oehsen et al., 2020): experiments a to f on three "
        "mechanisms.\n\nNets are trained when they are first needed and kept. Beside the paper: "
        "our solver in every table, paths that it has to follow without a jump, poses that it "
        "has to reject.",
        "ggik": "GGIK (arXiv 2209.08812), with the models at hand: its tables and figures 4 to 8."
        "\n\nModels that were trained on a robot are measured on it (tables I and II), one that "
        "was trained on random arms on all (table III). Errors are those of raw samples inside "
        "the limits. Table IV is of the model that the sampler takes.",
        "ikflow": "IKFlow (arXiv 2111.08933), for every robot that has weights: table II and "
        "figure 4.\n\nBeside the paper: what the samples become when they are refined, the same "
        "figures for samplers without training, and what the temperature does.",
    }

    @staticmethod
    def make(name: str) -> Callable[..., None]:
        """Return the function of a paper's command."""
        return {"distal": _distal, "ggik": _ggik, "ikflow": _ikflow}[name]()


app = typer.Typer(cls=_PaperGroup, help="Measure what a paper measured, beside what it published.")


@app.callback()
def _group() -> None:
    """Keep the paper's name a word of its own, also while there is only one."""


def _distal() -> Callable[..., None]:
    from generative_ik_ros.learned.training.device import chosen_device, require_torch

    require_torch()
    from generative_ik_benchmarks.cli.arguments import command_of
    from generative_ik_benchmarks.options import options_of
    from generative_ik_benchmarks.plots.distal import draw_distal
    from generative_ik_benchmarks.reference.cache import reference_folder
    from generative_ik_benchmarks.reproduce.distal import Options, reproduce_distal
    from generative_ik_benchmarks.reproduce.distal_tables import listings
    from generative_ik_benchmarks.reproduce.distal_training import NetFolder
    from generative_ik_ros.cli.plot import check_plot_path

    def run(*, quick: bool, json_file: str | None, **given: Any) -> None:  # noqa: ANN401
        """Train nets, measure, print the tables, draw, and write the JSON."""
        prepare(json_file)
        options = options_of(Options, given, quick=quick)
        if options.plots is not None:
            check_folder(options.plots)
            check_plot_path(options.plots / "distal-errors.png")
        nets = NetFolder(
            options.nets or reference_folder().parent / "distal",
            options.effort * options.steps,
            options.random_seed,
            chosen_device(options.device),
            _say,
        )
        report = reproduce_distal(options, nets, _say)
        if options.plots is not None:
            files = draw_distal(report, options, nets, options.plots)
            _say(f"wrote {', '.join(str(file) for file in files)}")
        if json_file != "-":
            show(listings(report), report.closest)
        facts = {"paper": "distal teaching", "options": options, "report": report}
        finish(json_file, facts, report.false_results)

    return command_of(Options, run, robots=False)


def _say(text: str) -> None:
    """Write a line of progress on stderr."""
    print(text, file=sys.stderr, flush=True)


def _ggik() -> Callable[..., None]:
    from generative_ik_benchmarks.cli.arguments import paper_command
    from generative_ik_benchmarks.plots.ggik import figures_4_to_8
    from generative_ik_benchmarks.reproduce.ggik import Options, reproduce_ggik
    from generative_ik_benchmarks.reproduce.ggik_models import models_at_hand
    from generative_ik_benchmarks.reproduce.ggik_published import ROBOTS
    from generative_ik_benchmarks.reproduce.ggik_tables import listings

    def run(options: "ggik.Options", cases: "list[ChainCase]", json_file: str | None) -> None:
        """Measure, print the tables, draw, and write the JSON."""
        models = models_at_hand(options.weights)
        with progress() as bar:
            task = bar.add_task("GGIK", total=None)
            report = reproduce_ggik(
                cases,
                models,
                options,
                lambda what, done, total: bar.update(
                    task, description=what, completed=done, total=total
                ),
            )
        if json_file != "-":
            show(listings(report))
            for solver, why in report.absent.items():
                typer.echo(f"absent: {solver}: {why}")
        if options.plot is not None:
            figures_4_to_8(report).savefig(options.plot, dpi=110)
            typer.echo(f"wrote {options.plot}", err=json_file == "-")
        finish(json_file, {"paper": "GGIK", **vars(report)}, 0)

    return paper_command(Options, "ggik", run, ROBOTS)


def _ikflow() -> Callable[..., None]:
    from generative_ik_benchmarks.cli.arguments import paper_command
    from generative_ik_benchmarks.plots.ikflow import figure_4
    from generative_ik_benchmarks.reproduce.ikflow import (
        Options,
        flow_class,
        reproduce_ikflow,
        steps,
        with_weights,
    )
    from generative_ik_benchmarks.reproduce.ikflow_tables import listings

    def run(options: "ikflow.Options", cases: "list[ChainCase]", json_file: str | None) -> None:
        """Measure chain after chain, print the tables, draw, and write the JSON."""
        flow_class(options.sampler)
        reports, refused = over_chains(
            cases,
            steps(options),
            lambda case, on_step: reproduce_ikflow(case, options, on_step),
            lambda several: with_weights(several, options.sampler),
        )
        if json_file != "-":
            show(listings(reports), reports, refused)
        if options.plot is not None:
            figure_4(reports).savefig(options.plot, dpi=120)
            typer.echo(f"wrote {options.plot}", err=json_file == "-")
        facts = {"paper": "IKFlow", "reports": reports, "refused": refused}
        finish(json_file, facts, sum(one.violations.total for one in reports))

    return paper_command(Options, "ikflow", run)
