#include "null_space.hpp"

#include <algorithm>

#include "../model/null_basis.hpp"
#include "../simd/row_vectors.hpp"

namespace generative_ik::paths {
namespace {

using verify::Frame;
using verify::Vector3;

}  // namespace

NullSpace::NullSpace(const verify::RodriguesChain& chain, std::int64_t size,
                     std::int64_t dimensions)
    : chain_(chain),
      size_(size),
      dimensions_(dimensions),
      jacobian_(static_cast<std::size_t>(6 * size)),
      axes_(static_cast<std::size_t>(6 * chain.num_joints)) {}

void NullSpace::writeJacobian(const double* q, const double* weight) {
  Frame<double> frame = Frame<double>::identity();
  for (std::int64_t j = 0; j < chain_.num_joints; ++j) {
    const Vector3<double> axis = frame.turned(verify::axisOf(chain_, j));
    verify::passJoint<double>(chain_, j, q[chain_.variable[j]], frame);
    const double numbers[] = {axis.x,         axis.y,         axis.z,  // NOLINT(*-avoid-c-arrays)
                              frame.origin.x, frame.origin.y, frame.origin.z};
    std::copy_n(numbers, 6, axes_.data() + 6 * j);
  }
  verify::passPose<double>(chain_.tip, frame);
  const Vector3<double> tip = frame.origin;
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  for (std::int64_t j = 0; j < chain_.num_joints; ++j) {
    const std::int64_t v = chain_.variable[j];
    const double unit = chain_.multiplier[j] / weight[v];
    const double* at = axes_.data() + 6 * j;
    const Vector3<double> axis = unit * Vector3<double>{at[0], at[1], at[2]};
    const bool slides = chain_.prismatic[j] != 0;
    const Vector3<double> linear =
        slides ? axis : cross(axis, tip - Vector3<double>{at[3], at[4], at[5]});
    const Vector3<double> angular = slides ? Vector3<double>{0.0, 0.0, 0.0} : axis;
    const double column[] = {linear.x,  linear.y,  linear.z,  // NOLINT(*-avoid-c-arrays)
                             angular.x, angular.y, angular.z};
    for (std::int64_t r = 0; r < 6; ++r) {
      jacobian_[static_cast<std::size_t>(r * size_ + v)] += column[r];
    }
  }
}

void NullSpace::hold(const double* ways) {
  for (std::int64_t v = 0; v < size_; ++v) {
    double column[6];  // NOLINT(*-avoid-c-arrays)
    for (std::int64_t r = 0; r < 6; ++r) {
      column[r] = jacobian_[static_cast<std::size_t>(r * size_ + v)];
    }
    for (std::int64_t r = 0; r < 6; ++r) {
      jacobian_[static_cast<std::size_t>(r * size_ + v)] =
          simd::innerProduct(ways + 6 * r, column, 6);
    }
  }
}

void NullSpace::write(const double* q, const double* weight, const double* ways,
                      const char* stopped, double* basis) {
  writeJacobian(q, weight);
  hold(ways);
  const auto is_stopped = [stopped](std::int64_t v) {
    return stopped != nullptr && stopped[v] != 0;
  };
  for (std::int64_t v = 0; v < size_; ++v) {
    for (std::int64_t r = 0; is_stopped(v) && r < 6; ++r) {
      jacobian_[static_cast<std::size_t>(r * size_ + v)] = 0.0;
    }
  }
  writeNullBasis(jacobian_.data(), 6, size_, dimensions_, basis);
  // Of a joint that moves no tip the basis has a unit vector, and nothing else.
  for (std::int64_t v = 0; v < size_; ++v) {
    for (std::int64_t a = 0; is_stopped(v) && a < dimensions_; ++a) {
      basis[a * size_ + v] = 0.0;
    }
  }
}

}  // namespace generative_ik::paths
