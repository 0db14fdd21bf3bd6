#include "bounded_quadratic.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::tracking {
namespace {

// Bounds let go, and bounds met, for each variable. Mostly it is one or two for all of them.
constexpr std::size_t kChanges = 3;
// Descent along a variable, in units of the square root of the function, that is rounding.
constexpr double kRounding = 1e-12;
// Curvature below this share of the diagonal is rounding: along it a variable stays where it is.
constexpr double kFlat = 2e-16;
// What such a direction counts in a determinant.
constexpr double kNoCurvature = 1e-300;

}  // namespace

BoundedQuadratic::BoundedQuadratic(std::size_t size)
    : size_(size),
      matrix_(size * size),
      factor_(size * size),
      residual_(size),
      step_(size),
      at_bound_(size, 0) {
  free_.reserve(size);
}

void BoundedQuadratic::forget() {
  std::fill(at_bound_.begin(), at_bound_.end(), std::int8_t{0});
}

void BoundedQuadratic::solve(const double* b, const double* lower, const double* upper,
                             double* y) {
  for (std::size_t i = 0; i < size_; ++i) {
    y[i] = std::clamp(y[i], lower[i], upper[i]);
    if (!(lower[i] < upper[i])) {
      at_bound_[i] = -1;
    } else if (at_bound_[i] != 0) {
      y[i] = at_bound_[i] < 0 ? lower[i] : upper[i];
      if (!std::isfinite(y[i])) {
        at_bound_[i] = 0;
        y[i] = std::clamp(0.0, lower[i], upper[i]);
      }
    }
  }
  factor();
  for (std::size_t change = 0; change < kChanges * size_; ++change) {
    writeResidual(b, y);
    if (advance(lower, upper, y)) {
      writeResidual(b, y);
      if (!release(lower, upper)) {
        return;
      }
    }
    factor();
  }
}

void BoundedQuadratic::solveFree(const double* b, double* y) const {
  std::fill_n(y, size_, 0.0);
  // The rows in front are not read again once they are overwritten: free_[k] >= k.
  for (std::size_t k = 0; k < free_.size(); ++k) {
    y[k] = b[free_[k]];
  }
  substitute(y);
  for (std::size_t k = free_.size(); k-- > 0;) {
    const double value = y[k];
    y[k] = 0.0;
    y[free_[k]] = value;
  }
}

void BoundedQuadratic::factorLike(const BoundedQuadratic& other) {
  at_bound_ = other.at_bound_;
  factor();
}

double BoundedQuadratic::logDeterminant() {
  forget();
  factor();
  double sum = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double inverse = factor_[i * size_ + i];
    sum += inverse > 0.0 ? -2.0 * std::log(inverse) : std::log(kNoCurvature);
  }
  return sum;
}

void BoundedQuadratic::factor() {
  free_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    if (at_bound_[i] == 0) {
      free_.push_back(i);
    }
  }
  const std::size_t count = free_.size();
  for (std::size_t i = 0; i < count; ++i) {
    double* row = factor_.data() + i * size_;
    const double* of_matrix = matrix_.data() + free_[i] * size_;
    for (std::size_t k = 0; k <= i; ++k) {
      const double* above = factor_.data() + k * size_;
      double value = of_matrix[free_[k]];
      for (std::size_t m = 0; m < k; ++m) {
        value -= row[m] * above[m];
      }
      if (k < i) {
        row[k] = value * above[k];
      } else {
        row[k] = value > kFlat * of_matrix[free_[k]] ? 1.0 / std::sqrt(value) : 0.0;
      }
    }
  }
}

void BoundedQuadratic::substitute(double* rows) const {
  const std::size_t count = free_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = factor_.data() + i * size_;
    double value = rows[i];
    for (std::size_t k = 0; k < i; ++k) {
      value -= row[k] * rows[k];
    }
    rows[i] = value * row[i];
  }
  for (std::size_t i = count; i-- > 0;) {
    double value = rows[i];
    for (std::size_t k = i + 1; k < count; ++k) {
      value -= factor_[k * size_ + i] * rows[k];
    }
    rows[i] = value * factor_[i * size_ + i];
  }
}

void BoundedQuadratic::writeResidual(const double* b, const double* y) {
  std::copy_n(b, size_, residual_.begin());
  for (std::size_t i = 0; i < size_; ++i) {
    const double* row = matrix_.data() + i * size_;
    double value = 0.0;
    for (std::size_t k = 0; k < i; ++k) {
      value += row[k] * y[k];
      residual_[k] -= row[k] * y[i];
    }
    residual_[i] -= value + row[i] * y[i];
  }
}

bool BoundedQuadratic::advance(const double* lower, const double* upper, double* y) {
  const std::size_t count = free_.size();
  for (std::size_t k = 0; k < count; ++k) {
    step_[k] = residual_[free_[k]];
  }
  substitute(step_.data());
  double share = 1.0;
  std::size_t met = count;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = free_[k];
    const double room = (step_[k] > 0.0 ? upper[i] : lower[i]) - y[i];
    if (std::abs(step_[k]) * share > std::abs(room)) {
      share = room / step_[k];
      met = k;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = free_[k];
    y[i] = std::clamp(y[i] + share * step_[k], lower[i], upper[i]);
  }
  if (met == count) {
    return true;
  }
  const std::size_t i = free_[met];
  at_bound_[i] = step_[met] > 0.0 ? 1 : -1;
  y[i] = step_[met] > 0.0 ? upper[i] : lower[i];
  return false;
}

bool BoundedQuadratic::release(const double* lower, const double* upper) {
  double steepest = 0.0;
  std::size_t best = size_;
  for (std::size_t i = 0; i < size_; ++i) {
    if (at_bound_[i] == 0 || !(lower[i] < upper[i])) {
      continue;
    }
    const double inwards = at_bound_[i] < 0 ? residual_[i] : -residual_[i];
    const double descent = inwards / std::sqrt(matrix_[i * size_ + i]);
    if (descent > std::max(steepest, kRounding)) {
      steepest = descent;
      best = i;
    }
  }
  if (best == size_) {
    return false;
  }
  at_bound_[best] = 0;
  return true;
}

}  // namespace generative_ik::tracking
