"""Maps computed by the workers of a Dask cluster: the same files, and none lost with a worker."""

import os
import signal
from dataclasses import replace

import pytest
from test_map import COARSE, files, same

from generative_ik_ros import ReachabilityMap
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach import compute, spec

distributed = pytest.importorskip("distributed", reason="dask is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")


@pytest.fixture(scope="module")
def cluster():
    settings = {"n_workers": 3, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(**settings, dashboard_address=None) as cluster:
        yield cluster


def test_threads_and_a_cluster_that_loses_a_worker_write_the_same_files(
    cluster, panda, tmp_path, monkeypatch
):
    monkeypatch.setattr(spec, "LIMITS", replace(spec.LIMITS, poses=24 * 4))
    by_threads = ReachabilityMap.compute(panda, **COARSE, path=tmp_path / "threads")
    killed = []

    def kill_one(done, total):
        assert total == 7
        if done == 2:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    by_workers = ReachabilityMap.compute(
        panda, **COARSE, path=tmp_path / "dask", dask=cluster.scheduler_address,
        on_progress=kill_one,
    )  # fmt: skip
    assert len(killed) == 1
    same(by_workers, by_threads)
    assert files(tmp_path / "dask") == files(tmp_path / "threads")


def test_a_client_of_ones_own_is_left_open(cluster, panda):
    with distributed.Client(cluster) as client:
        reach = ReachabilityMap.compute(panda, **COARSE, dask=client)
        assert client.status == "running"
    same(reach, ReachabilityMap.compute(panda, **COARSE))


def test_no_scheduler_is_an_error(panda, monkeypatch):
    monkeypatch.setattr(compute, "TUNING", replace(compute.TUNING, connect=1.0))
    with pytest.raises(InvalidArgumentError, match="no scheduler at 'tcp://127.0.0.1:9'"):
        ReachabilityMap.compute(panda, **COARSE, dask="tcp://127.0.0.1:9")
