/// A search for many targets by the library's threads, some targets at a time.
#pragma once

#include <functional>

#include "../parallel/for_each.hpp"
#include "state.hpp"

namespace generative_ik::search {

/// The search of one problem: `searchChain` or `searchGoals` for its targets. It may be called by
/// several threads at a time.
struct PieceSearch {
  std::function<RunStatus(double* memory, const SearchArrays& arrays, const StepLimit& limit)> run;
  std::int64_t memory;  ///< Numbers that it takes.
};

/// Searches for the targets of a run that are open, `size` at a time, until all are closed, seeds
/// are lacking (`Target::needs_seeds`), or it is to stop; returns whether seeds are lacking.
///
/// What is found does not depend on the number of threads, but on `size`. `arrays.run` is what the
/// run of each piece begins with; `arrays.lanes` is not used.
bool searchPieces(const PieceSearch& search, const SearchArrays& arrays, std::int64_t size,
                  const parallel::StopWhen& stop);

}  // namespace generative_ik::search
