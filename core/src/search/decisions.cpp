#include "decisions.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "collisions.hpp"
#include "stopping_policy.hpp"

namespace generative_ik::search {
namespace {

using Ranks = std::vector<std::int64_t>;

/// Decides on the solutions of one target.
class Deciding {
 public:
  Deciding(const Decisions& decisions, const SearchArrays& arrays, std::int64_t t)
      : decisions_(decisions),
        pool_(arrays.pool),
        reference_(arrays.reference()),
        target_(arrays.targets[t]),
        t_(t) {}

  /// Whether solutions are to be decided on.
  [[nodiscard]] bool lacks() const {
    const bool in_order = decisions_.nearest || decisions_.all || decisions_.least_error ||
                          decisions_.score != nullptr;
    return target_.usable > target_.free && (in_order || target_.free < decisions_.wanted);
  }

  /// Returns whether it is to be searched on.
  bool decide(const parallel::StopWhen& stop) {
    // Otherwise there is nothing left to find.
    const bool enough =
        hasEnough(target_.free, target_.usable, decisions_.looked_for) && !target_.complete;
    std::int64_t free = 0;
    for (const std::int64_t k : order()) {
      if (free == decisions_.wanted && !decisions_.all) {
        break;
      }
      SolutionNotes& notes = pool_.notes(t_, k);
      if (notes.collides()) {  // by now
        continue;
      }
      if (notes.checked() != Verdict::kFree) {
        if (stop.isLate()) {
          target_.closed = false;
          return false;
        }
        const bool hit = decisions_.collides(positionOf(k));
        notes.setChecked(hit ? Verdict::kColliding : Verdict::kFree);
        target_.usable -= hit ? 1 : 0;
        target_.free += hit ? 0 : 1;
      }
      if (!notes.collides()) {
        ++free;
        if (target_.doubled) {
          dropSame(k);
        }
      }
    }
    if (free >= decisions_.wanted || !enough) {
      return false;
    }
    reopen(target_);
    return true;
  }

 private:
  [[nodiscard]] std::span<const double> positionOf(std::int64_t k) const {
    return {pool_.position(t_, k), static_cast<std::size_t>(pool_.size)};
  }

  // The order in which solutions are returned, without those that collide.
  [[nodiscard]] Ranks order() const {
    Ranks ranks;
    for (std::int64_t k = 0; k < pool_.counts[t_]; ++k) {
      if (!pool_.notes(t_, k).collides()) {
        ranks.push_back(k);
      }
    }
    sort(ranks);
    if (const std::optional<Tolerance>& exact = decisions_.exact) {
      std::stable_partition(ranks.begin(), ranks.end(), [&](std::int64_t k) {
        const SolutionNotes& notes = pool_.notes(t_, k);
        return notes.distance <= exact->position && notes.angle <= exact->orientation;
      });
    }
    return ranks;
  }

  void sort(Ranks& ranks) const {
    if (decisions_.score) {
      const std::vector<double> scores = scoresOf(ranks);
      sortBy(ranks, [&](std::int64_t k) { return -scores[static_cast<std::size_t>(k)]; });
    } else if (decisions_.least_error) {
      sortBy(ranks, [&](std::int64_t k) {
        const SolutionNotes& notes = pool_.notes(t_, k);
        return *decisions_.least_error == 0 ? notes.distance : notes.angle;
      });
    } else if (decisions_.nearest) {
      sortBy(ranks, [&](std::int64_t k) {
        return squaredDistance(pool_.position(t_, k), reference_, pool_.size);
      });
    } else {
      sortBy(ranks, [&](std::int64_t k) { return pool_.notes(t_, k).verdict; });
    }
  }

  template <class Cost>
  static void sortBy(Ranks& ranks, const Cost& cost) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](std::int64_t a, std::int64_t b) { return cost(a) < cost(b); });
  }

  // The scores of solutions, by their index.
  [[nodiscard]] std::vector<double> scoresOf(const Ranks& some) const {
    std::vector<double> rows;
    for (const std::int64_t k : some) {
      rows.insert(rows.end(), positionOf(k).begin(), positionOf(k).end());
    }
    std::vector<double> found(some.size());
    decisions_.score(rows, found);
    std::vector<double> scores(static_cast<std::size_t>(pool_.counts[t_]));
    for (std::size_t i = 0; i < some.size(); ++i) {
      scores[static_cast<std::size_t>(some[i])] = found[i];
    }
    return scores;
  }

  // Takes back what is the same as a solution that is returned, see `keepSolution`.
  void dropSame(std::int64_t kept) {
    for (std::int64_t k = 0; k < pool_.counts[t_]; ++k) {
      SolutionNotes& notes = pool_.notes(t_, k);
      if (k != kept && !notes.collides() && isSame(pool_, t_, k, pool_.position(t_, kept))) {
        drop(pool_, target_, t_, k);
      }
    }
  }

  const Decisions& decisions_;
  const Pool& pool_;
  Reference reference_;
  Target& target_;
  std::int64_t t_;
};

}  // namespace

bool decide(const Decisions& decisions, const SearchArrays& arrays, std::int64_t first,
            std::int64_t last, const parallel::StopWhen& stop) {
  bool again = false;
  for (std::int64_t t = first; t < last; ++t) {
    Deciding deciding(decisions, arrays, t);
    again = (deciding.lacks() && deciding.decide(stop)) || again;
  }
  return again;
}

}  // namespace generative_ik::search
