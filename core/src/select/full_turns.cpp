#include "full_turns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../simd/constants.hpp"

namespace generative_ik {
namespace {

/// A combination of turns.
struct Combination {
  double distance;  // squared, from the reference
  std::int64_t row;
  std::int64_t code;  // the turn of each joint, as digits of a number
};

/// By how many turns a joint of a row can be turned: the fewest, and how many there are.
struct Range {
  double fewest;
  double number;
};

Range rangeOf(const TurningRows& rows, std::int64_t row, std::int64_t joint) {
  const double q = rows.positions[row * rows.size + joint];
  if (!std::isfinite(q)) {
    return {0.0, 1.0};
  }
  const double fewest = std::ceil((rows.lower[joint] - q) / kTurn);
  return {fewest, std::floor((rows.upper[joint] - q) / kTurn) - fewest + 1.0};
}

double square(double number) {
  return number * number;
}

/// How many combinations of turns there are, and how many have to be looked at: also of rows
/// outside the limits, which have none.
struct TurnCounts {
  double there;
  double looked_at;
};

TurnCounts countBoth(const TurningRows& rows) {
  TurnCounts all = {0.0, 0.0};
  for (std::int64_t row = 0; row < rows.count; ++row) {
    TurnCounts own = {1.0, 1.0};
    for (std::int64_t i = 0; i < rows.num_turned; ++i) {
      const double number = rangeOf(rows, row, rows.turned[i]).number;
      own.there *= number;
      own.looked_at *= std::max(1.0, number);
    }
    all.there += own.there;
    all.looked_at += own.looked_at;
  }
  return all;
}

/// The nearest combinations of turns, of one row after the other.
class NearestTurns {
 public:
  NearestTurns(const TurningRows& rows, std::int64_t count)
      : rows_(rows), count_(static_cast<std::size_t>(std::max<std::int64_t>(count, 0))) {}

  /// Looks at the combinations of one row that are within the limits, but for itself.
  void look(std::int64_t row) {
    digits_.clear();
    squares_.clear();
    std::int64_t itself = 0;
    std::int64_t combined = 1;
    for (std::int64_t i = 0; i < rows_.num_turned; ++i) {
      const std::int64_t v = rows_.turned[i];
      const Range range = rangeOf(rows_, row, v);
      const auto number = static_cast<std::int64_t>(std::max(1.0, range.number));
      digits_.push_back({squares_.size(), 0, static_cast<std::size_t>(number), 0.0});
      for (std::int64_t k = 0; k < number; ++k) {
        const double turns = range.fewest + static_cast<double>(k);
        const double q = rows_.positions[row * rows_.size + v] + kTurn * turns;
        const bool inside = rows_.lower[v] <= q && q <= rows_.upper[v];
        squares_.push_back(inside ? squaredGap(q, v) : kInfinity);
      }
      // A row outside the limits of a joint is none of the combinations.
      const bool among =
          itself >= 0 && -range.fewest >= 0.0 && -range.fewest < static_cast<double>(number);
      itself = among ? itself + static_cast<std::int64_t>(-range.fewest) * combined : -1;
      combined *= number;
    }
    const double others = ofOtherJoints(row);
    sumUp(digits_.size(), others);
    for (std::int64_t code = 0; code < combined; ++code) {
      const double total = digits_.empty() ? others : digits_.front().sum;
      if (code != itself && total < kInfinity) {
        keep({total, row, code});
      }
      countUp(others);
    }
  }

  /// Those that are kept, the nearest first.
  std::vector<Combination> sorted() && {
    std::ranges::sort_heap(kept_, isBefore);
    return std::move(kept_);
  }

 private:
  /// The turn of a joint.
  struct Digit {
    std::size_t first;  // of its squared distances
    std::size_t value;
    std::size_t number;
    double sum;  // of the squared distances of this joint and those behind it
  };

  static bool isBefore(const Combination& a, const Combination& b) {
    return a.distance < b.distance ||
           (a.distance == b.distance && (a.row < b.row || (a.row == b.row && a.code < b.code)));
  }

