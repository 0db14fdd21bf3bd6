#include "full_turns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace generative_ik {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A combination of turns.
struct Combination {
  double distance;    // squared, from the reference
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

/// Appends the combinations of one row that are within the limits, but for itself.
class RowTurns {
 public:
  explicit RowTurns(const TurningRows& rows)
      : rows_(rows),
        squares_(static_cast<std::size_t>(rows.size)),
        digits_(static_cast<std::size_t>(rows.size)) {}

  void append(std::int64_t row, std::vector<Combination>& combinations) {
    std::int64_t itself = 0;
    std::int64_t combined = 1;
    for (std::int64_t v = 0; v < rows_.size; ++v) {
      squaresOf(v).assign(1, square(rows_.positions[row * rows_.size + v] - rows_.reference[v]));
    }
    for (std::int64_t i = 0; i < rows_.num_turned; ++i) {
      const std::int64_t v = rows_.turned[i];
      const Range range = rangeOf(rows_, row, v);
      const auto number = static_cast<std::int64_t>(std::max(1.0, range.number));
      std::vector<double>& squares = squaresOf(v);
      squares.clear();
      for (std::int64_t k = 0; k < number; ++k) {
        const double turns = range.fewest + static_cast<double>(k);
        const double q = rows_.positions[row * rows_.size + v] + kTurn * turns;
        const bool inside = rows_.lower[v] <= q && q <= rows_.upper[v];
        squares.push_back(inside ? square(q - rows_.reference[v]) : kInfinity);
      }
      itself += static_cast<std::int64_t>(-range.fewest) * combined;
      combined *= number;
    }
    std::fill(digits_.begin(), digits_.end(), 0);
    for (std::int64_t code = 0; code < combined; ++code) {
      double total = 0.0;
      for (std::size_t v = 0; v < squares_.size(); ++v) {
        total += squares_[v][digits_[v]];
      }
      if (code != itself && total < kInfinity) {
        combinations.push_back({total, row, code});
      }
      countUp();
    }
  }

 private:
  std::vector<double>& squaresOf(std::int64_t joint) {
    return squares_[static_cast<std::size_t>(joint)];
  }

  // As an odometer does.
  void countUp() {
    for (std::int64_t i = 0; i < rows_.num_turned; ++i) {
      const auto v = static_cast<std::size_t>(rows_.turned[i]);
      if (++digits_[v] < squares_[v].size()) {
        return;
      }
      digits_[v] = 0;
    }
  }

  const TurningRows& rows_;
  // Of each joint and turn the squared distance, infinite outside the limits.
  std::vector<std::vector<double>> squares_;
  std::vector<std::size_t> digits_;
};

}  // namespace

double countTurns(const TurningRows& rows) {
  double total = 0.0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    double product = 1.0;
    for (std::int64_t i = 0; i < rows.num_turned; ++i) {
      product *= rangeOf(rows, row, rows.turned[i]).number;
    }
    total += product;
  }
  return total;
}

double limitTurns(TurningRows& rows) {
  double total = countTurns(rows);
  while (total > kMostCombined && rows.num_turned > 0) {
    --rows.num_turned;
    total = countTurns(rows);
  }
  return total;
}

std::vector<double> otherTurns(const TurningRows& rows, std::int64_t count) {
  std::vector<Combination> combinations;
  RowTurns turns(rows);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    turns.append(row, combinations);
  }
  std::vector<double> distances;
  distances.reserve(combinations.size());
  for (const Combination& one : combinations) {
    distances.push_back(one.distance);
  }
  std::vector<double> others;
  for (const std::int64_t place : leastOf(distances, count)) {
    auto [distance, row, code] = combinations[static_cast<std::size_t>(place)];
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
