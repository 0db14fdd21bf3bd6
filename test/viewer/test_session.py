"""The parts of the viewer, without a browser."""

import itertools
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from pages import until
from robots import SO101

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.self_motion import SelfMotion
from generative_ik_ros.viewer.controls import describe as summary
from generative_ik_ros.viewer.player import Player, describe, frames
from generative_ik_ros.viewer.session import Session, Settings
from generative_ik_ros.viewer.surfaces import read_surfaces

pytest.importorskip("viser", reason="viser not installed")
MESHED = """<robot name="meshed"><link name="a"/>
<link name="b"><visual><geometry><mesh filename="package://kit/{}" scale="2 2 2"/></geometry>
</visual></link><link name="c"/>
<joint name="i" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 0.5"/>
<axis xyz="0 0 1"/></joint>
<joint name="j" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.5 0 0"/>
<axis xyz="0 0 1"/></joint></robot>"""


class Outcomes(list):
    """Collects outcomes, and can block a session while it shows one."""

    def __init__(self):
        super().__init__()
        self.free = threading.Event()
        self.free.set()

    def __call__(self, outcome):
        self.append(outcome)
        assert self.free.wait(30)

    def wait(self, count):
        until(lambda: len(self) >= count, 60.0)
        return self[count - 1]


@pytest.fixture
def outcomes():
    return Outcomes()


@pytest.fixture
def session(panda, outcomes):
    session = Session(panda, Settings(num_solutions=4), outcomes)
    yield session
    outcomes.free.set()
    session.close()


def test_the_latest_target_wins(panda, session, outcomes):
    targets = panda.forward(np.linspace(0.4, 0.6, 20)[:, None] * (panda.lower + panda.upper))
    outcomes.free.clear()
    for target in targets:
        session.ask(target)
        outcomes.wait(1)
    outcomes.free.set()
    outcomes.wait(2)
    time.sleep(0.1)
    # The others arrived while the first was being shown; only the last of them was solved.
    assert len(outcomes) == 2
    assert np.array_equal(outcomes[0].target, targets[0])
    assert np.array_equal(outcomes[1].target, targets[-1])
    assert outcomes[1].solutions.counts[0] == 4


def test_settings_are_used_and_errors_are_shown(panda, session, outcomes):
    target = panda.forward(0.5 * (panda.lower + panda.upper))
    session.ask(target)
    assert outcomes.wait(1).solutions.counts[0] == 4
    session.ask(settings=replace(session.settings, num_solutions=9, position_only=True))
    found = outcomes.wait(2).solutions
    tips = panda.forward(found.of(0))
    assert found.counts[0] == 9 and np.allclose(tips[:, :3, 3], target[:3, 3], atol=2e-5)
    assert np.abs(tips[:, :3, :3] - target[:3, :3]).max() > 0.1
    session.ask(settings=replace(session.settings, sampler="magic"))
    assert outcomes.wait(3).solutions is None and "magic" in outcomes[2].error
    session.ask(settings=replace(session.settings, sampler="uniform"))
    assert outcomes.wait(4).solutions.sampler == "uniform"


def test_arms_with_few_joints_are_told_what_to_free(outcomes):
    chain = KinematicChain.from_urdf(SO101)
    tilted = chain.forward(np.full(5, 0.1)) @ np.diag([-1.0, -1.0, 1.0, 1.0])
    session = Session(chain, Settings(num_solutions=4), outcomes)
    try:
        session.ask(tilted)
        assert "this arm has 5 joints" in summary(outcomes.wait(1), 0.0)
        assert "*Position only*" in summary(outcomes[0], 0.0)
    finally:
        session.close()


def test_links_without_their_meshes_have_bones(tmp_path):
    folder = tmp_path / "kit"
    folder.mkdir()
    trimesh.creation.box((0.1, 0.1, 0.1)).export(folder / "box.stl")
    chain = KinematicChain.from_urdf(MESHED.format("box.stl"))
    surfaces = read_surfaces(chain, (tmp_path,))
    assert surfaces.missing == ()
    body = surfaces.bodies.links.index("b")
    assert np.allclose(np.ptp(surfaces.of_body[body].vertices, axis=0), 0.2)
    chain = KinematicChain.from_urdf(MESHED.format("ball.stl"))
    surfaces = read_surfaces(chain, (tmp_path,))
    assert surfaces.missing == ("package://kit/ball.stl",)
    span = np.ptp(surfaces.of_body[body].vertices, axis=0)
    assert span[0] == pytest.approx(0.5, abs=0.05), "a bone to the next joint"


def test_motions_are_played_around_or_to_and_fro(panda):
    path = SelfMotion(np.zeros((4, 7)), closed=True, start=0)
    assert list(itertools.islice(frames(path), 6)) == [0, 1, 2, 3, 0, 1]
    path = SelfMotion(np.zeros((4, 7)), closed=False, start=1)
    assert list(itertools.islice(frames(path), 8)) == [1, 2, 3, 2, 1, 0, 1, 2]
    alone = SelfMotion(np.zeros((1, 7)), closed=False, start=0)
    assert list(itertools.islice(frames(alone), 2)) == [0, 0]
    assert "cannot move" in describe(panda, alone)
    assert "| panda_joint7 | 0 deg |" in describe(panda, path)


def test_nothing_is_shown_after_a_stop(panda):
    shown = []
    player = Player(panda, lambda q, sentence: shown.append(q))
    player.play(0.5 * (panda.lower + panda.upper), position_only=False)
    until(lambda: len(shown) >= 3, 30.0)
    player.stop()
    count = len(shown)
    time.sleep(0.15)
    assert len(shown) == count


def test_of_motions_that_begin_at_once_only_one_is_played(panda, monkeypatch):
    """Callbacks of the page run in several threads; the others went on for good."""
    player, threads = Player(panda, lambda *_: None), threading.active_count()
    monkeypatch.setattr(player, "_frames", lambda *_: itertools.repeat((0, "")))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(2e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: player.play(None, False), range(200)))
    finally:
        sys.setswitchinterval(interval)
    player.stop()
    until(lambda: threading.active_count() <= threads)


def test_another_sampler_and_raw_samples_stand_beside(panda, session, outcomes):
    target = panda.forward(np.zeros(7) + [0, 0, 0, -1.5, 0, 1.5, 0])
    session.ask(target, replace(session.settings, beside="uniform"))
    first = outcomes.wait(1)
    assert first.raw is None and len(first.arms) == len(first.beside.positions) == 4
    for arms in (first.arms, first.beside.positions):
        np.testing.assert_allclose(panda.forward(arms), np.tile(target, (4, 1, 1)), atol=1e-4)
    assert first.beside.text.startswith("uniform: 4 solutions in ")
    assert "beside it uniform: 4 solutions" in summary(first, 0.0)

    session.ask(settings=replace(session.settings, beside="magic", raw=True))
    second = outcomes.wait(2)
    assert len(second.raw) == 4 and (second.arms == second.raw).all()
    distance = np.linalg.norm(panda.forward(second.raw)[:, :3, 3] - target[:3, 3], axis=1)
    assert distance.max() > 0.05 and "4 raw samples" in summary(second, 0.0)
    # A sampler that cannot be used says why, and the other goes on.
    assert not len(second.beside.positions) and "magic: unknown sampler" in second.beside.text
