#include "policy.hpp"

#include <algorithm>

namespace generative_ik {
namespace {

// Restarts after which a target without a solution is taken to be unreachable.
constexpr long kGiveUp = 2048;
// Bounds of the number of seeds in one batch.
constexpr double kLeast = 16.0;
constexpr double kMost = 1024.0;
// First guess of how many seeds it takes to find one more distinct solution.
constexpr double kSeedsPerSolution = 3.5;
constexpr double kSeedsPerSolutionRedundant = 2.0;
// Solutions from which the share of new ones is estimated, and the share at which the search ends.
constexpr long kSample = 64;
constexpr double kSaturated = 0.02;
constexpr long kTowardsSeed = 24;
// New solutions per null-space step below which no further round is begun.
constexpr double kWorthwhile = 0.05;

long bounded(double count) {
  return static_cast<long>(std::clamp(count, kLeast, kMost));
}

// How many restarts it takes to estimate the share of new solutions again.
long nextBatch(long ended, long converged) {
  return bounded(0.5 * static_cast<double>(kSample) * static_cast<double>(std::max(ended, 1L)) /
                 static_cast<double>(std::max(converged, 1L)));
}

}  // namespace

Policy::Policy(bool redundant, std::size_t wanted)
    : redundant_(redundant),
      wanted_(wanted),
      first_batch_(bounded((redundant ? kSeedsPerSolutionRedundant : kSeedsPerSolution) *
                           static_cast<double>(wanted))),
      restarts_left_(first_batch_) {}

void Policy::want(std::size_t solutions) {
  wanted_ = solutions;
  over_ = exhausted_ || hopeless_;
}

void Policy::forgetSaturation() {
  saturated_ = false;
  sample_ = sample_new_ = 0;
  null_space_pays_ = redundant_;
  over_ = exhausted_ = false;
}

void Policy::dropUnfinished() {
  round_size_ = round_ended_ + round_left_;
  towards_seed_begun_ = towards_seed_ended_;
}

void Policy::beginRound(std::size_t found) {
  const double missing = static_cast<double>(wanted_) - static_cast<double>(found);
  round_size_ = bounded(1.5 * missing + kLeast);
  round_left_ = round_size_ - 1;
  round_ended_ = round_new_ = 0;
  ++null_space_steps_;
}

SeedKind Policy::next(std::size_t found) {
  if (over_) {
    return SeedKind::kNone;
  }
  if (towards_seed_) {
    if (towards_seed_begun_ == kTowardsSeed) {
      return SeedKind::kNone;
    }
    ++towards_seed_begun_;
    return SeedKind::kTowardsSeed;
  }
  if (round_left_ > 0) {
    --round_left_;
    ++null_space_steps_;
    return SeedKind::kNullSpace;
  }
  if (restarts_left_ <= 0) {
    if (null_space_pays_ && found > 0 && round_ended_ >= round_size_) {
      beginRound(found);
      return SeedKind::kNullSpace;
    }
    restarts_left_ = nextBatch(restarts_ended_, restarts_converged_);
  }
  ++restarts_;
  --restarts_left_;
  return SeedKind::kRestart;
}

void Policy::count(SeedKind kind, std::size_t found, bool converged, bool is_new) {
  if (kind == SeedKind::kTowardsSeed) {
    over_ = ++towards_seed_ended_ == kTowardsSeed;
    towards_seed_ = !over_;
    return;
  }
  if (kind == SeedKind::kNullSpace) {
    ++round_ended_;
    round_new_ += is_new ? 1 : 0;
    if (round_ended_ == round_size_) {
      null_space_pays_ =
          static_cast<double>(round_new_) >= kWorthwhile * static_cast<double>(round_size_);
    }
  } else {
    ++restarts_ended_;
    restarts_converged_ += converged ? 1 : 0;
    sample_ += converged ? 1 : 0;
    sample_new_ += is_new ? 1 : 0;
    if (sample_ >= kSample) {
      saturated_ = static_cast<double>(sample_new_) <= kSaturated * static_cast<double>(sample_);
      sample_ = sample_new_ = 0;
    }
    // A new solution may belong to a set in which no null-space step was taken.
    null_space_pays_ = null_space_pays_ || (is_new && redundant_);
  }
  const bool filling = null_space_pays_ || round_ended_ < round_size_;
  exhausted_ = found > 0 && saturated_ && !filling;
  hopeless_ = found == 0 && restarts_ended_ >= kGiveUp;
  const bool enough = found >= wanted_ && restarts_ended_ >= first_batch_;
  if (exhausted_ || hopeless_ || enough) {
    towards_seed_ = found > 0 && redundant_ && !towards_seed_done_;
    towards_seed_done_ = true;
    over_ = !towards_seed_;
  }
}

}  // namespace generative_ik
