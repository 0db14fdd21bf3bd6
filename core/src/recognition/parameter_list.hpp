/// What the parameters of all families of six-joint arms are made of: vectors one after the other.
///
/// `closed_form/parameters.hpp` reads them.
#pragma once

#include <vector>

#include "joint_axes.hpp"

namespace generative_ik::recognition {

/// How far what is computed may be off, for an arm that is exactly of a family.
inline constexpr double kRounding = 1e-15;

/// Numbers of vectors that are appended.
class ParameterList {
 public:
  ParameterList() = default;

  /// What all families' parameters begin with. Args: axes: of the mirrored arm if it is; the tip
  /// is that of the chain. error: how far what is computed of them is expected to be off.
  ParameterList(const JointAxes& axes, double error, bool mirrored) {
    add({mirrored ? 1.0 : 0.0, 1.0 / axes.length, error});
    for (Eigen::Index row = 0; row < 3; ++row) {
      add(axes.tip.linear().row(row).transpose());
    }
    add(axes.tip.translation() / axes.length);
    addAll(axes.directions);
  }

  void add(const Vector3& vector) {
    numbers_.insert(numbers_.end(), {vector.x(), vector.y(), vector.z()});
  }
  void addAll(const Vectors& vectors) {
    for (Eigen::Index k = 0; k < vectors.cols(); ++k) {
      add(vectors.col(k));
    }
  }
  void append(const std::vector<double>& numbers) {
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }

  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
};

}  // namespace generative_ik::recognition
