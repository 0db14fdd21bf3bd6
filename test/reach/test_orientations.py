"""Orientations: their numbers, their symmetry, and how evenly they are spread."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from generative_ik_ros.reach.orientations import Orientations, to_z

Z = np.array([0.0, 0.0, 1.0])


def angles(rotations, others):
    trace = rotations.reshape(-1, 9) @ others.reshape(-1, 9).T
    return np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))


@pytest.mark.parametrize(
    ("asked", "shape"), [(200, (20, 10)), (72, (12, 6)), (1000, (100, 10)), ((6, 5), (6, 5))]
)
def test_numbers_of_directions_and_turns(asked, shape):
    assert Orientations.of(asked, None, Z).matrices.shape[:2] == shape


@pytest.mark.parametrize("asked", [1, 3, 7, 8, 50, 101, 500, 4096])
def test_about_as_many_as_asked_for(asked):
    matrices = Orientations.of(asked, None, Z).matrices
    assert matrices.shape[0] * matrices.shape[1] == pytest.approx(asked, rel=0.2, abs=1)
    np.testing.assert_allclose(
        matrices @ matrices.swapaxes(-1, -2),
        np.broadcast_to(np.eye(3), matrices.shape),
        atol=1e-12,
    )


@pytest.mark.parametrize("angle", [1e-12, 1e-3])
def test_in_a_narrow_cone_there_are_no_more_than_asked_for(angle):
    matrices = Orientations.of(100, (Z, angle), Z).matrices
    assert matrices.shape[0] * matrices.shape[1] == 100
    assert np.abs(matrices[..., :, 2] - Z).max() <= 1.001 * angle


@pytest.mark.parametrize("approach", [Z, -Z, np.array([0.6, 0.0, 0.8]), np.array([1.0, 0, 0])])
def test_quarter_turns_and_turns_about_the_approach_lead_to_others(approach):
    found = Orientations.of((20, 10), None, approach)
    assert found.quarters and not found.given
    quarter = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    np.testing.assert_allclose(
        quarter @ found.matrices, np.roll(found.matrices, -5, axis=0), atol=1e-12
    )
    turn = Rotation.from_rotvec(approach * 2.0 * np.pi / 10).as_matrix()
    np.testing.assert_allclose(
        found.matrices @ turn, np.roll(found.matrices, -1, axis=1), atol=1e-12
    )
    np.testing.assert_allclose(to_z(approach) @ approach, Z, atol=1e-15)


@pytest.mark.parametrize("count", [72, 200, 1000])
def test_orientations_are_more_even_than_random_ones(count):
    matrices = Orientations.of(count, None, Z).matrices.reshape(-1, 3, 3)
    random = Rotation.random(len(matrices), random_state=0).as_matrix()
    anywhere = Rotation.random(20_000, random_state=1).as_matrix()
    ideal = (6.0 * np.pi / len(matrices)) ** (1.0 / 3.0)  # radius of balls that would fill SO(3)
    covering = angles(anywhere, matrices).min(axis=1).max()
    assert covering < 1.5 * ideal < 0.9 * angles(anywhere, random).min(axis=1).max()
    apart = angles(matrices, matrices) + 10.0 * np.eye(len(matrices))
    assert apart.min() > 1.1 * ideal
