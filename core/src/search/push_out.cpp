#include "push_out.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "collisions.hpp"

namespace generative_ik::search {
namespace {

// Passes through the contacts: a step out of one may lead into another.
constexpr int kPasses = 3;
// Squared gradient below which the joints do not move what touches apart.
constexpr double kStuck = 1e-6;

// The step that ends some contacts, by projections onto one after the other (S. Kaczmarz 1937).
class Steps {
 public:
  explicit Steps(const CollisionWorld& world) : world_(world) {}

  const double* operator()(const double* q) {
    const PushOptions& options = kPushOptions;
    world_.nearDistances(q, kMarginWanted, options.contacts, near_, memory_);
    if (near_.gaps.empty() || *std::ranges::min_element(near_.gaps) < -options.deepest) {
      return nullptr;
    }
    step_.assign(static_cast<std::size_t>(world_.numVariables()), 0.0);
    for (int pass = 0; pass < kPasses; ++pass) {
      project();
    }
    double longest = 0.0;
    for (const double x : step_) {
      longest = std::max(longest, std::abs(x));
    }
    const double scale = longest > options.longest ? options.longest / longest : 1.0;
    for (std::size_t v = 0; v < step_.size(); ++v) {
      step_[v] = q[v] + scale * step_[v];
    }
    return longest > 0.0 ? step_.data() : nullptr;
  }

 private:
  void project() {
    const std::size_t n = step_.size();
    for (std::size_t k = 0; k < near_.gaps.size(); ++k) {
      const std::span<const double> gradient(near_.gradients.data() + k * n, n);
      double gained = 0.0;
      double squared = 0.0;
      for (std::size_t v = 0; v < n; ++v) {
        gained += gradient[v] * step_[v];
        squared += gradient[v] * gradient[v];
      }
      const double lacking = kPushOptions.excess * (kPushOptions.margin - near_.gaps[k]) - gained;
      if (lacking > 0.0 && squared > kStuck) {
        for (std::size_t v = 0; v < n; ++v) {
          step_[v] += lacking / squared * gradient[v];
        }
      }
    }
  }

  const CollisionWorld& world_;
  CollisionMemory memory_;
  NearDistances near_;
  std::vector<double> step_;
};

}  // namespace

PushOut pushOutIn(const CollisionWorld& world) {
  return Steps(world);
}

}  // namespace generative_ik::search
