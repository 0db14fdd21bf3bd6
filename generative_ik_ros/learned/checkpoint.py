"""Weight files: trained weights and their description in one safetensors file, fully checked.

Nothing is pickled: opening a file from anyone runs none of its code.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.arguments import file_path
from generative_ik_ros.errors import GenerativeIKError, importing
from generative_ik_ros.robot.chain import KinematicChain

FORMAT_VERSION = 1
SUFFIX = ".safetensors"
METADATA_KEY = "generative_ik_ros"


class CheckpointError(GenerativeIKError, ValueError):
    """A weight file cannot be used; the message names the file and says why."""


class MissingWeightsError(GenerativeIKError, LookupError):
    """There are no weights for a chain; the message says how to train them."""


@dataclass(frozen=True)
class Checkpoint:
    """The weights of a learned sampler.

    Attributes:
        sampler: Name of the sampler.
        fingerprint: Canonical chain that they were trained for.
        config: The model's whole configuration, as JSON.
        training: How they were trained, as JSON.
        tensors: The weights by name.
    """

    sampler: str
    fingerprint: str
    config: Mapping[str, object]
    training: Mapping[str, object]
    tensors: Mapping[str, NDArray] = field(repr=False)


def save_checkpoint(path: Path, checkpoint: Checkpoint, *, half: bool = False) -> None:
    """Write a checkpoint, atomically: a reader sees the old file or the new one.

    Args:
        path: File to write; its folder is made if needed.
        checkpoint: What to write.
        half: Store the weights in 16 bit.

    Raises:
        CheckpointError: The file cannot be written, or a weight is not finite.
    """
    safetensors_numpy = _safetensors()
    dtype = np.float16 if half else np.float32
    tensors = {
        name: np.ascontiguousarray(values, dtype) for name, values in checkpoint.tensors.items()
    }
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            raise CheckpointError(f"not written to {path}: {name} has a value that is not finite")
    content = {
        "format_version": FORMAT_VERSION,
        "sampler": checkpoint.sampler,
        "fingerprint": checkpoint.fingerprint,
        "config": dict(checkpoint.config),
        "training": dict(checkpoint.training),
    }
    content["digest"] = digest_of(content, tensors)
    data = safetensors_numpy.save(tensors, {METADATA_KEY: json.dumps(content, sort_keys=True)})
    write_atomically(path, data)


def load_checkpoint(path: Path, *, sampler: str, fingerprint: str | None = None) -> Checkpoint:
    """Read a checkpoint and check all of it.

    Args:
        path: The file.
        sampler: Name of the sampler that it has to be for.
        fingerprint: Fingerprint of the chain that it has to be for, None for any.

    Returns:
        The checkpoint, its tensors in single precision.

    Raises:
        CheckpointError: The file cannot be read, is cut short or altered, is of another format,
            sampler or chain, or has a value that is not finite.
    """
    tensors, texts = read_safetensors(path)
    damaged = CheckpointError(
        f"{path} has no description of generative_ik_ros weights, or a damaged one"
    )
    try:
        content = json.loads(texts[METADATA_KEY])
        version = content["format_version"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise damaged from None
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"{path} has format version {version!r}; this package reads {FORMAT_VERSION}"
        )
    try:
        digest = content.pop("digest")
        checkpoint = Checkpoint(
            **{part: content[part] for part in ("sampler", "fingerprint", "config", "training")},
            tensors={name: values.astype(np.float32) for name, values in tensors.items()},
        )
    except (KeyError, TypeError, AttributeError):
        raise damaged from None
    # A list of pairs would make a dictionary, too, with anything for a key.
    if not (isinstance(checkpoint.config, dict) and isinstance(checkpoint.training, dict)):
        raise damaged
    if checkpoint.sampler != sampler:
        raise CheckpointError(
            f"{path} holds weights of '{checkpoint.sampler}', not of '{sampler}'"
        )
    if fingerprint is not None and checkpoint.fingerprint != fingerprint:
        raise CheckpointError(
            f"{path} is for another chain: its fingerprint is {checkpoint.fingerprint}, that of "
            f"the chain is {fingerprint}"
        )
    for name, values in tensors.items():
        if not np.isfinite(values).all():
            raise CheckpointError(f"{path}: {name} has a value that is NaN or infinite")
    if digest != digest_of(content, tensors):
        raise CheckpointError(f"{path} was altered or damaged: its digest does not match")
    return checkpoint


def read_safetensors(path: Path) -> tuple[dict[str, NDArray], dict[str, str]]:
    """Read tensors and metadata of any safetensors file.

    Raises:
        CheckpointError: It cannot be read or is not a complete safetensors file.
        MissingDependencyError: safetensors is not installed.
    """
    safetensors_numpy = _safetensors()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from None
    try:
        # The library does not return the metadata: the header is an 8-byte length and JSON.
        tensors = safetensors_numpy.load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return tensors, header.get("__metadata__", {})
    except Exception as error:  # noqa: BLE001 (the library has its own, and raises others)
        raise CheckpointError(
            f"{path} is no whole safetensors file: {' '.join(str(error).split())}"
        ) from None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under another name, then rename it.

    Raises:
        CheckpointError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error.strerror}") from None


def user_weights() -> Path:
    """Return the folder of the user's own weights.

    GENERATIVE_IK_WEIGHTS, else generative_ik_ros/weights in XDG_DATA_HOME (~/.local/share).
    """
    chosen = os.environ.get("GENERATIVE_IK_WEIGHTS")
    if chosen:
        return Path(chosen).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    return Path(data) / "generative_ik_ros" / "weights"


def package_weights() -> Path:
    """Return the folder of the weights that come with the package."""
    return Path(__file__).parent / "weights"


def weights_path(folder: Path, sampler: str, fingerprint: str) -> Path:
    """Return where a folder keeps the weights of a sampler for a chain."""
    return folder / sampler / f"{fingerprint}{SUFFIX}"


def weights_file(sampler: str, chain: KinematicChain, given: Path | None) -> Path:
    """Return the file of the weights for a chain: a given one, or else what is found.

    Raises:
        InvalidArgumentError: What is given is no path.
        MissingWeightsError: None is given, and there are none.
    """
    return find_weights(sampler, chain) if given is None else file_path("weights", given)


def find_weights(sampler: str, chain: KinematicChain) -> Path:
    """Find the weights for a chain by its fingerprint: the user's, then the package's.

    Raises:
        MissingWeightsError: There are none.
    """
    places = [
        weights_path(folder, sampler, chain.fingerprint)
        for folder in (user_weights(), package_weights())
    ]
    for path in places:
        if path.is_file():
            return path
    where = f" --output {places[0]}" if sampler.endswith("_large") else ""
    raise MissingWeightsError(
        f"sampler '{sampler}' has no weights for the chain from '{chain.base_link}' to "
        f"'{chain.tip_link}' (fingerprint {chain.fingerprint}): neither {places[0]} nor "
        f"{places[1]} exists. Train them: generative-ik train {sampler.removesuffix('_large')} "
        f"--urdf FILE --base-link {chain.base_link} --tip-link {chain.tip_link} --minutes 20 (or "
        f"--robot NAME){where}, with the same fixed joints and joint limits; or use sampler "
        "'quasi_random', which needs none"
    )


def digest_of(content: Mapping[str, object], tensors: Mapping[str, NDArray]) -> str:
    """Return the digest that a file of weights carries."""
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    for name in sorted(tensors):
        values = tensors[name]
        digest.update(f"{name} {values.dtype} {values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()


def _safetensors():  # noqa: ANN202 (a module)
    with importing("learned samplers need safetensors", "'generative_ik_ros[learned]'"):
        import safetensors.numpy
    return safetensors.numpy
