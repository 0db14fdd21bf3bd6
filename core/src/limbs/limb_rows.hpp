/// Solutions of one limb.
#pragma once

#include <cstdint>
#include <vector>

#include "../answers/targets.hpp"
#include "limbs_problem.hpp"

namespace generative_ik::limbs {

/// Which solutions are asked for.
enum class Which {
  kAny,      ///< One, whichever.
  kFew,      ///< Of branches all; of curves the first few that are come across.
  kAll,      ///< Of branches all; of curves some, as diverse as they can be.
  kToBegin,  ///< The same, but of branches also those beside which there may be others.
  kNearest,  ///< The one nearest to the reference.
};

struct RowsWanted {
  Which which;
  std::int64_t count;         ///< Of curves; 0: not known yet.
  const double* weights;      ///< (n) of the tree's variables, see `LimbsQuestion::weights`.
  std::uint64_t random_seed;  ///< See there.
};

/// What a limb has.
struct LimbRows {
  std::vector<double> positions;  ///< (count, size) distinct, exact [rad or m].
  std::vector<answers::PoseGap> gaps;
  std::int64_t size;
  answers::Note note;

  [[nodiscard]] std::int64_t count() const { return note.count; }
  [[nodiscard]] const double* row(std::int64_t k) const { return positions.data() + k * size; }
  /// Whether these will do; otherwise a search may know of others.
  [[nodiscard]] bool known() const {
    return note.state == static_cast<std::int64_t>(answers::State::kDone);
  }
  /// Whether there are no others.
  [[nodiscard]] bool complete() const { return note.complete != 0; }
};

/// Writes solutions of a pose (4, 4) of the limb's tip.
void findRows(const Limb& limb, const double* tip_pose, const RowsWanted& wanted, LimbRows& rows);

}  // namespace generative_ik::limbs
