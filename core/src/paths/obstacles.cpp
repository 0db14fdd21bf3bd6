#include "obstacles.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace generative_ik::paths {
namespace {

std::int64_t call(std::int64_t function, std::int64_t context, const double* q, std::int64_t size) {
  using Function = std::int64_t (*)(std::int64_t, std::int64_t, std::int64_t);
  // NOLINTBEGIN(*-reinterpret-cast,performance-no-int-to-ptr): compiled code by its address
  return reinterpret_cast<Function>(function)(context, reinterpret_cast<std::int64_t>(q), size);
  // NOLINTEND(*-reinterpret-cast,performance-no-int-to-ptr)
}

}  // namespace

Obstacles::Memory::Memory(Obstacles* obstacles) : obstacles_(obstacles) {
  if (obstacles == nullptr) {
    return;
  }
  point_.resize(static_cast<std::size_t>(obstacles->size_));
  const std::lock_guard lock(obstacles->mutex_);
  if (obstacles->contexts_.empty()) {
    throw std::logic_error("more threads check for collisions than there are contexts");
  }
  context_ = obstacles->contexts_.back();
  obstacles->contexts_.pop_back();
}

Obstacles::Memory::~Memory() {
  if (obstacles_ != nullptr) {
    const std::lock_guard lock(obstacles_->mutex_);
    obstacles_->contexts_.push_back(context_);
  }
}

Verdict Obstacles::check(const double* q, Memory& memory) const {
  return static_cast<Verdict>(call(check_, memory.context_, q, size_));
}

Verdict Obstacles::checkMotion(const double* before, const double* after,
                               const double* resolution, Memory& memory) const {
  // Most motions that collide do so at their end.
  Verdict worst = check(after, memory);
  double longest = 0.0;
  for (std::int64_t v = 0; v < size_; ++v) {
    longest = std::max(longest, std::abs(after[v] - before[v]) / resolution[v]);
  }
  const auto count = static_cast<std::int64_t>(std::ceil(longest));
  double* point = memory.point_.data();
  for (std::int64_t k = 1; k < count && worst < Verdict::kInside; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count);
    for (std::int64_t v = 0; v < size_; ++v) {
      point[v] = before[v] + share * (after[v] - before[v]);
    }
    worst = std::max(worst, check(point, memory));
  }
  return worst;
}

}  // namespace generative_ik::paths
