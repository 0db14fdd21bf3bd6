#include "least_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "damped_step.hpp"

namespace generative_ik {
namespace {

// Steps after which a seed is given up.
constexpr int kMostSteps = 120;
// Weighted preferred error of a minimum, and what is left of the cost's gradient there.
constexpr double kExact = 1e-9;
constexpr double kLevel = 1e-9;
// Steps that are shorter may leave the merit as it is: it differs by less than its rounding [rad].
constexpr double kNearly = 1e-4;
// How much a variable at a limit may lower the cost, per its unit, before it is freed.
constexpr double kReleased = 1e-7;
// The longest step of a variable, in units of its scale.
constexpr double kLongest = 0.5;
// Damping: at first, what it is raised from, its factors after a good and a bad step, and bounds.
constexpr double kFirstDamping = 1e-2;
constexpr double kLeastDampingOfModel = 1e-4;
constexpr double kLess = 0.1;
constexpr double kMore = 10.0;
constexpr double kMostDamping = 1e8;
// A minimum may be flat: with so much damping, the model is to be convex there.
constexpr double kFlat = 1e-7;
// Pivots below which a matrix counts as not positive definite.
constexpr double kLeastPivot = 1e-12;
// A row of which only this share is left beside the others does not count.
constexpr double kDependent = 1e-7;
// By how much rounding may raise the merit.
constexpr double kRounding = 1e-13;

double productOf(const double* a, const double* b, std::int64_t size) {
  double sum = 0.0;
  for (std::int64_t v = 0; v < size; ++v) {
    sum += a[v] * b[v];
  }
  return sum;
}

void add(double factor, const double* a, double* to, std::int64_t size) {
  for (std::int64_t v = 0; v < size; ++v) {
    to[v] += factor * a[v];
  }
}

}  // namespace

LeastError::LeastError(const LaneChain& chain, const LaneOptions& options, const LaneRows& rows,
                       Preferred preferred)
    : chain_(chain),
      options_(options),
      rows_(rows),
      preferred_(preferred),
      size_(chain.num_variables) {
  const auto size = static_cast<std::size_t>(size_);
  for (std::vector<double>* rows_of_three : {&constraints_, &rows_of_}) {
    rows_of_three->resize(kConstraints * size);
  }
  for (std::vector<double>* matrix : {&hessian_, &model_, &factor_}) {
    matrix->resize(size * size);
  }
  for (std::vector<double>* vector : {&gradient_, &normal_, &tangent_, &from_, &trial_}) {
    vector->resize(size);
  }
  held_.resize(size);
}

bool LeastError::minimise(int lane, const double* lower, const double* upper) {
  lane_ = lane;
  lower_ = lower;
  upper_ = upper;
  damping_ = kFirstDamping;
  std::fill(held_.begin(), held_.end(), char{0});
  Merit now = measure();
  double penalty = 0.0;
  for (int step = 0; step < kMostSteps && damping_ < kMostDamping; ++step) {
    for (std::int64_t v = 0; v < size_; ++v) {
      from_[static_cast<std::size_t>(v)] = rows_.seeds.q[v].lane[lane_];
    }
    linearize();
    stepInFace();
    if (isExact(now) && slope() <= kLevel) {
      if (!factorModel(kFlat)) {
        return false;  // a saddle
      }
      if (!release()) {
        return true;
      }
      continue;
    }
    double left = 0.0;
    for (std::size_t v = 0; v < from_.size(); ++v) {
      left = std::max(left, std::abs(normal_[v] + tangent_[v]));
    }
    double largest = 0.0;
    for (const double multiplier : multipliers_) {
      largest = std::max(largest, std::abs(multiplier));
    }
    penalty = std::max(penalty, 2.0 * largest + 1.0);
    const Merit then = tryStep();
    const double before = now.with(penalty);
    // At the end, costs differ by less than their rounding.
    const bool last = left < kNearly && then.violation <= std::max(now.violation, kExact) &&
                      then.cost <= now.cost + kRounding * (1.0 + now.cost);
    if (then.with(penalty) < before || last) {
      now = then;
      damping_ = damping_ < kFlat ? 0.0 : damping_ * kLess;
    } else {
      moveTo(from_);
      now = measure();
      damping_ = std::max(damping_ * kMore, kLeastDampingOfModel);
    }
  }
  return false;
}

bool LeastError::isExact(const Merit& now) const {
  double left = 0.0;
  for (const double step : normal_) {
    left = std::max(left, std::abs(step));
  }
  // What no step changes, as the height of a planar arm, may be anything within the tolerance.
  const double within = preferred_ == Preferred::kPosition
                            ? options_.position_weight * options_.position_tolerance
                            : options_.orientation_weight * options_.orientation_tolerance;
  return now.violation <= kExact || (left <= kExact && now.violation <= within);
}

LeastError::Merit LeastError::measure() {
  DampedStep<double>(chain_, rows_, lane_).measure();
  const double position = options_.position_weight * rows_.seeds.position_error->lane[lane_];
  const double chord = options_.orientation_weight * rows_.seeds.orientation_error->lane[lane_];
  if (preferred_ == Preferred::kPosition) {
    return {0.5 * squared(chord), position};
  }
  return {0.5 * squared(position), chord};
}

void LeastError::linearize() {
  DampedStep<double>(chain_, rows_, lane_).writeJacobian(options_);
  const bool position_first = preferred_ == Preferred::kPosition;
  const int first = position_first ? 0 : 3;
  const int other = 3 - first;
  double weights[2] = {options_.position_weight, options_.orientation_weight};  // NOLINT
  double pull[3];  // NOLINT(*-avoid-c-arrays): what the other error pulls by
  // The gradient of half the squared chord has the sine of the angle, not its half's.
  const double chord = rows_.seeds.orientation_error->lane[lane_];
  const double cosine = std::sqrt(std::max(0.0, 1.0 - 0.25 * squared(chord)));
  for (int k = 0; k < kConstraints; ++k) {
    sides_[k] = weights[first / 3] * rows_.error[first + k].lane[lane_];
    pull[k] =
        weights[other / 3] * rows_.error[other + k].lane[lane_] * (position_first ? cosine : 1.0);
  }
  for (std::int64_t v = 0; v < size_; ++v) {
    double slope = 0.0;
    for (int k = 0; k < kConstraints; ++k) {
      at(constraints_, k, v) = rows_.jacobian[6 * v + first + k].lane[lane_];
      slope -= rows_.jacobian[6 * v + other + k].lane[lane_] * pull[k];
    }
    gradient_[static_cast<std::size_t>(v)] = slope;
  }
}

void LeastError::writeHessian() {
  std::fill(hessian_.begin(), hessian_.end(), 0.0);
  const LaneView<double> view(lane_);
  const double linear = options_.position_weight;
  const double angular = options_.orientation_weight;
  const Vector3<double> gap = view.vector(rows_.error);
  const Vector3<double> turn = 0.5 * view.vector(rows_.error + 3);
  const double cosine = std::sqrt(std::max(0.0, 1.0 - dot(turn, turn)));
  const simd::Quaternion<double> rotation = {turn.x, turn.y, turn.z, cosine};
  const double trace = 4.0 * squared(cosine) - 1.0;
  const Vector3<double> y = {multipliers_[0], multipliers_[1], multipliers_[2]};
  const Vector3<double> tip = view.vector(rows_.tip);
  for (std::int64_t j = 0; j < chain_.num_joints; ++j) {
    const Vector3<double> axis = view.vector(rows_.axes + 6 * j);
    const bool turns = chain_.prismatic[j] == 0;
    const Vector3<double> velocity =
        turns ? cross(axis, tip - view.vector(rows_.axes + 6 * j + 3)) : axis;
    for (std::int64_t i = 0; i <= j; ++i) {
      // Joint i is nearer to the base: what it does to the velocity by joint j.
      const Vector3<double> before = view.vector(rows_.axes + 6 * i);
      const bool both_turn = turns && chain_.prismatic[i] == 0;
      const Vector3<double> bend =
          chain_.prismatic[i] == 0 ? cross(before, velocity) : Vector3<double>{0.0, 0.0, 0.0};
      double entry = 0.0;
      if (preferred_ == Preferred::kPosition) {
        entry = linear * dot(y, bend);
        if (both_turn) {
          // Of (3 - trace) / 2, where the trace is that of the rotation from tip to target.
          const double both = dot(before, axis) * trace - dot(rotated(rotation, before), axis);
          entry += squared(angular) * 0.5 * both;
        }
      } else {
        const Vector3<double> moved =
            chain_.prismatic[i] == 0 ? cross(before, tip - view.vector(rows_.axes + 6 * i + 3))
                                     : before;
        entry = squared(linear) * (dot(moved, velocity) - dot(gap, bend));
        if (both_turn) {
          entry += 0.5 * angular * dot(y, cross(before, axis));
        }
      }
      const std::int64_t v = chain_.variable[i];
      const std::int64_t w = chain_.variable[j];
      entry *= chain_.multiplier[i] * chain_.scale[v] * chain_.multiplier[j] * chain_.scale[w];
      at(hessian_, v, w) += entry;
      if (i != j) {
        at(hessian_, w, v) += entry;
      }
    }
  }
}

void LeastError::factorConstraints() {
  const std::int64_t n = size_;
  for (int i = 0; i < kConstraints; ++i) {
    double* row = rows_of_.data() + i * n;
    for (std::int64_t v = 0; v < n; ++v) {
      row[v] = held_[static_cast<std::size_t>(v)] != 0 ? 0.0 : at(constraints_, i, v);
    }
    const double whole = std::sqrt(productOf(row, row, n));
    std::fill_n(triangle_[i], kConstraints, 0.0);
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < i; ++k) {
        const double* other = rows_of_.data() + k * n;
        const double share = productOf(row, other, n);
        triangle_[i][k] += share;
        add(-share, other, row, n);
      }
    }
    const double left = std::sqrt(productOf(row, row, n));
    const bool counts = left > kDependent * std::max(whole, kDependent);
    triangle_[i][i] = counts ? left : 0.0;
    for (std::int64_t v = 0; v < n; ++v) {
      row[v] = counts ? row[v] / left : 0.0;
    }
  }
  solveConstraints(sides_, normal_);
  // Multipliers that leave as little as possible of the cost's gradient.
  for (int i = kConstraints - 1; i >= 0; --i) {
    double rest = -productOf(rows_of_.data() + i * n, gradient_.data(), n);
    for (int k = i + 1; k < kConstraints; ++k) {
      rest -= triangle_[k][i] * multipliers_[k];
    }
    multipliers_[i] = triangle_[i][i] > 0.0 ? rest / triangle_[i][i] : 0.0;
  }
}

