"""Chains and weights come in, papers' tables with our rows go out: one file a paper."""

import typer

from generative_ik_benchmarks.cli.reproduce import distal, ggik, ikflow

app = typer.Typer(help="Measure what a paper measured, beside what it published.")
app.command("distal")(distal.distal_command)
app.command("ggik")(ggik.ggik_command)
app.command("ikflow")(ikflow.ikflow_command)


@app.callback()
def _group() -> None:
    """Keep the paper's name a word of its own, also while there is only one."""
