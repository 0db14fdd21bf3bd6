/// Which kind of seed a target gets next, and when its search is over.
///
/// Random restarts are drawn without regard to what was found, so the share of their solutions
/// that is new tells how much of the solution set is still unknown. Null-space steps start beside
/// known solutions: they fill continuous solution sets cheaply, but say nothing about other sets.
/// Nothing here depends on time, so a call takes the same course however fast the machine is.
#pragma once

#include "problem.hpp"
#include "records.hpp"

namespace generative_ik::search {

/// Random restarts after which a target without a solution is taken to be unreachable.
constexpr std::int64_t kGiveUp = 2048;

/// Returns the kind of the target's next seed and counts it as begun.
///
/// `given` seeds come from the sampler, those tried before included; an endless sequence goes on
/// beyond them.
SeedKind chooseSeed(Target& target, const StoppingCriteria& criteria, std::int64_t count,
                    std::int64_t given, bool endless);

/// Counts a seed that has ended, and closes the target when its search is over; `count` are its
/// solutions.
void countSeed(Target& target, const StoppingCriteria& criteria, std::int64_t count, SeedKind kind,
               bool converged, bool found_new);

}  // namespace generative_ik::search
