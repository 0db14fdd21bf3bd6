#include "solution_pool.hpp"

#include <cmath>

namespace generative_ik {
namespace {

constexpr double kTurn = 6.283185307179586;

}  // namespace

void SolutionPool::add(const Vector& q) {
  solutions_.push_back(q);
  visits_.push_back(1);
}

bool SolutionPool::same(const Vector& a, const Vector& b) const {
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    double gap = std::abs(a[i] - b[i]);
    if (gap >= distance_ && circular_[static_cast<std::size_t>(i)]) {
      gap = std::abs(std::remainder(gap, kTurn));
    }
    if (gap >= distance_) {
      return false;
    }
  }
  return true;
}

std::optional<std::size_t> SolutionPool::find(const Vector& q) {
  const std::optional<std::size_t> known = find(q, solutions_.size());
  if (known) {
    ++visits_[*known];
  }
  return known;
}

std::optional<std::size_t> SolutionPool::find(const Vector& q, std::size_t except) const {
  for (std::size_t i = 0; i < solutions_.size(); ++i) {
    if (i != except && same(solutions_[i], q)) {
      return i;
    }
  }
  return std::nullopt;
}

std::size_t SolutionPool::leastVisited(std::size_t first, std::size_t count) {
  std::size_t least = first % solutions_.size();
  for (std::size_t k = 1; k < count; ++k) {
    const std::size_t other = (first + k) % solutions_.size();
    if (visits_[other] < visits_[least]) {
      least = other;
    }
  }
  ++visits_[least];
  return least;
}

Vector SolutionPool::difference(const Vector& a, const Vector& b) const {
  Vector gap = a - b;
  for (Eigen::Index i = 0; i < gap.size(); ++i) {
    if (circular_[static_cast<std::size_t>(i)]) {
      gap[i] = std::remainder(gap[i], kTurn);
    }
  }
  return gap;
}

}  // namespace generative_ik
