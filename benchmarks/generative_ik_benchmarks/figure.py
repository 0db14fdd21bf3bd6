"""A figure of a table: a field of a dataclass, with what it means and its unit beside it."""

from dataclasses import field
from typing import Any


def figure(meaning: str, **default: Any) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return a field of a dataclass of figures.

    Args:
        meaning: What it is, with the unit in brackets; `make compare` compares the times.
        default: `default` or `default_factory`, as `dataclasses.field` has them.
    """
    return field(metadata={"meaning": meaning}, **default)
