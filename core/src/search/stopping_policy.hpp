/// How many seeds a search begins with, which kind a target gets next, and when it is over.
///
/// Random restarts are drawn without regard to what was found, so the share of their solutions
/// that is new tells how much of the solution set is still unknown. Null-space steps start beside
/// known solutions: they fill continuous solution sets cheaply, but say nothing about other sets.
/// Nothing here depends on time, so a call takes the same course however fast the machine is.
#pragma once

#include <optional>

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

/// How long a target without a solution is searched for.
struct Persistence {
  /// Random restarts, times the closest error [rad], after which it is given up; 0: that says
  /// nothing.
  double error;
  std::int64_t most_restarts;  ///< After which it is in any case, if none came very close.

  friend bool operator==(const Persistence&, const Persistence&) = default;
};

/// Where the closest error says nothing: all restarts are made.
constexpr Persistence kAllRestarts = {0.0, kGiveUp};

/// What the persistence of a search goes by.
struct Prospects {
  std::int64_t num_variables;
  bool
      unmeasured;  ///< Whether there are narrower limits than a chain's, several tips, or regions.
  bool hurried;    ///< Whether a closed form will tell.
  bool deficient;  ///< Whether seeds then cross the limits on their way (docs/search.md).
};

/// The persistence of a search (docs/search.md).
///
/// A pose whose solutions take many restarts to find is one that others come close to: they end
/// beside it at a joint limit, or at a singularity. So a search may end the sooner the further
/// away everything has ended.
Persistence persistenceOf(const Prospects& search);

/// The number of seeds in a batch, clipped to its bounds.
std::int64_t boundedBatch(double count);

/// What a search is for, as its first batch goes by it.
struct Beginning {
  std::int64_t wanted;      ///< Solutions.
  std::int64_t dimensions;  ///< Those of a region's solutions, see effort.hpp.
  bool redundant;           ///< Whether solutions form continuous sets.
  bool around;              ///< Whether there is a seed state.
  bool traced;              ///< Whether what a restart finds is followed at once.
};

/// How many seeds a search begins with. Args: each: that it takes to find one more solution, if
/// known better. least: at least so many.
std::int64_t firstBatch(const Beginning& search, std::optional<double> each = {},
                        std::int64_t least = 0);

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
