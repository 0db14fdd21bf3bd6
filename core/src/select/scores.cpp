#include "scores.hpp"

#include <algorithm>
#include <cmath>

#include "../parallel/for_each.hpp"

namespace generative_ik {
namespace {

// Configurations that a thread scores at a time.
constexpr std::int64_t kPiece = 1024;
constexpr double kLargestMargin = 0.5;

}  // namespace

void manipulability(const verify::RodriguesChain& chain, const verify::PlacedRows& rows,
                    double* scores) {
  static const ManipulabilityKernel kernel =
      simd::usable([](auto set) { return manipulability(set); }).front();
  if (rows.count <= kPiece) {
    kernel(chain, rows, scores);
    return;
  }
  const auto score = [&](std::int64_t piece) {
    const std::int64_t first = kPiece * piece;
    kernel(chain,
           {rows.positions + first * rows.size, std::min(kPiece, rows.count - first), rows.size},
           scores + first);
  };
  parallel::forEach((rows.count + kPiece - 1) / kPiece, score, {});
}

void limitMargin(const verify::PlacedRows& rows, const double* lower, const double* upper,
                 double* scores) {
  std::fill_n(scores, rows.count, kLargestMargin);
  for (std::int64_t v = 0; v < rows.size; ++v) {
    const double span = upper[v] - lower[v];
    if (!std::isfinite(span) || !(span > 0.0)) {
      continue;
    }
    for (std::int64_t s = 0; s < rows.count; ++s) {
      const double q = rows.positions[s * rows.size + v];
      scores[s] = std::min(scores[s], std::min(q - lower[v], upper[v] - q) / span);
    }
  }
}

}  // namespace generative_ik
