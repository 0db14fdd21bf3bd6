"""`generative-ik reproduce`: a command for each paper whose tables are measured."""

from collections.abc import Callable
from importlib import import_module

import typer

from generative_ik_benchmarks.cli.lazy import LazyGroup


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
        return import_module(f"{__name__}.{name}").command()


app = typer.Typer(cls=_PaperGroup, help="Measure what a paper measured, beside what it published.")


@app.callback()
def _group() -> None:
    """Keep the paper's name a word of its own, also while there is only one."""