void LeastError::solveConstraints(const double* sides, std::vector<double>& step) const {
  double shares[kConstraints];  // NOLINT(*-avoid-c-arrays)
  std::fill(step.begin(), step.end(), 0.0);
  for (int i = 0; i < kConstraints; ++i) {
    double rest = sides[i];
    for (int k = 0; k < i; ++k) {
      rest -= triangle_[i][k] * shares[k];
    }
    shares[i] = triangle_[i][i] > 0.0 ? rest / triangle_[i][i] : 0.0;
    add(shares[i], rows_of_.data() + i * size_, step.data(), size_);
  }
}

void LeastError::project(std::vector<double>& x) const {
  for (std::size_t v = 0; v < x.size(); ++v) {
    x[v] = held_[v] != 0 ? 0.0 : x[v];
  }
  for (int i = 0; i < kConstraints; ++i) {
    const double* row = rows_of_.data() + i * size_;
    add(-productOf(row, x.data(), size_), row, x.data(), size_);
  }
}

bool LeastError::factorModel(double damping) {
  const std::int64_t n = size_;
  // Orthogonal to the constraints the damped model, along them the identity.
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k <= i; ++k) {
      double entry = at(model_, i, k) + (i == k ? damping : 0.0);
      for (int row = 0; row < kConstraints; ++row) {
        entry += (1.0 - damping) * at(rows_of_, row, i) * at(rows_of_, row, k);
      }
      if (held_[static_cast<std::size_t>(i)] != 0 || held_[static_cast<std::size_t>(k)] != 0) {
        entry = i == k ? 1.0 : 0.0;
      }
      for (std::int64_t m = 0; m < k; ++m) {
        entry -= at(factor_, i, m) * at(factor_, k, m);
      }
      if (i == k) {
        if (!(entry > kLeastPivot)) {
          return false;
        }
        at(factor_, i, i) = std::sqrt(entry);
      } else {
        at(factor_, i, k) = entry / at(factor_, k, k);
      }
    }
  }
  return true;
}

