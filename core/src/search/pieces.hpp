/// A search for many targets by the library's threads, some targets at a time.
#pragma once

#include <functional>

#include "../parallel/for_each.hpp"
#include "run_search.hpp"

namespace generative_ik::search {

/// Decides on solutions that spheres cannot tell to be free, of targets whose search is over, from
/// `first` to before `last`. Says whether some of them are open again. Any thread calls it.
using Settle = std::function<bool(std::int64_t first, std::int64_t last)>;

struct PieceSearch {
  TargetProblem problem;
  Settle settle = {};  ///< None: there is nothing to decide.
};

/// Searches for the targets of a run in memory of its own, until the checkpoint says that it is
/// over: `arrays.lanes` is not used, and of the check there is a copy. Returns how it has ended.
RunStatus searchPiece(const PieceSearch& search, const SearchArrays& arrays,
                      parallel::Checkpoint& checkpoint);

/// Searches for the targets of a run that are open, `size` at a time, until all are closed, seeds
/// are lacking (`Target::needs_seeds`), or it is to stop; returns whether seeds are lacking.
///
/// What is found does not depend on the number of threads, but on `size`. `arrays.run` is what the
/// run of each piece begins with; see `searchPiece`.
bool searchPieces(const PieceSearch& search, const SearchArrays& arrays, std::int64_t size,
                  const parallel::StopWhen& stop);

}  // namespace generative_ik::search
