"""What a path search returns."""

from dataclasses import dataclass

from generative_ik_ros.array_types import Floats
from generative_ik_ros.solutions import errors_text


@dataclass(frozen=True, eq=False)
class IKPath:
    """A continuous joint path through the first `num_reached` of B poses.

    Attributes:
        joint_names: Names of the n joints, the order of the last axis of `positions`.
        positions: (B, n) joint positions [rad or m]; NaN from pose `num_reached` on. Continuous
            joints run on beyond a turn rather than jump.
        num_reached: Number of poses that the path reaches; B if it is complete.
        position_error: (B,) distance of the tip from each pose, or from the region about it [m],
            NaN as above.
        orientation_error: (B,) angle between tip and pose, or region [rad], NaN as above.
        timed_out: Whether the deadline ended the search. A complete path is valid all the same,
            but a better one might have been found.
        total_time: Time of the call, or until this path was found [s].
        reason: Why the path ends before the last pose; "" if it does not.
        length: Sum over the path's motions of the norm of the joints' motion, each in its unit
            (see `KinematicChain.joint_units`) and times its weight.
        largest_step: Largest motion of a joint from a pose to the next, likewise.
        clearance: No pose of the path is closer to a collision [m]; a lower bound by spheres.
            NaN without a collision model.
        improvements: When a better path was found [s] and what it scored by the objective.
    """

    joint_names: tuple[str, ...]
    positions: Floats
    num_reached: int
    position_error: Floats
    orientation_error: Floats
    timed_out: bool
    total_time: float
    reason: str = ""
    length: float = 0.0
    largest_step: float = 0.0
    clearance: float = float("nan")
    improvements: tuple[tuple[float, float], ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the path reaches every pose."""
        return self.num_reached == len(self.positions)

    def __repr__(self) -> str:
        """Summarise the path in a few lines; the arrays are in the attributes."""
        reached, outcome = self.num_reached, "complete" if self.complete else "incomplete"
        if self.timed_out:
            outcome += ", timed out"
        lines = [
            f"IKPath: {reached} of {len(self.positions)} poses in {1e3 * self.total_time:.2f} ms "
            f"({outcome})",
            f"  joints: {', '.join(self.joint_names)}",
        ]
        if self.reason:
            lines.append(f"  {self.reason}")
        if reached:
            lines.append(
                f"  length: {self.length:.4g}, largest step of a joint: {self.largest_step:.3g}"
            )
            errors = errors_text(self.position_error, self.orientation_error)
            lines.append(f"  errors: at most {errors}")
            if self.clearance == self.clearance:  # noqa: PLR0124 (not NaN)
                lines.append(f"  clearance: at least {1e3 * self.clearance:.3g} mm")
        return "\n".join(lines)
