"""What a distal net is made of in, the same checked and as JSON out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

POSE_INPUTS = ("quaternion", "6d", "cylindrical")
_MOST = {"joints": 256, "members": 256, "hidden": 1 << 14, "layers": 64}
"""No size in a configuration is above this: a corrupt file must not ask for all the memory."""


@dataclass(frozen=True)
class DistalConfig:
    """Everything that decides a net's shape and meaning, besides its weights.

    Attributes:
        joints: Number n of joints.
        members: Number M of nets that are trained side by side from different first weights, each
            with its one configuration a pose; 1 as in the paper.
        hidden: Width of the hidden layers.
        layers: Their number.
        pose_input: How the pose is given: "quaternion" as in the paper, "6d" or "cylindrical",
            see samplers/ikflow/pose_features.py.
        position_scale: Length that positions are divided by [m].
    """

    joints: int
    members: int = 1
    hidden: int = 256
    layers: int = 3
    pose_input: str = "cylindrical"
    position_scale: float = 1.0

    def __post_init__(self):
        """Refuse what no net can be made of.

        Raises:
            UnknownNameError: `pose_input` is none of its choices.
            InvalidArgumentError: A size is out of its range.
        """
        if self.pose_input not in POSE_INPUTS:
            raise UnknownNameError("pose input", self.pose_input, POSE_INPUTS)
        for name, most in _MOST.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InvalidArgumentError(f"{name} must be from 1 to {most}, not {value!r}")
        if not 1e-6 <= self.position_scale <= 1e6:
            raise InvalidArgumentError(
                f"position_scale must be from 1e-6 to 1e6, not {self.position_scale!r}"
            )

    def as_json(self) -> dict[str, object]:
        """Return the configuration as JSON knows it."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, object]) -> "DistalConfig":
        """Read a configuration back.

        Raises:
            InvalidArgumentError: Keys are missing or unknown, or a value has the wrong type.
        """
        names = {field.name for field in fields(cls)}
        if set(content) != names:
            odd = sorted(names.symmetric_difference(content))
            raise InvalidArgumentError(f"missing or unknown settings: {', '.join(odd)}")
        try:
            return cls(**content)  # pyright: ignore[reportArgumentType]
        except TypeError as error:
            raise InvalidArgumentError(f"a setting has the wrong type: {error}") from None
