#include "ordered_rows.hpp"

#include <algorithm>
#include <iterator>

#include "../select/diverse_order.hpp"
#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::answers {
namespace {

/// Full turns of solutions, those beside a limit on it.
std::vector<double> further(const OrderBounds& bounds, const TurningRows& turning,
                            std::int64_t count) {
  std::vector<double> more = otherTurns(turning, count);
  for (double* row = more.data(); row != more.data() + more.size(); row += bounds.size) {
    for (std::int64_t i = 0; i < turning.num_turned; ++i) {
      const std::int64_t v = turning.turned[i];
      row[v] = std::min(std::max(row[v], bounds.lower[v]), bounds.upper[v]);
    }
  }
  return more;
}

// Rows are at their nearest turn inside the bounds; one just outside may be moved onto them.
bool anyTurnIsNearer(const TurningRows& turning) {
  for (std::int64_t k = 0; k < turning.count; ++k) {
    for (std::int64_t i = 0; i < turning.num_turned; ++i) {
      const std::int64_t v = turning.turned[i];
      const double q = turning.positions[k * turning.size + v];
      const double away = turning.reference[v] - q;
      const double near = q + kTurn * simd::nearestInteger(away / kTurn);
      if (near != q && turning.lower[v] <= near && near <= turning.upper[v]) {
        return true;
      }
    }
  }
  return false;
}

void copyRow(const SolutionRows& from, std::int64_t k, const SolutionRows& to,
             std::int64_t place) {
  std::copy_n(from.positions + k * from.size, from.size, to.positions + place * to.size);
  to.gaps[place] = from.gaps[k];
}

std::int64_t putDiverse(const OrderBounds& bounds, std::int64_t wanted, const SolutionRows& found,
                        const TurningRows& turning, double total, const KeepVerified& keep,
                        std::vector<float>& memory, const SolutionRows& out) {
  const std::int64_t count = turning.count;
  const std::int64_t place = std::min(wanted, count);
  if (count > 1) {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(place));
    diverseOrder({found.positions, count, found.size, bounds.lower_limit, bounds.upper_limit,
                  bounds.periodic, bounds.unit},
                 place, kOrderWork, memory, ranks.data());
    for (std::int64_t k = 0; k < place; ++k) {
      copyRow(found, ranks[static_cast<std::size_t>(k)], out, k);
    }
  } else if (place == 1) {
    copyRow(found, 0, out, 0);
  }
  if (place == wanted || !(total > static_cast<double>(count))) {
    return place;
  }
  TurningRows written = turning;
  written.positions = out.positions;
  written.count = place;
  written.weights = nullptr;
  const std::vector<double> more = further(bounds, written, wanted - place);
  double* behind = out.positions + out.size * place;
  std::copy(more.begin(), more.end(), behind);
  return place +
         keep(std::ssize(more) / out.size, SolutionRows{behind, out.size, out.gaps + place});
}

std::int64_t putNearest(const OrderBounds& bounds, std::int64_t wanted, const SolutionRows& found,
                        const TurningRows& turning, const KeepVerified& keep,
                        const SolutionRows& out) {
  const std::int64_t count = turning.count;
  const std::int64_t size = found.size;
  if (wanted == 1 && !anyTurnIsNearer(turning)) {
    // The nearest row is the first.
    copyRow(found, 0, out, 0);
    return 1;
  }
  std::vector<double> rows(found.positions, found.positions + size * count);
  std::vector<PoseGap> row_gaps(found.gaps, found.gaps + count);
  if (turning.num_turned > 0) {
    const std::vector<double> more = further(bounds, turning, wanted);
    const std::int64_t turns = std::ssize(more) / size;
    rows.insert(rows.end(), more.begin(), more.end());
    row_gaps.resize(static_cast<std::size_t>(count + turns));
    const std::int64_t kept =
        keep(turns, SolutionRows{rows.data() + size * count, size, row_gaps.data() + count});
    row_gaps.resize(static_cast<std::size_t>(count + kept));
  }
  std::vector<double> distances(row_gaps.size());
  for (std::size_t k = 0; k < distances.size(); ++k) {
    distances[k] = squaredDistance(bounds, rows.data() + size * static_cast<std::int64_t>(k));
  }
  const std::vector<std::int64_t> order = leastOf(distances, wanted);
  for (std::size_t k = 0; k < order.size(); ++k) {
    copyRow({rows.data(), size, row_gaps.data()}, order[k], out, static_cast<std::int64_t>(k));
  }
  return std::ssize(order);
}

}  // namespace

double leastSquaredDistance(const OrderBounds& bounds, const double* q) {
  double total = squaredDistance(bounds, q);
  for (const std::int64_t v : bounds.turned) {
    const double away = bounds.reference[v] - q[v];
    const double near = q[v] + kTurn * simd::nearestInteger(away / kTurn);
    if (near != q[v] && bounds.wide_lower[v] <= near && near <= bounds.wide_upper[v]) {
      const double weight = bounds.weights[v];
      const double gap = weight * (bounds.reference[v] - near);
      total += gap * gap - weight * weight * away * away;
    }
  }
  return total;
}

double squaredDistance(const OrderBounds& bounds, const double* q) {
  double total = 0.0;
  for (std::int64_t v = 0; v < bounds.size; ++v) {
    const double gap = (q[v] - bounds.reference[v]) * bounds.weights[v];
    total += gap * gap;
  }
  return total;
}

Order putInOrder(const OrderBounds& bounds, const OrderWanted& wanted, const SolutionRows& found,
                 std::int64_t count, const KeepVerified& keep, std::vector<float>& memory,
                 const SolutionRows& out) {
  if (count == 0) {
    return {0, 0.0, true};
  }
  const std::int64_t all = std::ssize(bounds.turned);
  TurningRows turning = {found.positions,      count,
                         found.size,           bounds.reference,
                         bounds.wide_lower,    bounds.wide_upper,
                         bounds.turned.data(), all,
                         bounds.weights};
  if (wanted.nearest && count > wanted.count && !anyTurnIsNearer(turning)) {
    // Those behind are further than these are, and so are their turns.
    turning.count = std::min(count, wanted.count);
  }
  // Where there are more than are wanted, turns do not count.
  const bool more = count > wanted.count;
  const double turned = all > 0 && (wanted.nearest || !more) ? limitTurns(turning) : 0.0;
  const double total = std::max(turned, static_cast<double>(count));
  const std::int64_t written =
      wanted.nearest ? putNearest(bounds, wanted.count, found, turning, keep, out)
                     : putDiverse(bounds, wanted.count, found, turning, total, keep, memory, out);
  return {written, total, turning.num_turned == all};
}

}  // namespace generative_ik::answers
