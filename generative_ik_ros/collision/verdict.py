"""What the check by spheres says of a configuration."""

from enum import IntEnum


class Verdict(IntEnum):
    """Whether a configuration collides, as far as spheres can tell; the worse, the greater."""

    FREE = 0
    """Spheres that contain the links are clear of everything."""
    UNDECIDED = 1
    """They are not, but nothing is known to touch."""
    INSIDE = 2
    """Spheres inside two parts touch, but one part may be wholly inside the other's surface."""
    COLLIDING = 3
    """Spheres inside two parts touch, and so do the parts' surfaces."""
