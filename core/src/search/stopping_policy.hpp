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
/// Solutions of a redundant chain from which on a search does not depend on how many more are
/// wanted.
constexpr std::int64_t kManyWanted = 100;
/// Random restarts to find the nearest solution where none is near the seed state.
constexpr std::int64_t kFar = 96;

/// The number of seeds in a batch, clipped to its bounds.
std::int64_t boundedBatch(double count);

/// First guess of how many seeds it takes to find one more distinct solution. Args: dimensions:
/// see budget.hpp. redundant: whether null-space steps then fill the solution sets of poses.
double seedsPerSolution(std::int64_t dimensions, bool redundant);

/// How many restarts it takes to estimate the share of new solutions again, after so many that
/// have ended and converged.
std::int64_t nextBatch(std::int64_t ended, std::int64_t converged);

/// Whether a target with so many solutions that are free, and that are not known to collide, has
/// as many as wanted, or should have.
///
/// To find a few more takes less time than to decide whether one that is close to an obstacle
/// collides; only when most of what is found is undecided, that is all that is left.
bool hasEnough(std::int64_t free, std::int64_t usable, std::int64_t wanted);

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

/// Lets the search for a closed target go on with what it knows, for more solutions.
void reopen(Target& target);

/// Forgets that hardly any solution was new, because fewer of them now count as duplicates.
void forgetSaturation(Target& target, bool redundant);

}  // namespace generative_ik::search
