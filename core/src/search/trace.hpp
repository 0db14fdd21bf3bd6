/// Tracing of the curves that a region's solutions form, from each end that restarts find.
///
/// A restart that ends away from all that is known begins a trace: a random step beside it shows
/// the direction of the curve, and steps in that direction, both ways, follow it until they come
/// to what is known. While steps wait no restart is begun, so that restarts tell what the traces
/// leave out: when hardly any of them ends away from what is known, the curves are all found.
#pragma once

#include "state.hpp"

namespace generative_ik::search {

/// Whether a solution `q` is away from all that target t has, which is counted if it comes from a
/// restart. Of what is not traced nothing is known to be near.
bool leadsAway(const SearchArrays& search, bool traced, std::int64_t t, SeedKind kind);

/// What a seed has led to.
struct SeedOutcome {
  SeedKind kind;
  std::int64_t base;   ///< Where it started from, as `nextStep` says.
  std::int64_t place;  ///< Index of the new solution; -1 if there is none.
  bool away;           ///< What `leadsAway` said.
};

/// Queues the steps that follow from a seed.
void queueTrace(const SearchArrays& search, bool traced, std::int64_t t,
                const SeedOutcome& outcome);

}  // namespace generative_ik::search
