#include "smoother.hpp"

#include <cmath>
#include <numeric>

#include "../simd/row_vectors.hpp"

namespace generative_ik::paths {
namespace {

// Sweeps of smoothing, and times that it begins again because what it leads to is not valid.
constexpr int kSweeps = 30;
constexpr int kTries = 4;
// Largest move of a joint in one sweep, in its unit; further off, poses curve too much.
constexpr double kLongestMove = 0.5;
// How close to its limit a joint is at it, in its unit; how often it is looked for what is.
constexpr double kAtLimit = 1e-3;
constexpr int kPasses = 3;
// Sweeps end when one shortens the path by a smaller share.
constexpr double kLeastGain = 1e-3;
// Moves of which this share fails are made with configurations that could not move held back.
constexpr double kWhole = 0.2;
// Sweeps end when moves are to be made with a smaller share.
constexpr double kLeastReach = 0.01;
// Sweeps for which a configuration stays that could not move.
constexpr std::int64_t kHold = 3;
// Sweeps after which a path that does not meet its end is given up.
constexpr int kBends = 20;
// A move of which not even this share is valid is not made.
constexpr double kLeastShare = 0.2;
// Most configurations around one that cannot move that are held back with it.
constexpr std::int64_t kAround = 31;
// Motions that are shorter than this share of the mean count like it; else they would be stiff.
constexpr double kStraight = 0.1;
// Share of a diagonal block that is added, for configurations that are held.
constexpr double kDamping = 1e-6;

// A norm of lengths that hardly counts any but the longest.
double evenNorm(const std::vector<double>& lengths) {
  double total = 0.0;
  for (const double length : lengths) {
    total += std::pow(length, 8.0);
  }
  return std::pow(total, 1.0 / 8.0);
}

double sum(const std::vector<double>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

/// The system of a whole path, solved from the first configuration to the last and back.
class BlockSystem {
 public:
  BlockSystem(std::int64_t length, std::int64_t k)
      : k_(k), rows_(at(k * (2 * k + 1))), solved_(at(length * k * (k + 1))) {}

  /// (k, 2 k + 1): a pose's own block, the next pose's, and the right side.
  [[nodiscard]] double& row(std::int64_t a, std::int64_t b) {
    return rows_[at(a * (2 * k_ + 1) + b)];
  }
  /// (L, k, k + 1): what is left of the next pose's block, and of the right side.
  [[nodiscard]] double& solved(std::int64_t t, std::int64_t a, std::int64_t b) {
    return solved_[at((t * k_ + a) * (k_ + 1) + b)];
  }

  /// Takes the pose before t out of the rows. Args: bases: of that pose and of t.
  void eliminate(std::int64_t t, double stiffness, const double* before, const double* basis,
                 std::int64_t size) {
    for (std::int64_t a = 0; a < k_; ++a) {
      for (std::int64_t c = 0; c < k_; ++c) {
        const double factor =
            -stiffness * simd::innerProduct(basis + a * size, before + c * size, size);
        for (std::int64_t b = 0; b < k_; ++b) {
          row(a, b) -= factor * solved(t - 1, c, b);
        }
        row(a, 2 * k_) -= factor * solved(t - 1, c, k_);
      }
    }
  }

  /// Solves the rows for their right sides: the block is definite, so Gauss-Jordan elimination
  /// needs no pivots.
  void solve(std::int64_t t) {
    for (std::int64_t a = 0; a < k_; ++a) {
      const double scale = row(a, a) != 0.0 ? 1.0 / row(a, a) : 0.0;
      for (std::int64_t b = a; b < 2 * k_ + 1; ++b) {
        row(a, b) *= scale;
      }
      for (std::int64_t c = 0; c < k_; ++c) {
        const double factor = c == a ? 0.0 : row(c, a);
        for (std::int64_t b = a; factor != 0.0 && b < 2 * k_ + 1; ++b) {
          row(c, b) -= factor * row(a, b);
        }
      }
    }
    for (std::int64_t a = 0; a < k_; ++a) {
      for (std::int64_t b = 0; b <= k_; ++b) {
        solved(t, a, b) = row(a, k_ + b);
      }
    }
  }

 private:
  std::int64_t k_;
  std::vector<double> rows_;
  std::vector<double> solved_;
};

}  // namespace

Rows Smoother::improve(const Rows& path, std::vector<char> held, const Comparison& comparison,
                       const Hits& hits) const {
  const Score score = comparison.score(path);
  for (int k = 0; k < kTries; ++k) {
    const Rows found = shorten(path, held, comparison.objective() == Objective::kLargestStep);
    const std::vector<std::int64_t> wrong = hits(found);
    const std::vector<std::int64_t> worse = comparison.worsePoses(found, score.first);
    if (wrong.empty() && worse.empty()) {
      return comparison.isBetter(comparison.score(found), score) ? found : path;
    }
    for (const std::int64_t t : wrong) {
      held[at(std::max<std::int64_t>(t, 0))] = held[at(t + 1)] = 1;
    }
    for (const std::int64_t t : worse) {
      held[at(t)] = 1;
    }
  }
  return path;
}

Rows Smoother::shorten(Rows path, const std::vector<char>& held, bool even) const {
  const double power = even ? 4.0 : -1.0;
  const auto total = even ? evenNorm : sum;
  if (nullity() <= 0 || path.size() < 2) {
    return path;
  }
  std::vector<std::int64_t> stuck(at(path.size()), 0);
  double reach = 1.0;
  std::vector<double> lengths = task_.lengths(path);
  for (int sweep = 0; sweep < kSweeps && !task_.isLate(); ++sweep) {
    // Weights that turn the sum of squares into the sum of lengths, or of high powers.
    const double mean = std::max(sum(lengths) / static_cast<double>(lengths.size()), 1e-9);
    std::vector<double> stiffness;
    for (const double length : lengths) {
      stiffness.push_back(std::pow(std::max(length / mean, kStraight), power));
    }
    std::vector<char> stays = held;
    for (std::size_t t = 0; t < stays.size(); ++t) {
      stays[t] = held[t] != 0 || stuck[t] > 0 ? 1 : 0;
    }
    std::vector<std::int64_t> trial = stuck;
    Rows found = moved(path, moves(path, stiffness, stays), reach, trial);
    const std::vector<double> shorter = task_.lengths(found);
    const double before = total(lengths);
    const double gain = before - total(shorter);
    if (gain > 0.0) {
      path = std::move(found);
      lengths = shorter;
      reach = std::min(1.0, 2.0 * reach);
      stuck = trial;
    } else {
      // What keeps all from moving so far may not keep them from moving less.
      stuck = reach > kWhole ? stuck : trial;
      reach /= 4.0;
    }
    for (std::int64_t& left : stuck) {
      left = std::max<std::int64_t>(left - 1, 0);
    }
    if (std::abs(gain) < kLeastGain * total(lengths) || reach < kLeastReach) {
      break;
    }
  }
  return path;
}

std::optional<Rows> Smoother::bend(Rows path, const double* end) const {
  const std::int64_t size = path.size();
  if (nullity() <= 0 || size < 3) {
    return std::nullopt;
  }
  path.set(size - 1, end);
  std::vector<char> held(at(size), 0);
  held.front() = held.back() = 1;
  std::vector<std::int64_t> inner(at(size - 2));
  std::iota(inner.begin(), inner.end(), 1);
  for (int k = 0; k < kBends && !task_.interrupted(); ++k) {
    bool keeps = true;
    for (std::int64_t t = 0; t + 1 < size; ++t) {
      keeps = keeps && task_.isStep(path[t], path[t + 1]);
    }
    if (keeps) {
      return path;
    }
    const Rows by = moves(path, std::vector<double>(at(size - 1), 1.0), held);
    Rows seeds = path.part(1, size - 1);
    for (std::int64_t t = 0; t < seeds.size(); ++t) {
      for (std::int64_t v = 0; v < task_.size; ++v) {
        seeds[t][v] += by[t + 1][v];
      }
    }
    const std::vector<char> found = refine(task_, seeds, inner);
    for (std::int64_t t = 0; t < seeds.size(); ++t) {
      if (found[at(t)] != 0) {
        path.set(t + 1, seeds[t]);
      }
    }
  }
  return std::nullopt;
}

Rows Smoother::moves(const Rows& path, const std::vector<double>& stiffness,
                     const std::vector<char>& held) const {
  const std::int64_t n = task_.size;
  const std::int64_t length = path.size();
  std::vector<std::int64_t> poses(at(length));
  std::iota(poses.begin(), poses.end(), 0);
  HeldTips tips = freedom_.at(path, poses);
  std::vector<char> stopped(at(length * n), 0);
  Rows found(n, length);
  for (int pass = 0; pass < kPasses; ++pass) {
    step(path, stiffness, held, stopped, tips, found);
    double largest = 1e-12;
    for (std::int64_t t = 0; t < length; ++t) {
      for (std::int64_t v = 0; v < n; ++v) {
        found[t][v] = std::isfinite(found[t][v]) ? found[t][v] : 0.0;
        largest = std::max(largest, std::abs(found[t][v] / task_.unit[v]));
      }
    }
    const double scale = std::min(1.0, kLongestMove / largest);
    // What is at a limit or at a bound of its region, and would leave it, slides along it: the one
    // that would most; then the others may not.
    bool any = false;
    Rows there = path;
    for (std::int64_t t = 0; t < length; ++t) {
      std::vector<double> beyond(at(n), 0.0);
      double most = 0.0;
      for (std::int64_t v = 0; v < n; ++v) {
        const double near = kAtLimit * task_.unit[v];
        const double move = found[t][v] *= scale;
        there[t][v] += move;
        if ((path[t][v] <= task_.lower[v] + near && move < 0.0) ||
            (path[t][v] >= task_.upper[v] - near && move > 0.0)) {
          beyond[at(v)] = std::abs(move / task_.unit[v]);
          most = std::max(most, beyond[at(v)]);
        }
      }
      any = any || most > 0.0;
      for (std::int64_t v = 0; most > 0.0 && v < n; ++v) {
        if (beyond[at(v)] == most) {
          stopped[at(t * n + v)] = 1;
        }
      }
    }
    if (!tips.stop(there) && !any) {
      break;
    }
  }
  return found;
}

void Smoother::step(const Rows& path, const std::vector<double>& stiffness,
                    const std::vector<char>& held, const std::vector<char>& stopped,
                    const HeldTips& tips, Rows& moves) const {
  const std::int64_t n = task_.size;
  const std::int64_t k = nullity();
  const std::int64_t length = path.size();
  const double* weight = task_.weight;
  NullSpace null_space(task_, freedom_);
  std::vector<double> bases(at(length * k * n), 0.0);
  const auto basis = [&bases, k, n](std::int64_t t) { return bases.data() + t * k * n; };
  for (std::int64_t t = 0; t < length; ++t) {
    if (held[at(t)] == 0) {
      null_space.write({path[t], t, tips.ways(t)}, weight, stopped.data() + t * n, basis(t));
    }
  }
  BlockSystem system(length, k);
  for (std::int64_t t = 0; t < length; ++t) {
    const bool is_first = t == 0;
    const bool is_last = t + 1 == length;
    const double before = is_first ? 0.0 : stiffness[at(t - 1)];
    const double after = is_last ? 0.0 : stiffness[at(t)];
    for (std::int64_t a = 0; a < k; ++a) {
      const double* along = basis(t) + a * n;
      for (std::int64_t b = 0; b < k; ++b) {
        system.row(a, b) = a == b ? (before + after) * (1.0 + kDamping) : 0.0;
        system.row(a, k + b) =
            is_last ? 0.0 : -after * simd::innerProduct(along, basis(t + 1) + b * n, n);
      }
      double pull = 0.0;
      for (std::int64_t v = 0; v < n; ++v) {
        double one = 0.0;
        one += is_last ? 0.0 : after * (path[t + 1][v] - path[t][v]);
        one -= is_first ? 0.0 : before * (path[t][v] - path[t - 1][v]);
        pull += along[v] * weight[v] * one;
      }
      system.row(a, 2 * k) = pull;
    }
    if (!is_first) {
      system.eliminate(t, before, basis(t - 1), basis(t), n);
    }
    system.solve(t);
  }
  for (std::int64_t t = length - 1; t >= 0; --t) {
    std::fill_n(moves[t], n, 0.0);
    for (std::int64_t a = 0; a < k; ++a) {
      double along = system.solved(t, a, k);
      for (std::int64_t b = 0; t + 1 < length && b < k; ++b) {
        along -= system.solved(t, a, b) * system.solved(t + 1, b, k);
      }
      system.solved(t, a, k) = along;
      for (std::int64_t v = 0; v < n; ++v) {
        moves[t][v] += along * basis(t)[a * n + v] / weight[v];
      }
    }
  }
}

Rows Smoother::moved(const Rows& path, const Rows& moves, double reach,
                     std::vector<std::int64_t>& stuck) const {
  const std::int64_t n = task_.size;
  const std::int64_t length = path.size();
  Rows found = path;
  std::vector<double> share(at(length), 0.0);
  for (std::int64_t t = 0; t < length; ++t) {
    share[at(t)] =
        std::any_of(moves[t], moves[t] + n, [](double x) { return x != 0.0; }) ? 1.0 : 0.0;
  }
  std::vector<Verdict> verdicts(at(length - 1), Verdict::kFree);
  std::vector<char> again(at(length));
  for (std::int64_t t = 0; t < length; ++t) {
    again[at(t)] = share[at(t)] > 0.0 ? 1 : 0;
  }
  std::int64_t around = 1;
  while (std::any_of(again.begin(), again.end(), [](char one) { return one != 0; }) &&
         !task_.interrupted()) {
    std::vector<std::int64_t> some;
    Rows seeds(n);
    for (std::int64_t t = 0; t < length; ++t) {
      if (again[at(t)] == 0) {
        continue;
      }
      found.set(t, path[t]);
      if (share[at(t)] > 0.0) {
        some.push_back(t);
        seeds.append(path[t]);
        for (std::int64_t v = 0; v < n; ++v) {
          seeds[seeds.size() - 1][v] += share[at(t)] * reach * moves[t][v];
        }
      }
    }
    const std::vector<char> are_solutions = refine(task_, seeds, some);
    std::vector<char> bad(at(length), 0);
    for (std::size_t s = 0; s < some.size(); ++s) {
      if (are_solutions[s] != 0) {
        found.set(some[s], seeds[static_cast<std::int64_t>(s)]);
      } else {
        bad[at(some[s])] = 1;
      }
    }
    const auto has_moved = [&share](std::int64_t t) {
      return share[at(t)] > 0.0 || share[at(t + 1)] > 0.0;
    };
    std::vector<std::int64_t> checked;
    Rows before(n);
    Rows after(n);
    for (std::int64_t t = 0; t + 1 < length; ++t) {
      if (!has_moved(t)) {
        verdicts[at(t)] = Verdict::kFree;
      } else if (again[at(t)] != 0 || again[at(t + 1)] != 0) {
        checked.push_back(t);
        before.append(found[t]);
        after.append(found[t + 1]);
      }
    }
    const std::vector<Verdict> seen = motions_.verdicts(before, after);
    for (std::size_t m = 0; m < checked.size(); ++m) {
      verdicts[at(checked[m])] = seen[m];
    }
    for (std::int64_t t = 0; t + 1 < length; ++t) {
      if (has_moved(t) &&
          (verdicts[at(t)] >= Verdict::kInside || !task_.isStep(found[t], found[t + 1]))) {
        bad[at(t)] = bad[at(t + 1)] = 1;
      }
    }
    // A configuration that stays keeps those beside it from moving far, which soon ends.
    std::fill(again.begin(), again.end(), 0);
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t first = std::max<std::int64_t>(t - around / 2, 0);
      const std::int64_t last = std::min(t + around / 2, length - 1);
      if (bad[at(t)] != 0) {
        std::fill(again.begin() + first, again.begin() + last + 1, 1);
      }
    }
    around = std::min({around + 2, kAround, length});
    for (std::int64_t t = 0; t < length; ++t) {
      again[at(t)] = again[at(t)] != 0 && share[at(t)] > 0.0 ? 1 : 0;
      if (again[at(t)] != 0) {
        share[at(t)] = share[at(t)] > kLeastShare ? 0.5 * share[at(t)] : 0.0;
        stuck[at(t)] = share[at(t)] == 0.0 ? kHold : stuck[at(t)];
      }
    }
  }
  return found;
}

}  // namespace generative_ik::paths
