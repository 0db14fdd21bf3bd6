// Local IK solver: damped least squares.
#pragma once

#include <generative_ik/chain.hpp>
#include <generative_ik/deadline.hpp>
#include <generative_ik/pose_error.hpp>
#include <generative_ik/search_box.hpp>

namespace generative_ik {

struct Descent {
  Vector q;              // final configuration, inside the box [rad or m]
  Twist error;           // remaining pose error [m, rad]
  bool reached = false;  // whether the error is within the tolerance
};

// Damped least squares inside the box. The damping grows with the squared error (Sugihara,
// "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE T-RO 2011),
// variables at a limit that would be moved beyond it are excluded from the step, and a descent
// that stalls is stopped. Args: start (size), clamped to the box first [rad or m]. Ends at the
// deadline at the latest.
Descent descend(const Chain& chain, const Eigen::Isometry3d& target_in_base, const Vector& start,
                const SearchBox& box, const Tolerance& tolerance, const Deadline& deadline);

}  // namespace generative_ik
