"""Files of weights: what is written is read back, and every fault is told."""

import json

import numpy as np
import pytest
import safetensors.numpy
from flows import mixed_chain, planar_two_joints, scrambled, write_weights

from generative_ik_ros.learned import checkpoint as module
from generative_ik_ros.learned.checkpoint import (
    Checkpoint,
    CheckpointError,
    load_checkpoint,
    save_checkpoint,
)
from generative_ik_ros.learned.ikflow.weights import load_flow


@pytest.fixture
def chain():
    return planar_two_joints()


@pytest.fixture
def path(chain, tmp_path):
    return write_weights(tmp_path / "weights.safetensors", chain, scrambled(chain))


def rewritten(path, change):
    """The file with its description changed, and a digest that fits."""
    tensors, texts = module.read_safetensors(path)
    content = json.loads(texts["generative_ik_ros"])
    content.pop("digest")
    change(content, tensors)
    content["digest"] = module.digest_of(content, tensors)
    texts["generative_ik_ros"] = json.dumps(content, sort_keys=True)
    path.write_bytes(safetensors.numpy.save(tensors, texts))
    return path


def test_written_and_read_back(chain, tmp_path):
    flow = scrambled(chain, kind="coupling", width=4)
    flow_again, checkpoint = load_flow(
        write_weights(tmp_path / "w.safetensors", chain, flow), chain
    )
    assert flow_again.config == flow.config and checkpoint.training == {"steps": 0}
    for name, values in flow.state_dict().items():
        np.testing.assert_allclose(flow_again.state_dict()[name], values, rtol=1e-6)


def test_half_precision_is_half_the_size(chain, tmp_path):
    tensors = {"weight": np.linspace(-1, 1, 10_000, dtype=np.float32)}
    checkpoint = Checkpoint("ikflow", chain.fingerprint, {}, {}, tensors)
    sizes = []
    for half in (False, True):
        path = tmp_path / f"{half}.safetensors"
        save_checkpoint(path, checkpoint, half=half)
        read = load_checkpoint(path, sampler="ikflow").tensors["weight"]
        np.testing.assert_allclose(read, tensors["weight"], atol=1e-3 if half else 0)
        sizes.append(path.stat().st_size)
    assert sizes[1] < 0.6 * sizes[0]


def test_a_failed_write_leaves_the_old_file(chain, path):
    before = path.read_bytes()
    bad = Checkpoint("ikflow", chain.fingerprint, {}, {}, {"weight": np.array([np.nan])})
    with pytest.raises(CheckpointError, match="weight"):
        save_checkpoint(path, bad)
    assert path.read_bytes() == before and len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.999])
def test_truncated(path, chain, share):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(CheckpointError, match="weights.safetensors is no whole safetensors file"):
        load_flow(path, chain)


def test_any_flipped_bit_is_noticed(path, chain):
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    header = int.from_bytes(data[:8], "little") + 8
    places = [
        *rng.integers(0, 8, 4),
        *rng.integers(8, header, 60),
        *rng.integers(header, len(data), 20),
    ]
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="weights.safetensors"):
            load_flow(path, chain)


def test_missing_file(tmp_path, chain):
    with pytest.raises(CheckpointError, match="cannot read .*none.safetensors: No such file"):
        load_flow(tmp_path / "none.safetensors", chain)


def test_another_chain(path):
    with pytest.raises(CheckpointError, match="is for another chain"):
        load_flow(path, mixed_chain())


def test_another_sampler(path, chain):
    with pytest.raises(CheckpointError, match="holds weights of 'ikflow', not of 'ggik'"):
        load_checkpoint(path, sampler="ggik", fingerprint=chain.fingerprint)


def of_version_99(content, tensors):
    content["format_version"] = 99


def of_absurd_size(content, tensors):
    content["config"]["hidden"] = 1 << 40


def not_a_number(content, tensors):
    tensors["last"][0, 0, 0] = np.nan


def of_another_shape(content, tensors):
    tensors["first"] = tensors["first"][:, :, 1:].copy()


def without_last(content, tensors):
    del tensors["last"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_version_99, "format version 99; this package reads 1"),
        (of_absurd_size, "hidden must be"),
        (not_a_number, "last has a value that is NaN"),
        (of_another_shape, "size mismatch for first: "),
        (without_last, "Missing key.*last"),
    ],
)
def test_whole_files_that_cannot_be_used(path, chain, change, message):
    with pytest.raises(CheckpointError, match=message):
        load_flow(rewritten(path, change), chain)


@pytest.mark.parametrize("config", [[[1, 2]], ["ab", [3, 4]], 5, "", None])
def test_a_configuration_that_is_no_dictionary(path, chain, config):
    """Pairs became a dictionary with numbers as keys, which do not sort with names: TypeError."""
    with pytest.raises(CheckpointError, match="no description of generative_ik_ros weights"):
        load_flow(rewritten(path, lambda content, _: content.update(config=config)), chain)


@pytest.mark.parametrize("text", [None, "[" * 100_000, '{"config": ' * 50_000], ids=[0, 1, 2])
def test_a_foreign_safetensors_file(tmp_path, chain, text):
    """JSON that is nested 100,000 deep was a RecursionError."""
    path, texts = tmp_path / "foreign.safetensors", text and {"generative_ik_ros": text}
    path.write_bytes(safetensors.numpy.save({"weight": np.zeros(3)}, texts))
    with pytest.raises(CheckpointError, match="no description of generative_ik_ros weights"):
        load_flow(path, chain)