void LeastError::substitute(std::vector<double>& x) const {
  const std::int64_t n = size_;
  for (std::int64_t i = 0; i < n; ++i) {
    double rest = x[static_cast<std::size_t>(i)];
    for (std::int64_t k = 0; k < i; ++k) {
      rest -= at(factor_, i, k) * x[static_cast<std::size_t>(k)];
    }
    x[static_cast<std::size_t>(i)] = rest / at(factor_, i, i);
  }
  for (std::int64_t i = n - 1; i >= 0; --i) {
    double rest = x[static_cast<std::size_t>(i)];
    for (std::int64_t k = i + 1; k < n; ++k) {
      rest -= at(factor_, k, i) * x[static_cast<std::size_t>(k)];
    }
    x[static_cast<std::size_t>(i)] = rest / at(factor_, i, i);
  }
}

void LeastError::solveModel() {
  const std::int64_t n = size_;
  writeHessian();
  // Its part along the constraints does not count.
  model_ = hessian_;
  for (int row = 0; row < kConstraints; ++row) {
    const double* q = rows_of_.data() + row * n;
    for (std::int64_t v = 0; v < n; ++v) {  // from the left, by columns
      double share = 0.0;
      for (std::int64_t k = 0; k < n; ++k) {
        share += q[k] * at(model_, k, v);
      }
      for (std::int64_t k = 0; k < n; ++k) {
        at(model_, k, v) -= share * q[k];
      }
    }
    for (std::int64_t v = 0; v < n; ++v) {
      double* of_row = model_.data() + v * n;
      add(-productOf(of_row, q, n), q, of_row, n);
    }
  }
  for (std::int64_t v = 0; v < n; ++v) {
    const auto i = static_cast<std::size_t>(v);
    tangent_[i] = -gradient_[i] - productOf(hessian_.data() + v * n, normal_.data(), n);
  }
  project(tangent_);
  while (!factorModel(damping_) && damping_ < kMostDamping) {
    damping_ = std::max(damping_ * kMore, kLeastDampingOfModel);
  }
  substitute(tangent_);
  project(tangent_);
}

