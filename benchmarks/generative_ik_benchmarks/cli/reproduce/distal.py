"""`generative-ik reproduce distal`: the experiments of the paper on distal teaching."""

import sys
from collections.abc import Callable
from typing import Any

from generative_ik_benchmarks.cli.arguments import command_of
from generative_ik_benchmarks.cli.common import check_folder, finish, prepare, show
from generative_ik_benchmarks.options import options_of
from generative_ik_ros.cli.plot import check_plot_path
from generative_ik_ros.learned.training.device import chosen_device, require_torch


def command() -> Callable[..., None]:
    """Return the function of the command."""
    require_torch()
    from generative_ik_benchmarks.reproduce.distal import Options

    return command_of(Options, _run, robots=False)


def _run(*, quick: bool, json_file: str | None, **given: Any) -> None:  # noqa: ANN401
    """Train nets, measure, print the tables, draw, and write the JSON."""
    from generative_ik_benchmarks.plots.distal import draw_distal
    from generative_ik_benchmarks.reference.cache import reference_folder
    from generative_ik_benchmarks.reproduce.distal import Options, reproduce_distal
    from generative_ik_benchmarks.reproduce.distal_tables import listings
    from generative_ik_benchmarks.reproduce.distal_training import NetFolder

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


def _say(text: str) -> None:
    """Write a line of progress on stderr."""
    print(text, file=sys.stderr, flush=True)
