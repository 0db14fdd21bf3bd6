/// Where the tips of a model are against their targets, and how its variables move them.
#pragma once

#include <vector>

#include "../local_solver/goals/goal_rows.hpp"
#include "tracked_model.hpp"

namespace generative_ik::tracking {

/// Which errors count. Those of loops, which are to stay closed whatever the tips do, count so
/// much more than others that they are never traded for them.
enum class Counted {
  kAll,
  kPositions,  ///< And loops.
  kRotations,  ///< Those of the tips alone.
  kLoops,
};

/// Errors of one configuration, and their derivatives.
///
/// Errors are those of the local solver, six for each goal, one below the other: of the position
/// and of the rotation (axis times chord), in the directions in which the target or its region
/// constrains them, times weights that make 1 rad and the characteristic length alike. Motions of
/// variables are in units of their scale.
class TipTask {
 public:
  /// What an error of a loop counts: by its square, what is left of it is a millionth of the error
  /// of the tips that it is in the way of.
  static constexpr double kLoop = 1e3;

  /// Keeps the model by reference. Errors that do not count are 0, and so are their derivatives.
  TipTask(const TrackedModel& model, const LaneOptions& weights, Counted counted);

  [[nodiscard]] std::size_t numErrors() const { return error_.size(); }
  [[nodiscard]] std::size_t numVariables() const { return model_.numVariables(); }

  /// Sets the targets (goals, 4, 4): tip in reference [m].
  void setTargets(const double* targets);

  /// Computes the errors of a configuration.
  void measure(const double* q);
  /// Computes their derivatives, after `measure`.
  void linearize();

  /// (errors) weighted, from tip to target.
  [[nodiscard]] const std::vector<double>& error() const { return error_; }
  /// The largest distance of a tip from its target or region [m].
  [[nodiscard]] double positionError() const { return rows_.seeds.position_error->lane[0]; }
  /// The largest angle likewise [rad].
  [[nodiscard]] double orientationError() const;

  /// How a motion by the scale of a variable moves the tips (errors), weighted.
  [[nodiscard]] const double* column(std::size_t variable) const {
    return jacobian_.data() + variable * error_.size();
  }
  /// Writes J' e (variables) for errors e.
  void project(const double* errors, double* gradient) const;
  /// Subtracts J y from errors, for a motion y (variables).
  void subtractMotion(const double* motion, double* errors) const;
  /// Writes the lower triangle of J' J, and `damping` on its diagonal (variables, variables).
  void writeNormal(double damping, double* matrix) const;

 private:
  const TrackedModel& model_;
  const LaneOptions options_;
  std::vector<LaneRow> memory_;
  GoalRows rows_;
  std::vector<double> counts_;  ///< (errors) how much each counts.
  std::vector<double> error_;
  std::vector<double> jacobian_;  ///< (variables, errors)
};

/// The length of errors.
double lengthOf(const std::vector<double>& errors);

}  // namespace generative_ik::tracking