void LeastError::stepInFace() {
  // What was held stays so until its multiplier says otherwise; each turn holds one or more.
  bool holds = true;
  while (holds) {
    factorConstraints();
    solveModel();
    holds = false;
    for (std::int64_t v = 0; v < size_; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const double step = normal_[i] + tangent_[i];
      const bool outward =
          (step < 0.0 && from_[i] <= lower_[v]) || (step > 0.0 && from_[i] >= upper_[v]);
      if (outward && held_[i] == 0) {
        held_[i] = 1;
        holds = true;
      }
    }
  }
}

double LeastError::slope() {
  trial_ = gradient_;
  project(trial_);
  double largest = 0.0;
  for (const double entry : trial_) {
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

bool LeastError::release() {
  double steepest = kReleased;
  std::size_t which = held_.size();
  for (std::size_t v = 0; v < held_.size(); ++v) {
    if (held_[v] == 0) {
      continue;
    }
    double slope = gradient_[v];
    for (int k = 0; k < kConstraints; ++k) {
      slope += at(constraints_, k, static_cast<std::int64_t>(v)) * multipliers_[k];
    }
    const double gain = from_[v] <= lower_[v] ? -slope : slope;
    if (lower_[v] < upper_[v] && gain > steepest) {
      steepest = gain;
      which = v;
    }
  }
  if (which == held_.size()) {
    return false;
  }
  held_[which] = 0;
  return true;
}

void LeastError::moveTo(const std::vector<double>& q) {
  for (std::int64_t v = 0; v < size_; ++v) {
    rows_.seeds.q[v].lane[lane_] = q[static_cast<std::size_t>(v)];
  }
}

LeastError::Merit LeastError::tryStep() {
  double share = 1.0;
  for (std::int64_t v = 0; v < size_; ++v) {
    const auto i = static_cast<std::size_t>(v);
    const double step = normal_[i] + tangent_[i];
    share = std::min(share, kLongest / std::max(std::abs(step), kLongest));
    const double way = step * chain_.scale[v];
    const double room = way < 0.0 ? lower_[v] - from_[i] : upper_[v] - from_[i];
    if (std::abs(way) > std::abs(room)) {
      share = std::min(share, std::abs(room / way));
    }
  }
  for (std::int64_t v = 0; v < size_; ++v) {
    const auto i = static_cast<std::size_t>(v);
    const double q = from_[i] + share * (normal_[i] + tangent_[i]) * chain_.scale[v];
    const double room = 1e-12 * (1.0 + std::abs(q));
    trial_[i] = q <= lower_[v] + room ? lower_[v] : q >= upper_[v] - room ? upper_[v] : q;
  }
  moveTo(trial_);
  Merit then = measure();
  if (then.violation > kExact) {
    restore();
    const Merit back = measure();
    if (back.violation < then.violation) {
      return back;
    }
    moveTo(trial_);
    then = measure();
  }
  return then;
}

void LeastError::restore() {
  const bool position_first = preferred_ == Preferred::kPosition;
  const int first = position_first ? 0 : 3;
  const double weight = position_first ? options_.position_weight : options_.orientation_weight;
  double sides[kConstraints];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < kConstraints; ++k) {
    sides[k] = weight * rows_.error[first + k].lane[lane_];
  }
  solveConstraints(sides, normal_);
  for (std::int64_t v = 0; v < size_; ++v) {
    double& q = rows_.seeds.q[v].lane[lane_];
    q = std::clamp(q + normal_[static_cast<std::size_t>(v)] * chain_.scale[v], lower_[v],
                   upper_[v]);
  }
}

}  // namespace generative_ik
