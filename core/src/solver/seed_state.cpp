#include "seed_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace generative_ik {

void checkSeedState(const Vector& seed_state, const ConsistencyLimits& limits, std::size_t size) {
  if (seed_state.size() != static_cast<Eigen::Index>(size)) {
    throw std::invalid_argument("the seed has " + std::to_string(seed_state.size()) +
                                " entries for " + std::to_string(size) + " variables");
  }
  if (!seed_state.allFinite()) {
    throw std::invalid_argument("the seed is not finite");
  }
  if (!limits.empty() && limits.size() != size) {
    throw std::invalid_argument("there are " + std::to_string(limits.size()) +
                                " consistency limits for " + std::to_string(size) +
                                " variables; give one for each, or none");
  }
  // Negated so that NaN is refused as well.
  if (!std::all_of(limits.begin(), limits.end(), [](double limit) { return limit >= 0.0; })) {
    throw std::invalid_argument("a consistency limit is negative or NaN");
  }
}

void checkSeedState(const IKRequest& request, std::size_t size) {
  if (request.seed_state) {
    checkSeedState(*request.seed_state, request.consistency_limits, size);
  } else if (!request.consistency_limits.empty()) {
    throw std::invalid_argument("consistency limits need a seed state to be measured from");
  }
}

}  // namespace generative_ik
