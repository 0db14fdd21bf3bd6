/// The damped inverse of a Jacobian: from a velocity of the tip to velocities of the joints.
#pragma once

#include <generative_ik/chain.hpp>

namespace generative_ik {

using JacobianInverse = Eigen::Matrix<double, Eigen::Dynamic, 6>;

/// Writes (J^T J + damping I)^-1 J^T (size, 6), which takes a twist x to the joint velocities v
/// that minimize |J v - x|^2 + damping |v|^2 (Y. Nakamura and H. Hanafusa, 1986). Metres and
/// radians count alike.
///
/// Args: damping: 0 or more; with 0 it is the pseudoinverse of a Jacobian of full rank.
///
/// Returns false and leaves `inverse` as it was if there is none: where the damping is too small
/// for a singularity, or the Jacobian is not finite. An inverse that has its size already is
/// written without allocation. Throws std::invalid_argument for a damping that is negative, NaN or
/// infinite.
[[nodiscard]] bool dampedInverse(const Jacobian& jacobian, double damping,
                                 JacobianInverse& inverse);

}  // namespace generative_ik
