"""What a protocol is: its options, the measurement of one chain, and the tables that show it.

A protocol is one module in `protocols/`, read from top to bottom: what it measures, a dataclass of
options, dataclasses of `figure`s, `measure`, `listings`, and at the end a `Protocol` that names
them. One line in `protocols/registry.py` makes it a command. From the fields of the options come
the options of the command, from the dataclass of figures the JSON file and its reader.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from typing import Protocol as Interface

from generative_ik_benchmarks.chains import STANDARD, ChainCase
from generative_ik_benchmarks.figure import figure
from generative_ik_benchmarks.options import RunOptions
from generative_ik_benchmarks.verification import Violations

Options = TypeVar("Options", bound=RunOptions)
OnStep = Callable[[], None]
"""Called after each step of a measurement, for a progress bar."""
PERCENT = 100
"""Steps of a protocol that tells what share of it is done, by `in_percent`."""


class Table(Interface):
    """What the tables of all protocols have.

    Those that are measured against reference sets also have `reference`.
    """

    @property
    def chain(self) -> str:
        """The chain's label."""
        ...

    @property
    def violations(self) -> Violations:
        """Everything untrue in our own results."""
        ...


AnyTable = TypeVar("AnyTable", bound=Table)


@dataclass(frozen=True, kw_only=True)
class ChainTable:
    """What most protocols say about one chain."""

    chain: str = figure("Its label.")
    dof: int = figure("Joints to choose.")
    absent: dict[str, str] = figure("Why solvers or samplers did not take part, by name.")


@dataclass(frozen=True)
class PartOf:
    """One part of a protocol on one robot: what is measured one after the other."""

    part: str
    case: Any

    @property
    def label(self) -> str:
        """For the progress bar."""
        return f"{self.part}, {self.case.robot}"


@dataclass(frozen=True)
class Listing:
    """A table to print.

    Attributes:
        heading: The line above it.
        columns: The head of each column, and the function that makes its cell from a row.
        rows: The arguments of these functions.
    """

    heading: str
    columns: Sequence[tuple[str, Callable[..., str]]]
    rows: Sequence[tuple[Any, ...]]

    @property
    def heads(self) -> list[str]:
        """The heads of the columns."""
        return [head for head, _ in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The cells, row by row."""
        return [[cell(*row) for _, cell in self.columns] for row in self.rows]


def percent_steps(_: RunOptions) -> int:
    """Return the steps of such a protocol."""
    return PERCENT


def in_percent(on_step: OnStep) -> Callable[[float], None]:
    """Return what is to be called with the share that is done, in a protocol of 100 steps."""
    done = 0

    def on_share(share: float) -> None:
        nonlocal done
        while done < int(PERCENT * share):
            done += 1
            on_step()

    return on_share


def text_listing(heading: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Listing:
    """Return a table whose cells are text already."""
    columns = [(head, lambda *cells, i=i: cells[i]) for i, head in enumerate(heads)]
    return Listing(heading, columns, [tuple(row) for row in rows])


def each_row(tables: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return pairs of a table and a row of it."""
    return [(table, row) for table in tables for row in table.rows]


def solver_columns(
    name: str, texts: Sequence[tuple[str, Callable[[Any], str]]]
) -> list[tuple[str, Callable[..., str]]]:
    """Return the columns of one solver, whose name stands in the head of the first.

    Args:
        name: The solver's.
        texts: The head of each column, and what its cell says of the solver's figures.

    Returns:
        Columns for rows of a table and its figures by solver; a dash where there are none.
    """

    def column(head: str, text: Callable[[Any], str]) -> tuple[str, Callable[..., str]]:
        return head, lambda _, figures: text(figures[name]) if name in figures else "-"

    (first, text), *others = texts
    return [column(f"{name}: {first}", text), *(column(*one) for one in others)]


def _poses(options: Any) -> int:  # noqa: ANN401 (options with poses)
    return options.poses


@dataclass(frozen=True)
class Protocol(Generic[Options, AnyTable]):
    """A protocol.

    Attributes:
        options: Its dataclass of options.
        table: Its dataclass of one chain's figures.
        measure: Measures one chain.
        listings: Shows the tables of any number of chains; text goes between printed tables.
        steps: How often `measure` calls its last argument; once a pose where nothing is said.
        robots: The chains that it runs on where none is named.
        items: What is measured one after the other, where that is not the chains themselves.
        plot: Draws tables into a folder and returns the files; None: there is no picture.
    """

    options: type[Options]
    table: type[AnyTable]
    measure: Callable[[Any, Options, OnStep], AnyTable]
    listings: Callable[[Sequence[AnyTable]], Iterable[Listing | str]]
    steps: Callable[[Options], int] = _poses
    robots: Sequence[str] = STANDARD
    items: Callable[[Sequence[ChainCase], Options], Sequence[Any]] = lambda cases, _: cases
    plot: Callable[[Sequence[AnyTable], Path], Iterable[Path]] | None = None
