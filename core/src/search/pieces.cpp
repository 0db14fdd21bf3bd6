#include "pieces.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

namespace generative_ik::search {
namespace {

bool anyUndecided(const SearchArrays& arrays) {
  return std::any_of(arrays.targets + arrays.run->first, arrays.targets + arrays.run->last,
                     [](const Target& target) { return target.usable > target.free; });
}

}  // namespace

RunStatus searchPiece(const PieceSearch& search, const SearchArrays& arrays,
                      parallel::Checkpoint& checkpoint) {
  std::vector<double> memory(static_cast<std::size_t>(search.problem.memory()));
  std::array<Lane, kLanes> lanes{};
  // They have memory for one thread.
  const CollisionCheck check = arrays.check != nullptr ? *arrays.check : CollisionCheck();
  const PushOut push = arrays.push != nullptr ? *arrays.push : PushOut();
  SearchArrays own = arrays;
  own.lanes = lanes.data();
  own.check = &check;
  own.push = &push;
  const StepLimit limit = {std::numeric_limits<std::int64_t>::max(), &checkpoint};
  RunStatus status = search.problem.search(memory.data(), own, limit);
  while (status == RunStatus::kOver && search.settle && anyUndecided(own) &&
         search.settle(own.run->first, own.run->last)) {
    own.run->next_target = own.run->first;
    status = search.problem.search(memory.data(), own, limit);
  }
  return status;
}

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
    SearchArrays own = arrays;
    own.run = &run;
    if (searchPiece(search, own, checkpoint) == RunStatus::kOutOfSeeds) {
      lacking = true;
    }
  };
  parallel::forEach((whole.last - whole.first + size - 1) / size, search_piece, stop);
  return lacking;
}

}  // namespace generative_ik::search
