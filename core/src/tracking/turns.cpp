// How tips turn by motions that leave their positions where these come first.
#include <algorithm>

#include "tracker_state.hpp"

namespace generative_ik::tracking {

TurnTask::TurnTask(const TrackedModel& model, const LaneOptions& weights)
    : task(model, weights, Counted::kRotations),
      quadratic(model.numVariables()),
      rows(task.numErrors() * model.numVariables()),
      last_error(task.numErrors()),
      change(task.numErrors()),
      reference(model.numVariables()) {}

void TrackerState::linearizeTurns() {
  const std::size_t n = q_.size();
  TipTask& task = turns_->task;
  task.measure(q_.data());
  task.linearize();
  for (std::size_t e = 0; e < task.numErrors(); ++e) {
    double* row = turns_->rows.data() + e * n;
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = task.column(i)[e];
    }
    // Those of positions and loops are 0.
    if (e % 6 >= 3 && e < 6 * model_.numTips()) {
      projectToNullSpace(row);
    }
  }
  const double damping = dampingFor(lengthOf(task.error()));
  double* matrix = turns_->quadratic.matrix();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? damping : 0.0;
      for (std::size_t e = 0; e < task.numErrors(); ++e) {
        sum += turns_->rows[e * n + i] * turns_->rows[e * n + j];
      }
      matrix[i * n + j] = sum;
    }
  }
}

void TrackerState::turnBy(const std::vector<double>& errors, const std::vector<double>& other,
                          bool bounded, std::vector<double>& motion) {
  const std::size_t n = q_.size();
  const double* scale = model_.tree().scale;
  rest_ = errors;
  for (std::size_t i = 0; i < n; ++i) {
    solution_[i] = other[i] / scale[i];
  }
  turns_->task.subtractMotion(solution_.data(), rest_.data());
  for (std::size_t i = 0; i < n; ++i) {
    gradient_[i] = 0.0;
    for (std::size_t e = 0; e < errors.size(); ++e) {
      gradient_[i] += turns_->rows[e * n + i] * rest_[e];
    }
    const double here = q_[i] + other[i];
    scaled_.lower[i] = std::min((settings_.limits.lower[i] - here) / scale[i], 0.0);
    scaled_.upper[i] = std::max((settings_.limits.upper[i] - here) / scale[i], 0.0);
    solution_[i] = 0.0;
  }
  if (bounded) {
    turns_->quadratic.forget();
    turns_->quadratic.solve(gradient_.data(), scaled_.lower.data(), scaled_.upper.data(),
                            solution_.data());
  } else {
    turns_->quadratic.solveFree(gradient_.data(), solution_.data());
  }
  for (std::size_t i = 0; i < n; ++i) {
    motion[i] = scale[i] * solution_[i];
  }
}

void TrackerState::approachRotations() {
  constexpr double kOfLimits = 0.5;  // Of the velocity and the acceleration limits.
  linearizeTurns();
  turnBy(turns_->task.error(), delta_, true, gap_);
  if (has_targets_) {
    for (std::size_t e = 0; e < turns_->change.size(); ++e) {
      turns_->change[e] = turns_->task.error()[e] - turns_->last_error[e];
    }
    turnBy(turns_->change, pace_, false, projected_);
    followPace(projected_, turns_->reference);
  }
  const double period = settings_.limits.period;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] -= period * turns_->reference[i];
  }
  const double share = brakingShare(kOfLimits, kOfLimits);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    gap_[i] = period * turns_->reference[i] + share * gap_[i];
  }
  moveInNullSpace();
}

}  // namespace generative_ik::tracking
