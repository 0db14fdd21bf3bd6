"""MoveIt's allowed collision matrix: which pairs of links and objects are not checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from generative_ik_ros.errors import InvalidArgumentError


@dataclass(frozen=True)
class AllowedCollisions:
    """Pairs that may touch or must not, and defaults for the pairs that it does not name.

    Attributes:
        entries: Whether a pair of names may touch.
        defaults: Whether a name may touch what it has no entry with.
    """

    entries: Mapping[frozenset[str], bool] = field(default_factory=dict)
    defaults: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def read(cls, message: Any) -> "AllowedCollisions":  # noqa: ANN401 (any such message)
        """Read a moveit_msgs/AllowedCollisionMatrix, of which the upper triangle counts.

        Raises:
            InvalidArgumentError: Names and values do not match.
        """
        names, rows = list(message.entry_names), list(message.entry_values)
        known, values = list(message.default_entry_names), list(message.default_entry_values)
        if len(names) != len(rows) or len(known) != len(values):
            raise InvalidArgumentError(
                f"the allowed collision matrix has {len(names)} names for {len(rows)} rows and "
                f"{len(known)} names for {len(values)} defaults"
            )
        entries = {}
        for i, (name, row) in enumerate(zip(names, rows, strict=True)):
            enabled = list(row.enabled)
            if len(enabled) != len(names):
                raise InvalidArgumentError(
                    f"the allowed collision matrix has {len(enabled)} values in the row of "
                    f"'{name}', not {len(names)}"
                )
            for other, value in zip(names[i + 1 :], enabled[i + 1 :], strict=True):
                entries[frozenset((name, other))] = bool(value)
        return cls(entries, dict(zip(known, map(bool, values), strict=True)))

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.entries or self.defaults)

    def allows(self, one: str, other: str) -> bool:
        """Say whether two may touch: by their entry, else if each that has a default may."""
        entry = self.entries.get(frozenset((one, other)))
        if entry is not None:
            return entry
        defaults = [self.defaults[name] for name in (one, other) if name in self.defaults]
        return bool(defaults) and all(defaults)

    def allowed_pairs(self, names: Iterable[str]) -> frozenset[frozenset[str]]:
        """Return the pairs of different names that may touch."""
        names = list(dict.fromkeys(names))
        return frozenset(
            frozenset((one, other))
            for i, one in enumerate(names)
            for other in names[i + 1 :]
            if self.allows(one, other)
        )

    def without(self, names: Iterable[str]) -> "AllowedCollisions":
        """Return it without the entries of names; defaults stay, as in MoveIt."""
        gone = set(names)
        if not any(gone & pair for pair in self.entries):
            return self
        left = {pair: value for pair, value in self.entries.items() if not gone & pair}
        return replace(self, entries=left)
