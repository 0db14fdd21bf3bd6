"""The registry of samplers by name: a new sampler is one file and one line here."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from generative_ik_ros.errors import (
    InvalidArgumentError,
    MissingDependencyError,
    check_names,
)
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closed_form import find_family, find_limbs, find_locked
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.closed_form import ClosedForm

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

_SAMPLERS = {
    "quasi_random": "generative_ik_ros.samplers.quasi_random:QuasiRandom",
    "closed_form": "generative_ik_ros.samplers.closed_form:ClosedForm",
    "uniform": "generative_ik_ros.samplers.uniform:Uniform",
    "capability_map": "generative_ik_ros.samplers.capability_map:CapabilityMap",
    "retrieval": "generative_ik_ros.samplers.retrieval:Retrieval",
    "postures": "generative_ik_ros.samplers.postures:Postures",
    "ikflow": "generative_ik_ros.learned.ikflow.sampler:IKFlow",
    "ikflow_large": "generative_ik_ros.learned.ikflow.sampler:IKFlowLarge",
    "ggik": "generative_ik_ros.learned.ggik.sampler:GGIK",
    "distal": "generative_ik_ros.learned.distal.sampler:Distal",
}

AUTO = "auto"


def sampler_names() -> tuple[str, ...]:
    """Return the names of all samplers."""
    return tuple(_SAMPLERS)


def sampler_class(name: str) -> type[Sampler]:
    """Import and return the sampler of that name.

    "auto" is quasi_random, which no other sampler beats by much in whole calls (docs/results.md),
    unless `make_sampler` finds that the chain has a closed form, or each limb of a tree, or that
    the tree has a floating base.

    Raises:
        UnknownNameError: There is none.
        MissingDependencyError: It needs a package that is not installed.
    """
    check_names("sampler", [name], (AUTO, *_SAMPLERS))
    module, _, attribute = _SAMPLERS["quasi_random" if name == AUTO else name].partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"sampler '{name}' needs {error.name}, which is not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error


def make_sampler(sampler: str | Sampler, chain: KinematicChain, device: str) -> Sampler:
    """Return a sampler for a chain: one of a name, or one that was made before.

    By "auto", models run on the CPU.

    Raises:
        UnknownNameError: There is none of that name.
        MissingDependencyError: It needs a package that is not installed.
        UnsupportedChainError: It is for chains with one tip, and this is a tree.
        InvalidArgumentError: It was made for another chain, or there is no such device for it.
    """
    if isinstance(sampler, Sampler):
        if sampler.chain is not chain:
            raise InvalidArgumentError(f"sampler '{sampler.name}' was made for another chain")
        return sampler
    kind, device = sampler_class(sampler), "cpu" if device == AUTO else device
    tree = None if isinstance(chain, KinematicChain) else cast("KinematicTree", chain)
    if sampler == AUTO and (tree is None or tree.is_chain):
        # A tree of one tip is the chain to it.
        one = chain if tree is None else tree.chains[0]
        if find_family(one) is not None or find_locked(one) is not None:
            return ClosedForm(one, device)
    elif sampler == AUTO and tree is not None and find_limbs(tree):
        return ClosedForm(chain, device)
    if sampler == AUTO and tree is not None and tree.base_follows:
        # Not before it is needed: SciPy's trees take longer to load than all else.
        from generative_ik_ros.samplers.postures import PosturesAmongFree

        kind = PosturesAmongFree
    return kind(chain, device)
