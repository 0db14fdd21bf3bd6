"""Formatting of log messages as single, machine-readable lines."""

import json
import math

from generative_ik_ros.errors import GenerativeIKError


def log_line(event: str, **fields: object) -> str:
    """Return `event=NAME key=value ...`; values with spaces or quotes become JSON strings.

    Numbers have six significant digits; a field that is None or NaN is omitted.

    Args:
        event: Name of the event, one word.
        **fields: Values to log, in this order.
    """
    pairs = {"event": event, **{key: value for key, value in fields.items() if _known(value)}}
    return " ".join(f"{key}={_text(value)}" for key, value in pairs.items())


def one_line(text: str, longest: int = 4000) -> str:
    """Return text that may contain client input as a single line, cut to a length [characters].

    An error message lists up to forty names.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:longest]).split())
    return line if len(text) <= longest else line + "..."


def error_line(error: Exception) -> str:
    """Return an error as a single line, which names its type if it is not one of this package."""
    expected = isinstance(error, GenerativeIKError)
    return one_line(str(error) if expected else f"{type(error).__name__}: {error}")


def _known(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _text(value: object) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    plain = text and text.isprintable() and not any(c in ' "=\\' for c in text)
    return text if plain else json.dumps(text)
