"""What a protocol is: its options, the measurement of one chain, and the tables that show it.

A protocol is one module in `protocols/`, read from top to bottom: what it measures, a dataclass of
options, dataclasses of figures, `measure`, `listings`, and at the end a `Protocol` that names
them. One line in `protocols/registry.py` makes it a command. From the fields of the options come
the options of the command, from the dataclass of figures the JSON file and its reader.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar
from typing import Protocol as Interface

from generative_ik_benchmarks.chains import STANDARD, ChainCase
from generative_ik_benchmarks.peers.registry import check_peers
from generative_ik_benchmarks.protocols.references import QUICK
from generative_ik_benchmarks.seeding import check_samplers
from generative_ik_benchmarks.verification import Violations
from generative_ik_ros.refine.registry import refiner_class

OnStep = Callable[[], None]
"""Called after each step of a measurement, for a progress bar."""


def option(
    default: object,
    help: str,
    *,
    quick: object = None,
    check: Callable[[Any], object] | None = None,
    flag: str = "",
    **limits: float | str,
) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return a field of a protocol's options, from which an option of its command is made.

    Args:
        default: Its value where nothing is said.
        help: What it means, for `--help`.
        quick: Its value where nothing but `--quick` is said; None: the default.
        check: Called with the value before anything is measured; raises where it is misuse.
        flag: How the command calls it, where that is not the field's name.
        limits: `min`, `max` and `metavar`, as typer has them.
    """
    facts = {"help": help, "quick": quick, "check": check, "flag": flag, "limits": limits}
    return field(default=default, metadata=facts)


def sampler_option(default: str = "auto") -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the sampler of our seeds."""
    return option(default, "What proposes our seeds.", check=_check_sampler)


def _check_sampler(name: str) -> None:
    if name != "auto":
        check_samplers([name])


def samplers_option(*default: str) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the samplers that are measured; all where there is no default."""
    help = "Only this sampler, may be given again."
    return option(default, help, check=check_samplers, flag="--sampler")


def peers_option(*default: str) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the solvers beside ours; all where there is no default."""
    help = "Only this solver beside ours, may be given again."
    return option(default, help, check=check_peers, flag="--peer")


def refiner_option() -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the local solver."""
    help = "Local solver; slsqp is that of GGIK's table IV."
    return option("levenberg_marquardt", help, check=refiner_class)


def reference_setting() -> Any:  # noqa: ANN401 (a dataclass field)
    """Return how hard all solutions are looked for: as the chain needs, less with `--quick`."""
    return field(default=None, metadata={"quick": QUICK})


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options that every protocol has."""

    random_seed: int = option(1, "Of poses and solvers.", min=0)


Options = TypeVar("Options", bound=RunOptions)


def options_of(kind: type[Options], given: Mapping[str, Any], *, quick: bool) -> Options:
    """Return options: what is given, else what is quick, else the defaults.

    Args:
        kind: The protocol's dataclass of options.
        given: Values by the names of the fields; None and empty lists say nothing.
        quick: Whether to take the sizes for a first look.

    Raises:
        GenerativeIKError: A value is misuse.
    """
    values: dict[str, Any] = {}
    for each in fields(kind):
        value = given.get(each.name)
        if value is None or value == []:
            value = each.metadata.get("quick") if quick else None
        if value is not None:
            values[each.name] = tuple(value) if isinstance(value, list) else value
    options = kind(**values)
    for each in fields(kind):
        check = each.metadata.get("check")
        if check is not None:
            check(getattr(options, each.name))
    return options


class Table(Interface):
    """What one chain's table of every protocol has.

    Protocols that measure against reference sets also have `reference`, and those where samplers
    or solvers may be missing have `absent`.
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


@dataclass(frozen=True)
class Protocol(Generic[Options, AnyTable]):
    """A protocol.

    Attributes:
        options: Its dataclass of options.
        table: Its dataclass of one chain's figures.
        measure: Measures one chain.
        listings: Shows the tables of any number of chains; text goes between printed tables.
        steps: How often `measure` calls its last argument.
        robots: The chains that it runs on where none is named.
        items: What is measured one after the other, where that is not the chains themselves.
        plot: Draws tables into a folder and returns the files; None: there is no picture.
    """

    options: type[Options]
    table: type[AnyTable]
    measure: Callable[[Any, Options, OnStep], AnyTable]
    listings: Callable[[Sequence[AnyTable]], Iterable[Listing | str]]
    steps: Callable[[Options], int]
    robots: Sequence[str] = STANDARD
    items: Callable[[Sequence[ChainCase], Options], Sequence[Any]] = lambda cases, _: cases
    plot: Callable[[Sequence[AnyTable], Path], Iterable[Path]] | None = None
