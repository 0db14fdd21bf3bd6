"""A person who walks and then waves, by simple formulas: key points over time.

usage: python walking_person.py    writes walking_person.csv; human_motion.py takes it from here
"""

import csv

import numpy as np

HEIGHT, SPEED, STEPS, TURN = 1.63, 0.9, 0.8, 2.0 * np.pi  # of the head [m], [m/s], pairs a second
POINTS = ("head", "left_hand", "right_hand", "left_foot", "right_foot")


def key_points(t: float) -> np.ndarray:
    """Return where the points are (5, 3) [m], x ahead and z up, of someone who waves after 3 s."""
    phase, sides = STEPS * t + np.array([0.0, 0.5]), np.array([1.0, -1.0])  # left, right
    # A foot stands for six tenths of the time, and moves on by two steps in the rest.
    swing = np.clip((phase % 1.0 - 0.6) / 0.4, 0.0, 1.0)
    ahead = np.floor(phase) - phase + 0.3 + swing - np.sin(TURN * swing) / TURN
    lift = 0.1 * np.sin(np.pi * swing) ** 2
    feet = np.stack([SPEED / STEPS * ahead, 0.1 * sides, lift], axis=1)
    # An arm goes with the other leg, until the right one is raised within a second.
    back = np.sin(TURN * phase)
    hands = np.stack([0.1 - 0.2 * back, 0.27 * sides, 0.85 + 0.04 * np.abs(back)], axis=1)
    share = 0.5 - 0.5 * np.cos(np.pi * np.clip(t - 3.0, 0.0, 1.0))
    hands[1] += share * ([0.25, -0.4 + 0.12 * np.sin(8.0 * t), 1.7] - hands[1])
    hands[1] += share * (1.0 - share) * np.array([1.0, -0.6, 0.0])  # at arm's length
    head = [0.0, 0.02 * back[0], HEIGHT - 0.02 * np.cos(2.0 * TURN * phase[0])]
    return np.array([head, *hands, *feet]) + [SPEED * t, 0.0, 0.0]


if __name__ == "__main__":
    times = np.arange(0.0, 6.0, 1.0 / 60.0)
    with open("walking_person.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", *(f"{point}_{axis}" for point in POINTS for axis in "xyz")])
        writer.writerows([t, *key_points(t).ravel()] for t in times.tolist())
    print(f"wrote walking_person.csv: {len(times)} frames of {len(POINTS)} points")
