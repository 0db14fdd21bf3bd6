"""Options that verbs share: a NamedTuple as one parameter of a verb."""

from typing import Annotated, NamedTuple, Optional

import typer
from typer.testing import CliRunner

from generative_ik_ros.cli.groups import with_groups


class _Paint(NamedTuple):
    color: Annotated[str, typer.Option(help="Of the robot.")] = "orange"
    coats: Annotated[Optional[list[int]], typer.Option("--coat", "-c")] = None  # noqa: UP045


@with_groups
def _verb(*, name: Annotated[str, typer.Option()], paint: _Paint, dry: bool = False) -> None:
    """Paint it."""
    typer.echo(f"{name} {paint.color} {paint.coats or []} {dry} {type(paint).__name__}")


def _run(*words: str) -> str:
    app = typer.Typer()
    app.command()(_verb)
    result = CliRunner().invoke(app, words)
    return result.output


def test_the_fields_of_a_group_are_options():
    """They keep their names, types and defaults, and come as the tuple."""
    given = _run("--name", "arm", "--color", "grey", "--coat", "1", "-c", "2", "--dry")
    assert given.strip() == "arm grey [1, 2] True _Paint"
    assert _run("--name", "arm").strip() == "arm orange [] False _Paint"


def test_help_names_them_in_the_place_of_the_group():
    """Between the options around it, with the docstring of the verb."""
    text = _run("--help")
    places = [text.index(word) for word in ("Paint it", "--name", "--color", "--coat", "--dry")]
    assert places == sorted(places)
    assert "Of the robot." in text


def test_a_wrong_word_is_refused_as_ever():
    """Types are checked by typer."""
    assert "Invalid value for '--coat'" in _run("--name", "arm", "--coat", "thick")
