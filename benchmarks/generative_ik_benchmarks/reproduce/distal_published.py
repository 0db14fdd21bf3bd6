"""Nothing in, what the paper on distal teaching published out: T. von Oehsen et al., 2020.

Their machine for times: Intel Core i7-6800K. The robots' limits and the planar arm's links are
not in the paper, so its rows and ours are of like mechanisms, not of the same.
"""

TABLE_1A = {
    "3-DoF": {"closed form": 100.0, "TRAC-IK": 100.0, 100: 3.39, 800: 62.88, 6400: 98.08},
    "6-DoF": {
        "closed form": 100.0, "TRAC-IK": 98.44, 4000: 1.86, 32_000: 53.58, 256_000: 94.53,
    },
    "15-DoF": {"TRAC-IK": 93.23, 4000: 18.13, 32_000: 82.96, 256_000: 97.73},
}  # fmt: skip
"""Solved within 10 mm and 0.03 rad [%]; numbers are training samples of distal teaching."""

TABLE_1B = {
    "3-DoF": {"closed form": 100.0, "TRAC-IK": 100.0, 1_000_000: 76.49, 4_000_000: 89.34},
    "6-DoF": {"closed form": 100.0, "TRAC-IK": 98.44, 1_000_000: 3.58, 4_000_000: 9.59},
    "15-DoF": {"TRAC-IK": 93.23, 1_000_000: 21.97, 4_000_000: 59.65},
}
"""Solved within 1 mm and 0.01 rad [%]."""

TABLE_2 = {
    "3-DoF": {
        0.0: (12.81, 8.76e-3, 8.25e-3, 1.20e-2, 1.41e-2),
        1.0: (1.27, 1.38e-2, 2.67e-2, 1.61e-2, 3.09e-2),
        2.0: (0.97, 1.42e-2, 2.60e-2, 1.57e-2, 2.91e-2),
    },
    "6-DoF": {
        0.0: (71.22, 8.39e-3, 6.80e-3, 3.15e-2, 5.03e-2),
        1.0: (3.30, 3.50e-2, 4.57e-2, 1.27e-1, 1.53e-1),
        2.0: (1.89, 3.72e-2, 5.28e-2, 1.19e-1, 1.55e-1),
        5.0: (1.16, 3.95e-2, 5.47e-2, 1.45e-1, 2.22e-1),
    },
    "15-DoF": {
        0.0: (100.0, 6.93e-3, 9.67e-3, 1.80e-2, 3.46e-2),
        1.0: (6.12, 1.82e-2, 3.80e-2, 5.56e-2, 1.47e-1),
        2.0: (3.02, 1.65e-2, 3.01e-2, 4.95e-2, 1.20e-1),
        5.0: (1.59, 1.31e-2, 2.67e-2, 4.13e-2, 1.13e-1),
    },
}
"""By lambda: infeasible [%], then position error [m] and orientation error [rad], mean and
standard deviation each."""

TABLE_3 = {
    "3-DoF": {
        "uniform": {"closed form": 100.0, "TRAC-IK": 100.0, 800: 62.88, 6400: 98.08},
        "singular": {"closed form": 100.0, "TRAC-IK": 100.0, 800: 61.81, 6400: 99.08},
        "nonsingular": {"closed form": 100.0, "TRAC-IK": 100.0, 800: 59.17, 6400: 97.25},
    },
    "6-DoF": {
        "uniform": {"closed form": 100.0, "TRAC-IK": 98.44, 32_000: 53.58, 256_000: 94.53},
        "singular": {"closed form": 100.0, "TRAC-IK": 86.95, 32_000: 52.27, 256_000: 95.26},
        "nonsingular": {"closed form": 100.0, "TRAC-IK": 99.08, 32_000: 51.58, 256_000: 95.98},
    },
    "15-DoF": {
        "uniform": {"TRAC-IK": 93.23, 32_000: 82.96, 256_000: 97.73},
        "near-singular": {"TRAC-IK": 89.96, 32_000: 78.21, 256_000: 96.60},
        "nonsingular": {"TRAC-IK": 95.34, 32_000: 82.96, 256_000: 98.12},
    },
}
"""Solved within 10 mm and 0.03 rad [%], by test set."""

TABLE_4 = {
    "3-DoF": {False: (3.25, 2.54, 0.47, 0.95, 0.76), True: (3.25, 2.25, 0.43, 0.10, 0.09)},
    "6-DoF": {False: (1.95, 1.62, 0.35, 1.95, 0.70), True: (1.95, 1.17, 0.25, 0.66, 0.46)},
    "15-DoF": {False: (5.28, 4.51, 0.73, 2.27, 0.62), True: (5.28, 3.27, 0.62, 0.44, 0.43)},
}
"""Without and with unreachable training poses: mean distance from the base [m], then position
error [m] and orientation error [rad], mean and standard deviation each."""

TABLE_5 = {
    "3-DoF": {
        ("closed form", "uniform"): (0.009, 0.001),
        ("TRAC-IK", "uniform"): (0.179, 0.085),
        ("TRAC-IK", "singular"): (0.193, 0.055),
        ("TRAC-IK", "nonsingular"): (0.181, 0.096),
        ("distal teaching", "uniform"): (0.523, 0.228),
        ("distal teaching, batch of 32", "uniform"): (0.014, None),
    },
    "6-DoF": {
        ("closed form", "uniform"): (0.053, 0.002),
        ("TRAC-IK", "uniform"): (0.908, 0.916),
        ("TRAC-IK", "singular"): (1.533, 1.664),
        ("TRAC-IK", "nonsingular"): (0.903, 0.868),
        ("distal teaching", "uniform"): (1.774, 0.310),
        ("distal teaching, batch of 32", "uniform"): (0.054, None),
    },
    "15-DoF": {
        ("TRAC-IK", "uniform"): (1.717, 1.353),
        ("TRAC-IK", "near-singular"): (2.019, 1.449),
        ("TRAC-IK", "nonsingular"): (1.582, 1.292),
        ("distal teaching", "uniform"): (1.610, 0.308),
        ("distal teaching, batch of 32", "uniform"): (0.061, None),
    },
}
"""Time of a pose on a CPU [ms], mean and standard deviation, by method and test set."""
