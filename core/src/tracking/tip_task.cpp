#include "tip_task.hpp"

#include <algorithm>
#include <cmath>

#include "../local_solver/goals/goal_step.hpp"

namespace generative_ik::tracking {
namespace {

std::vector<double> countsOf(const TrackedModel& model, Counted counted) {
  std::vector<double> counts;
  for (std::size_t k = 0; k < 6 * model.numGoals(); ++k) {
    const bool turns = k % 6 >= 3;
    if (k >= 6 * model.numTips()) {
      counts.push_back(counted == Counted::kRotations ? 0.0 : TipTask::kLoop);
    } else {
      counts.push_back(counted == Counted::kAll ||
                               counted == (turns ? Counted::kRotations : Counted::kPositions)
                           ? 1.0
                           : 0.0);
    }
  }
  return counts;
}

}  // namespace

TipTask::TipTask(const TrackedModel& model, const LaneOptions& weights, Counted counted)
    : model_(model),
      options_(weights),
      memory_(static_cast<std::size_t>(countGoalRows(model.tree()))),
      rows_(goalRowsIn(memory_.data(), model.tree())),
      counts_(countsOf(model, counted)),
      error_(6 * model.numGoals()),
      jacobian_(error_.size() * model.numVariables()) {
  clearGoalLanes(rows_, model.tree(), options_);
}

void TipTask::setTargets(const double* targets) {
  loadGoals(targets, model_.regions(), model_.tree(), rows_, 0);
}

void TipTask::measure(const double* q) {
  for (std::size_t v = 0; v < numVariables(); ++v) {
    rows_.seeds.q[v].lane[0] = q[v];
  }
  GoalErrors<double>(model_.tree(), options_, rows_, 0).measure();
  for (std::size_t k = 0; k < error_.size(); ++k) {
    const double weight = k % 6 < 3 ? options_.position_weight : options_.orientation_weight;
    error_[k] = counts_[k] * weight * rows_.gap[k].lane[0];
  }
}

void TipTask::linearize() {
  const GoalTree& tree = model_.tree();
  GoalStep<double>(tree, options_, nullptr, nullptr, rows_, 0).writeJacobian();
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  for (std::size_t g = 0; g < model_.numGoals(); ++g) {
    for (std::size_t v = 0; v < numVariables(); ++v) {
      const std::int64_t c = tree.column[g * numVariables() + v];
      for (std::size_t k = 0; c >= 0 && k < 6; ++k) {
        jacobian_[v * error_.size() + 6 * g + k] =
            counts_[6 * g + k] * rows_.jacobian[6 * c + static_cast<std::int64_t>(k)].lane[0];
      }
    }
  }
}

double TipTask::orientationError() const {
  return 2.0 * std::asin(std::min(0.5 * rows_.seeds.orientation_error->lane[0], 1.0));
}

void TipTask::project(const double* errors, double* gradient) const {
  for (std::size_t v = 0; v < numVariables(); ++v) {
    const double* of = column(v);
    double sum = 0.0;
    for (std::size_t k = 0; k < error_.size(); ++k) {
      sum += of[k] * errors[k];
    }
    gradient[v] = sum;
  }
}

void TipTask::subtractMotion(const double* motion, double* errors) const {
  for (std::size_t v = 0; v < numVariables(); ++v) {
    const double* of = column(v);
    for (std::size_t k = 0; k < error_.size(); ++k) {
      errors[k] -= of[k] * motion[v];
    }
  }
}

void TipTask::writeNormal(double damping, double* matrix) const {
  const std::size_t size = numVariables();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double* a = column(i);
      const double* b = column(j);
      double sum = i == j ? damping : 0.0;
      for (std::size_t k = 0; k < error_.size(); ++k) {
        sum += a[k] * b[k];
      }
      matrix[i * size + j] = sum;
    }
  }
}

double lengthOf(const std::vector<double>& errors) {
  double sum = 0.0;
  for (const double error : errors) {
    sum += error * error;
  }
  return std::sqrt(sum);
}

}  // namespace generative_ik::tracking
