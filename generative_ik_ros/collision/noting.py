"""Errors about parts of a message, each of which becomes a line."""

from generative_ik_ros.errors import GenerativeIKError


class Noting:
    """A context that turns an error about a part of a message into a line; the rest counts.

    Args:
        what: The part.
        faults: Takes the line.
    """

    def __init__(self, what: str, faults: list[str]):
        """Remember where the line goes."""
        self._what, self._faults = what, faults

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: object, __: object) -> bool:
        if isinstance(error, GenerativeIKError):
            self._faults.append(f"{self._what} is refused: {error}")
            return True
        return False