  // The square of the distance of a joint from the reference.
  [[nodiscard]] double squaredGap(double q, std::int64_t v) const {
    const double weight = rows_.weights != nullptr ? rows_.weights[v] : 1.0;
    return square(weight * (q - rows_.reference[v]));
  }

  [[nodiscard]] double ofOtherJoints(std::int64_t row) const {
    double total = 0.0;
    for (std::int64_t v = 0; v < rows_.size; ++v) {
      if (std::find(rows_.turned, rows_.turned + rows_.num_turned, v) ==
          rows_.turned + rows_.num_turned) {
        total += squaredGap(rows_.positions[row * rows_.size + v], v);
      }
    }
    return total;
  }

  // Brings the sums of the digits before one up to date.
  void sumUp(std::size_t last, double others) {
    double sum = last < digits_.size() ? digits_[last].sum : others;
    for (std::size_t i = last; i-- > 0;) {
      Digit& digit = digits_[i];
      sum += squares_[digit.first + digit.value];
      digit.sum = sum;
    }
  }

  // As an odometer does.
  void countUp(double others) {
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      Digit& digit = digits_[i];
      if (++digit.value < digit.number) {
        sumUp(i + 1, others);
        return;
      }
      digit.value = 0;
    }
  }

  // The furthest is at the front.
  void keep(const Combination& combination) {
    if (kept_.size() == count_) {
      if (count_ == 0 || !isBefore(combination, kept_.front())) {
        return;
      }
      std::ranges::pop_heap(kept_, isBefore);
      kept_.pop_back();
    }
    kept_.push_back(combination);
    std::ranges::push_heap(kept_, isBefore);
  }

  const TurningRows& rows_;
  std::size_t count_;
  std::vector<Digit> digits_;
  // Of each joint and turn the squared distance, infinite outside the limits.
  std::vector<double> squares_;
  std::vector<Combination> kept_;
};

}  // namespace

double countTurns(const TurningRows& rows) {
  return countBoth(rows).there;
}

double limitTurns(TurningRows& rows) {
  TurnCounts counts = countBoth(rows);
  while (!(counts.looked_at <= kMostCombined) && rows.num_turned > 0) {
    --rows.num_turned;
    counts = countBoth(rows);
  }
  return counts.there;
}

std::vector<double> otherTurns(const TurningRows& rows, std::int64_t count) {
  NearestTurns nearest(rows, count);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    nearest.look(row);
  }
  std::vector<double> others;
  for (auto [distance, row, code] : std::move(nearest).sorted()) {
    const double* q = rows.positions + row * rows.size;
    const auto first = static_cast<std::ptrdiff_t>(others.size());
    others.insert(others.end(), q, q + rows.size);
    for (std::int64_t i = 0; i < rows.num_turned; ++i) {
      const std::int64_t v = rows.turned[i];
      const Range range = rangeOf(rows, row, v);
      const auto number = static_cast<std::int64_t>(std::max(1.0, range.number));
      others[static_cast<std::size_t>(first + v)] +=
          kTurn * (range.fewest + static_cast<double>(code % number));
      code /= number;
    }
  }
  return others;
}

std::vector<double> limitedTurns(TurningRows rows, std::int64_t count) {
  limitTurns(rows);
  return otherTurns(rows, count);
}

std::vector<std::int64_t> leastOf(const std::vector<double>& distances, std::int64_t count) {
  std::vector<std::int64_t> order(distances.size());
  std::iota(order.begin(), order.end(), 0);
  const auto nearer = [&distances](std::int64_t a, std::int64_t b) {
    const double one = distances[static_cast<std::size_t>(a)];
    const double other = distances[static_cast<std::size_t>(b)];
    return one < other || (one == other && a < b);
  };
  const auto middle =
      order.begin() + std::min(static_cast<std::ptrdiff_t>(std::max<std::int64_t>(count, 0)),
                               static_cast<std::ptrdiff_t>(order.size()));
  std::partial_sort(order.begin(), middle, order.end(), nearer);
  order.erase(middle, order.end());
  return order;
}

}  // namespace generative_ik
