"""A motion prior of trees: its density, its seeds, and which solutions come first."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from generative_ik_ros.errors import InvalidArgumentError, UnsupportedChainError
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.samplers.base import SeedRequest
from generative_ik_ros.samplers.demonstrations import Demonstrations
from generative_ik_ros.samplers.gaussian_mixture import GaussianMixture

URDF = Path(__file__).resolve().parents[2] / "examples/two_arms.urdf"
HANDS = "left_hand", "right_hand"
BOUNDS = (-2.0, -2.0, -2.0, -1.5, -1.5, -3.2), (2.0, 2.0, 2.0, 1.5, 1.5, 3.2)
STANDING = KinematicTree.from_urdf(URDF, tip_links=HANDS)
FLOATING = KinematicTree.from_urdf(URDF, tip_links=HANDS, floating_base=BOUNDS)
BASE = [FLOATING.names.index(name) for name in FLOATING.base_joints]


def moved(tree, times):
    """A motion in which both arms do alike, and the waist goes with the shoulders."""
    q, phase = np.zeros((len(times), tree.num_joints)), np.asarray(times)
    bend, turn = np.sin(0.9 * phase), np.sin(1.3 * phase + 1.0)
    for k, name in enumerate(tree.names):
        if name == "waist":
            q[:, k] = 0.6 * turn
        elif name.endswith("j0"):
            q[:, k] = 0.4 * turn + (0.3 if name.startswith("left") else -0.3)
        elif name.endswith("j1"):
            q[:, k] = 0.6 + 0.4 * bend
        elif name.endswith("j2"):
            q[:, k] = 1.2 - 0.5 * bend
        elif name.endswith("j4"):
            q[:, k] = 0.7 + 0.3 * turn
    return q


RECORDED, LATER = (np.arange(0.0, 60.0, 0.1), np.arange(1e3, 1e3 + 40.0, 1.0))


@pytest.fixture(scope="module")
def prior():
    return Demonstrations(FLOATING, moved(FLOATING, RECORDED))


def test_a_mixture_is_the_density_that_points_are_drawn_from(rng):
    covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
    first = rng.multivariate_normal([0.0, 0.0], covariance, 3000)
    second = rng.multivariate_normal([6.0, -3.0], np.eye(2), 1000)
    points = rng.permutation(np.concatenate([first, second]))
    mixture = GaussianMixture.best(points[:3000], points[3000:], 0.01)
    assert len(mixture.shares) >= 2 and np.isclose(mixture.shares.sum(), 1.0)
    at = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, -1.0], [6.0, -3.0], [5.0, -3.0]])
    truth = 0.75 * multivariate_normal([0.0, 0.0], covariance).pdf(at)
    truth += 0.25 * multivariate_normal([6.0, -3.0], np.eye(2)).pdf(at)
    np.testing.assert_allclose(mixture.log_density(at), np.log(truth), atol=0.4)
    one = GaussianMixture.fitted(first, 1, 1e-9)
    exact = multivariate_normal(first.mean(axis=0), np.cov(first.T, bias=True)).logpdf(at)
    np.testing.assert_allclose(one.log_density(at), exact, rtol=1e-6)


def test_points_at_one_place_have_a_density():
    mixture = GaussianMixture.best(np.zeros((60, 3)), np.zeros((6, 3)), 0.02)
    peak = multivariate_normal(np.zeros(3), 0.02**2 * np.eye(3)).logpdf(np.zeros(3))
    np.testing.assert_allclose(mixture.log_density(np.zeros((1, 3))), peak)


def test_where_the_robot_is_makes_no_difference(prior, rng):
    q = moved(FLOATING, LATER)
    elsewhere = q.copy()
    elsewhere[:, BASE] = rng.uniform(-1.0, 1.0, (len(q), 6))
    np.testing.assert_array_equal(prior.log_likelihood(q), prior.log_likelihood(elsewhere))
    strange = q + rng.normal(0.0, 0.5, q.shape)
    assert prior.log_likelihood(q).min() > prior.log_likelihood(strange).max()


def test_the_first_seed_is_what_was_demonstrated_there(prior, rng):
    shown = moved(FLOATING, RECORDED)[::50]
    shown[:, BASE] = rng.uniform(-0.5, 0.5, (len(shown), 6))
    request = SeedRequest(FLOATING.forward(shown), 1, *finite_limits(FLOATING), 3)
    np.testing.assert_allclose(prior.propose(request)[:, 0], shown, atol=1e-5)
    many = SeedRequest(request.targets[:2], 700, *finite_limits(FLOATING), 0)
    assert np.isfinite(prior.propose(many)).all()  # more than were demonstrated


@pytest.mark.parametrize("tree", [STANDING, FLOATING], ids=["standing", "floating"])
def test_natural_solutions_come_first(tree):
    shown, later = moved(tree, RECORDED), moved(tree, LATER)
    prior, middle = Demonstrations(tree, shown), shown.mean(axis=0)
    targets, mine = tree.forward(later), [tree.names.index(n) for n in STANDING.names]

    def apart(solver, **options):
        first = solver.solve(targets, 8, **options).positions[:, 0]
        return np.abs(first - later)[:, mine].max(axis=1)

    natural = apart(IKSolver(tree, prior), order_by="likelihood")
    nearest = apart(IKSolver(tree), seed_state=middle)
    assert np.median(natural) < 0.5 * np.median(nearest)
    assert (natural < 0.3).mean() > 0.9


def test_solutions_of_regions_are_compared_too(prior):
    q = moved(FLOATING, LATER[:5])
    region = [TaskSpaceRegion.position_only()] * 2
    found = IKSolver(FLOATING, prior).solve(
        FLOATING.forward(q), 5, region=region, order_by="likelihood"
    )
    assert (found.counts == 5).all() and (np.diff(found.scores, axis=1) <= 0.0).all()
    own = [prior.log_likelihood(found.of(t)) for t in range(5)]
    np.testing.assert_allclose(found.scores, own)


def test_copies_are_the_same(prior):
    again = pickle.loads(pickle.dumps(prior))
    q = moved(FLOATING, LATER[:3])
    np.testing.assert_array_equal(again.log_likelihood(q), prior.log_likelihood(q))
    request = SeedRequest(FLOATING.forward(q), 20, *finite_limits(FLOATING), 0)
    np.testing.assert_array_equal(again.propose(request), prior.propose(request))


def test_misuse_is_refused(panda):
    q = moved(STANDING, RECORDED)
    with pytest.raises(InvalidArgumentError, match=r"shape \(600, 12\); they must be \(M, 13\)"):
        Demonstrations(STANDING, q[:, :12])
    with pytest.raises(InvalidArgumentError, match="50 different .* not from 1"):
        Demonstrations(STANDING, np.zeros((100, 13)))
    q[7, 0] = 2.0
    with pytest.raises(InvalidArgumentError, match="configuration 7: joint 'waist' is at 2"):
        Demonstrations(STANDING, q)
    q[7, 0] = np.nan
    with pytest.raises(InvalidArgumentError, match="nan|configuration 7"):
        Demonstrations(STANDING, q)
    with pytest.raises(UnsupportedChainError, match="for trees with several tips"):
        Demonstrations(panda, np.zeros((100, 7)))
    with pytest.raises(UnsupportedChainError, match="Demonstrations"):
        IKSolver(STANDING).solve(STANDING.forward(q[:1]), 2, order_by="likelihood")
