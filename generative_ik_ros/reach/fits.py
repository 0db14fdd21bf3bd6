"""The check that a reachability map is one of a given chain."""

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain


def check_fits(reach: ReachabilityMap, chain: KinematicChain) -> None:
    """Check that a map says something about a chain.

    Raises:
        InvalidArgumentError: It is one of another chain, base link or tip link.
    """
    names = "fingerprint", "base_link", "tip_link"
    for name in names:
        of_map, of_chain = getattr(reach, name), getattr(chain, name)
        if of_map != of_chain:
            raise InvalidArgumentError(
                f"the reachability map is of another chain: its {name} is '{of_map}', that of "
                f"'{chain.description.name}' is '{of_chain}'"
            )
