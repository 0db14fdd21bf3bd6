/// Samples of the curves that a redundant arm's solutions of a pose form.
///
/// At an angle of one locked joint, a closed form gives a point of each curve. Curves end at joint
/// limits, and meet in pairs where two branches merge. Between two angles another is taken
/// wherever a solution at one of them has no branch near it at the other, nor the branch with
/// which it merges. So samples lie evenly in joint space, and what lies between them is known up
/// to their distance. Angles of a prismatic joint are its positions, and a unit of it counts as
/// 1 rad.
#pragma once

#include <cstdint>
#include <memory>

#include "curve_problem.hpp"

namespace generative_ik::answers {

/// An angle of the locked joint: what is looked at again and again.
struct Sample {
  double angle;  ///< [rad or m]
  /// Square of the distance up to which the next sample is near enough: each solution has a branch
  /// so near at the other, or beside it. Below 0 where it is not known yet.
  double gap;
  int after;        ///< The sample at the next larger angle, -1 if there is none.
  int count;        ///< Branches.
  unsigned inside;  ///< Bit k says whether branch k is within the bounds.
  bool unsure;      ///< Whether the closed form is singular there.
  bool may_cross;   ///< Whether a branch may be within the bounds only before the next sample.

  [[nodiscard]] bool isInside(int k) const {
    return (inside >> static_cast<unsigned>(k) & 1U) != 0;
  }
};

/// The branches of the other six joints there.
struct SampleBranches {
  // NOLINTBEGIN(*-avoid-c-arrays)
  double rows[closed_form::kBranches]
             [kJoints];  ///< Inside the bounds where they can be [rad or m].
  /// For each branch two bits for each joint: whether it is beyond its lower, and its upper bound.
  std::uint16_t beyond[closed_form::kBranches];
  // NOLINTEND(*-avoid-c-arrays)
};

/// Memory for samples, which is used again.
class SampleMemory {
 public:
  /// Makes room for so many, which are not written.
  void reserve(int count);

  [[nodiscard]] Sample* samples() const { return samples_.get(); }
  [[nodiscard]] SampleBranches* branches() const { return branches_.get(); }

 private:
  std::unique_ptr<Sample[]> samples_;           // NOLINT(*-avoid-c-arrays)
  std::unique_ptr<SampleBranches[]> branches_;  // NOLINT(*-avoid-c-arrays)
  int size_ = 0;
};

/// How near samples have to be.
struct Spacing {
  double near;  ///< Euclidean distance over all joints [rad].
  double
      widest;  ///< Largest distance between angles [rad]; if finite, for ever shorter curves, too.
  double empty;  ///< The same where neither of two angles has branches.
};

class CurveSamples {
 public:
  struct Begun {
    int angles;     ///< At how many of the angles there are solutions.
    int solutions;  ///< Their number.
  };

  /// At how many angles there are branches, and at how many of these it is singular.
  struct Certainty {
    int some;
    int unsure;
  };

  CurveSamples(const CurveProblem& problem, const double* tip_pose, int most,
               SampleMemory& memory);

  /// Takes samples evenly all over the bounds of the locked joint.
  ///
  /// Args: coarse: distance between angles at the most [rad or m]. enough: number of solutions at
  /// every other angle for which these will do. step: distance between angles, if it is not to
  /// divide the bounds evenly, else 0 [rad or m].
  Begun begin(double coarse, double enough, double step);

  /// Takes samples between others until each solution has something near on its curve; returns the
  /// number of solutions that were added.
  int refine(const Spacing& spacing);

  /// Whether angles are as near as they come where solutions are far apart: a singular
  /// configuration leaves other joints free there, and what lies between is more than the samples.
  [[nodiscard]] bool leaveFree() const;

  [[nodiscard]] Certainty certainty() const;
  [[nodiscard]] bool full() const { return size_ == most_; }
  /// Sample 0 is that at the smallest angle.
  [[nodiscard]] const Sample& operator[](int index) const { return samples_[index]; }
  [[nodiscard]] const SampleBranches& branches(int index) const { return branches_[index]; }

 private:
  // The square of the distance up to which sample j is near enough to i, see `Sample::gap`;
  // `square` is that of the distance between their angles.
  [[nodiscard]] double gapBetween(int i, int j, double square) const;
  // How far a solution of sample i is at the most from the nearest at j, or beside it.
  [[nodiscard]] double farthest(int i, int j, double square) const;
  // See `Sample::may_cross`.
  [[nodiscard]] bool mayCross(int i, int j) const;
  // Takes a sample behind the others; returns how many of its branches are within the bounds.
  int take(double angle);
  // Turns a branch into the bounds, where it can be; returns its bits of `beyond`.
  unsigned turnInside(double* row) const;

  const CurveProblem& problem_;
  closed_form::TipPose<double> pose_;
  Sample* samples_;
  SampleBranches* branches_;
  int most_;
  int size_ = 0;
};

}  // namespace generative_ik::answers
