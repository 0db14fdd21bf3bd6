"""Options that several verbs share, as one parameter of each verb."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """Let a parameter whose type is a NamedTuple stand for the options that are its fields.

    Typer reads one option from each parameter of a function. It is given a function with the
    fields of such parameters in their places, which makes the tuples of what it is called with.
    Fields are annotated as parameters of a verb are.

    Args:
        verb: A function with keyword parameters, some of which are groups.

    Returns:
        A function with the same docstring, a parameter for each option.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups = {name: one for name, one in hints.items() if hasattr(one, "_fields")}

    @functools.wraps(verb)
    def command(**given: Any) -> None:  # noqa: ANN401 (each option has a type of its own)
        for name, group in groups.items():
            fields = [field for field in group._fields if field in given]
            given[name] = group(**{field: given.pop(field) for field in fields})
        verb(**given)

    parameters = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            parameters += _options(groups[name])
        else:
            parameters.append(_option(name, hints[name], parameter.default))
    # Typer asks for the signature in one release, for the annotations in another.
    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    del command.__wrapped__
    return command


def _options(group: Any) -> list[inspect.Parameter]:  # noqa: ANN401 (a class of NamedTuple)
    """Return the parameters that stand for a group."""
    hints = get_type_hints(group, include_extras=True)
    absent, defaults = inspect.Parameter.empty, group._field_defaults
    return [_option(name, hints[name], defaults.get(name, absent)) for name in group._fields]


def _option(name: str, hint: object, default: object) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)
