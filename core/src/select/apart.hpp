/// The best of many solutions that lie apart from each other.
#pragma once

#include <cstdint>
#include <vector>

namespace generative_ik {

/// Solutions, and the order from the best to the worst.
struct OrderedRows {
  const double* positions;    ///< (M, size) [rad or m]
  std::int64_t size;          ///< Joints.
  const std::int64_t* order;  ///< Indices of solutions, the best first.
  std::int64_t count;         ///< Of indices.
  const bool* around;         ///< (size) joints on which a full turn makes no difference.
};

/// Takes the first of the order, then the next one that is apart from all that are taken, and so
/// on, `most` at most. Two are apart if a joint differs by `distance` [rad or m].
std::vector<std::int64_t> bestApart(const OrderedRows& rows, double distance, std::int64_t most);

/// Takes those that are apart from all before them, taken or not. Where solutions lie closer than
/// that everywhere, these are the local maxima of a score.
std::vector<std::int64_t> highest(const OrderedRows& rows, double distance, std::int64_t most);

}  // namespace generative_ik
