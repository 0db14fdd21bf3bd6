#include "pieces.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

namespace generative_ik::search {

bool searchPieces(const PieceSearch& search, const SearchArrays& arrays, std::int64_t size,
                  const parallel::StopWhen& stop) {
  const Run& whole = *arrays.run;
  std::atomic<bool> lacking{false};
  const auto search_piece = [&](std::int64_t piece, parallel::Checkpoint& checkpoint) {
    Run run = whole;
    run.first = run.next_target = whole.first + piece * size;
    run.last = std::min(run.first + size, whole.last);
    if (std::all_of(arrays.targets + run.first, arrays.targets + run.last,
                    [](const Target& target) { return target.closed; })) {
      return;
    }
    std::vector<double> memory(static_cast<std::size_t>(search.memory));
    std::array<Lane, kLanes> lanes{};
    SearchArrays own = arrays;
    own.run = &run;
    own.lanes = lanes.data();
    const RunStatus status =
        search.run(memory.data(), own, {std::numeric_limits<std::int64_t>::max(), &checkpoint});
    if (status == RunStatus::kOutOfSeeds) {
      lacking = true;
    }
  };
  parallel::forEach((whole.last - whole.first + size - 1) / size, search_piece, stop);
  return lacking;
}

}  // namespace generative_ik::search
