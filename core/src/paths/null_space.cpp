#include "null_space.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::paths {
namespace {

using verify::Frame;
using verify::Vector3;

// A row of the Jacobian of which only this share is left beside the others does not count.
constexpr double kDependent = 1e-8;

// Takes from a vector what it has of a unit vector.
void remove(double* vector, const double* unit, std::int64_t size) {
  const double share = dot(vector, unit, size);
  for (std::int64_t v = 0; v < size; ++v) {
    vector[v] -= share * unit[v];
  }
}

void scale(double* vector, double by, std::int64_t size) {
  for (std::int64_t v = 0; v < size; ++v) {
    vector[v] *= by;
  }
}

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
      jacobian_[static_cast<std::size_t>(r * size_ + v)] = dot(ways + 6 * r, column, 6);
    }
  }
}

// Modified Gram-Schmidt.
void NullSpace::orthonormalize() {
  for (std::int64_t r = 0; r < 6; ++r) {
    double* row = jacobian_.data() + r * size_;
    const double length = std::sqrt(dot(row, row, size_));
    for (std::int64_t s = 0; s < r; ++s) {
      remove(row, jacobian_.data() + s * size_, size_);
    }
    const double left = std::sqrt(dot(row, row, size_));
    scale(row, left > kDependent * length ? 1.0 / left : 0.0, size_);
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
  orthonormalize();
  // Of the unit vectors the one that sticks out of the rows' span most is added, again and again.
  for (std::int64_t a = 0; a < dimensions_; ++a) {
    double longest = -1.0;
    std::int64_t best = 0;
    for (std::int64_t v = 0; v < size_; ++v) {
      double left = 1.0;
      for (std::int64_t r = 0; r < 6; ++r) {
        const double known = jacobian_[static_cast<std::size_t>(r * size_ + v)];
        left -= known * known;
      }
      for (std::int64_t b = 0; b < a; ++b) {
        left -= basis[b * size_ + v] * basis[b * size_ + v];
      }
      if (left > longest) {
        longest = left;
        best = v;
      }
    }
    double* row = basis + a * size_;
    std::fill_n(row, size_, 0.0);
    row[best] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t r = 0; r < 6; ++r) {
        remove(row, jacobian_.data() + r * size_, size_);
      }
      for (std::int64_t b = 0; b < a; ++b) {
        remove(row, basis + b * size_, size_);
      }
    }
    const double length = std::sqrt(std::max(dot(row, row, size_), 1e-300));
    scale(row, longest > kDependent ? 1.0 / length : 0.0, size_);
  }
  // Of a joint that moves no tip the basis has a unit vector, and nothing else.
  for (std::int64_t v = 0; v < size_; ++v) {
    for (std::int64_t a = 0; is_stopped(v) && a < dimensions_; ++a) {
      basis[a * size_ + v] = 0.0;
    }
  }
}

}  // namespace generative_ik::paths
