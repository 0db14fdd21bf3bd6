"""Exceptions and warnings about misuse; their messages name the mistake and the valid choices."""

import reprlib
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_PACKAGE = f"{__package__}."


def short(text: str, length: int = 60) -> str:
    """Cut a text that an error message quotes."""
    return text if len(text) <= length else text[: length - 3] + "..."


class _Shown(reprlib.Repr):
    """Writes values in one line, cut; arrays by their first numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_ndarray(self, x: Any, level: int) -> str:  # noqa: ANN401 (numpy is not imported)
        if x.ndim == 0:
            return f"array({x.item()!r})"
        numbers = [repr(one) for one in x.reshape(-1)[:6].tolist()]
        if x.size > 6:
            numbers.append("...")
        shape = f", shape={x.shape}" if x.size > 6 or x.ndim > 1 else ""
        return f"array([{', '.join(numbers)}]{shape})"

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write larger ones.
        return super().repr_int(x, level) if abs(x) < 10**100 else "a whole number beyond 1e100"

    def repr_instance(self, x: object, level: int) -> str:
        return short(" ".join(super().repr_instance(x, level).split()))


_SHOWN = _Shown()


def shown(value: object) -> str:
    """Quote a value that an error message tells of: in one line, whatever it is."""
    return " ".join(_SHOWN.repr(value).split())


def listed(names: Iterable[str], most: int = 40) -> str:
    """Write names as a comma separated list, and how many more there are after `most`.

    A robot can have thousands of links.
    """
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(short, names[:most])) + more


class GenerativeIKError(Exception):
    """Root of every exception that misuse of this package raises."""

    def __reduce__(self) -> tuple[Callable, tuple]:
        """Pickle message and attributes; by default `__init__` would be called with the message.

        A process pool waits for ever for an error that cannot be unpickled.
        """
        return _rebuilt, (type(self), self.args, vars(self))


def _rebuilt(kind: type[Exception], args: tuple, attributes: dict) -> Exception:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class GenerativeIKWarning(UserWarning):
    """Input that is accepted, though it is probably not what was meant."""


def warn_caller(text: str) -> None:
    """Warn of input in the line that called this package, however deep inside it this is."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, GenerativeIKWarning, stacklevel=level)


class RobotDescriptionError(GenerativeIKError, ValueError):
    """The robot description cannot be read or does not describe a usable robot."""


class InvalidTargetError(GenerativeIKError, ValueError):
    """A target pose is no rigid transform: wrong shape, NaN, zero quaternion, no rotation."""


class InvalidArgumentError(GenerativeIKError, ValueError):
    """An argument is outside its range or has the wrong shape or type."""


class UnsupportedChainError(GenerativeIKError, ValueError):
    """The request is not supported for this chain or tree; the message says what is."""


class CopyError(GenerativeIKError, TypeError):
    """An object that cannot be copied or pickled was."""


class MissingDependencyError(GenerativeIKError, ImportError):
    """The request needs a package that is not installed; the message says what to install."""


@contextmanager
def importing(need: str, install: str) -> Iterator[None]:
    """Raise a MissingDependencyError where an import fails.

    Args:
        need: What needs which package, as the error's first words.
        install: What pip installs.
    """
    try:
        yield
    except ImportError as error:
        raise MissingDependencyError(
            f"{need}, which is not installed: pip install {install}"
        ) from error


class UnknownNameError(GenerativeIKError, LookupError):
    """A name was given that does not exist; the message lists those that do.

    Args:
        kind: What was looked up, in the singular ("sampler", "link").
        name: The name that was given.
        choices: The names that exist.
    """

    def __init__(self, kind: str, name: object, choices: Iterable[str]):
        """Write the message from the name and the choices."""
        self.kind, self.name, self.choices = kind, name, tuple(choices)
        if isinstance(name, str):
            # In one line; blanks are kept, for they may be what is wrong.
            given = short("".join(each if each.isprintable() else " " for each in name))
        else:
            given = shown(name)
        super().__init__(
            f"unknown {kind} '{given}'; choose from: {listed(self.choices) or 'none'}"
        )


def check_names(kind: str, names: Iterable[str], choices: Collection[str]) -> None:
    """Check that names are known ones.

    Raises:
        UnknownNameError: One is not; the message lists the choices in their order.
    """
    for name in names:
        # Others may not even be comparable, or hashable.
        if not isinstance(name, str) or name not in choices:
            raise UnknownNameError(kind, name, choices)


class AmbiguousChainError(RobotDescriptionError):
    """The robot has several candidate base or tip links and none was chosen."""


class ClosedLoopError(RobotDescriptionError):
    """Closed loops couple joints of the requested chain; use a `KinematicTree` instead."""
