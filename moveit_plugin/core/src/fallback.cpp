#include <algorithm>
#include <cmath>
#include <generative_ik_core/fallback.hpp>

namespace generative_ik {
namespace {

constexpr double kPi = 3.141592653589793;
// Number of random starts near the seed, and their largest distance from it [rad or m].
constexpr int kNearSeed = 4;
constexpr double kNearDistance = 0.5;
// Half of the sampled range of a prismatic joint without limits [m].
constexpr double kUnbounded = 1.0;

}  // namespace

Vector FallbackSearch::start() {
  const SearchBox& box = query_.box;
  if (descents_ == 0) {
    return box.seed();
  }
  Vector q(query_.chain.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Variable& variable = query_.chain.variables()[static_cast<std::size_t>(i)];
    const double unbounded = variable.revolute ? kPi : kUnbounded;
    const double radius = descents_ <= kNearSeed ? kNearDistance : unbounded;
    double lower = box.lower()[i];
    double upper = box.upper()[i];
    if (descents_ <= kNearSeed || !std::isfinite(lower) || !std::isfinite(upper)) {
      lower = std::max(lower, box.seed()[i] - radius);
      upper = std::min(upper, box.seed()[i] + radius);
    }
    // With a seed outside the limits the range may be empty; the descent clamps the start.
    q[i] = lower < upper ? std::uniform_real_distribution<double>(lower, upper)(random_) : lower;
  }
  return q;
}

Descent FallbackSearch::next(const Deadline& deadline) {
  Descent descent = descend(query_.chain, query_.target_in_base, start(), query_.box,
                            query_.tolerance, deadline);
  ++descents_;
  const double error = descent.error.head<3>().norm() / query_.chain.characteristicLength() +
                       descent.error.tail<3>().norm();
  if (error < closest_error_) {
    closest_error_ = error;
    closest_ = descent.q;
  }
  return descent;
}

std::vector<Vector> solveLocally(const Query& query, int count, int max_descents,
                                 const Deadline& deadline) {
  CandidateList candidates(query);
  if (query.box.empty()) {
    return {};
  }
  FallbackSearch search(query);
  int found = 0;
  for (int i = 0; i < max_descents && found < count && !deadline.passed(); ++i) {
    const Descent descent = search.next(deadline);
    if (descent.reached && candidates.add(descent.q)) {
      ++found;
    }
  }
  return candidates.takeNearestFirst();
}

}  // namespace generative_ik
