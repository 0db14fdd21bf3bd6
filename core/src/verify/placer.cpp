#include "placer.hpp"

#include <vector>

#include "place.hpp"

namespace generative_ik::verify {
void placeTips(const RodriguesChain& chain, const PlacedRows& rows, double* poses) {
  static const PlaceKernel kernel = simd::usable([](auto set) { return place(set); }).front();
  kernel(chain, rows, poses);
}

void placeTips(const RodriguesTree& tree, const PlacedRows& rows, double* poses) {
  std::vector<Frame<double>> slots(static_cast<std::size_t>(tree.num_slots));
  for (std::int64_t s = 0; s < rows.count; ++s) {
    const double* q = rows.positions + rows.size * s;
    placeSlots<double>(
        tree, [q](std::int64_t v) { return q[v]; }, slots.data());
    for (std::int64_t g = 0; g < tree.num_goals; ++g) {
      const auto reference =
          fixedTo(tree.reference_slot[g], tree.reference + 16 * g, slots.data());
      const auto tip = fixedTo(tree.tip_slot[g], tree.tip + 16 * g, slots.data());
      writePose(seenFrom(reference, tip), 0, poses + 16 * (tree.num_goals * s + g));
    }
  }
}

}  // namespace generative_ik::verify
