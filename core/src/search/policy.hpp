// Which kind of seed a search takes next, and when it is over: the rules of the Python package.
//
// Random restarts are drawn without regard to what was found, so the share of their solutions that
// is new tells how much of the solution set is still unknown. Null-space steps start beside known
// solutions: they fill continuous solution sets cheaply, but say nothing about other sets. Nothing
// here depends on time.
#pragma once

#include <cstddef>

namespace generative_ik {

enum class SeedKind { kRestart, kNullSpace, kTowardsSeed, kNone };

class Policy {
 public:
  // Args: redundant: whether solutions form continuous sets. wanted: solutions of the first part.
  Policy(bool redundant, std::size_t wanted);

  // Seeds around the seed state that the first part of a search tries at least.
  [[nodiscard]] long firstBatch() const { return first_batch_; }

  // Reopens the search, until there are so many solutions.
  void want(std::size_t solutions);

  // Reopens a search that was exhausted because of duplicates that no longer are.
  void forgetSaturation();

  // The kind of the next seed, which is counted as begun.
  SeedKind next(std::size_t found);

  // Counts a seed that has ended.
  void count(SeedKind kind, std::size_t found, bool converged, bool is_new);

  // Forgets seeds that were begun and never ended.
  void dropUnfinished();

  [[nodiscard]] bool over() const { return over_; }
  // Over without more to be found.
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  // Over after so many restarts without a solution that the pose is taken to be unreachable.
  [[nodiscard]] bool hopeless() const { return hopeless_; }

  [[nodiscard]] long restarts() const { return restarts_; }
  [[nodiscard]] long nullSpaceSteps() const { return null_space_steps_; }
  [[nodiscard]] long stepsTowardsSeed() const { return towards_seed_begun_; }

 private:
  void beginRound(std::size_t found);

  bool redundant_;
  std::size_t wanted_;
  long first_batch_;
  // Random restarts: begun, still to begin in this batch, ended, converged.
  long restarts_ = 0;
  long restarts_left_;
  long restarts_ended_ = 0;
  long restarts_converged_ = 0;
  // Restarts that converged since the last estimate of the share of new solutions, and the new
  // ones.
  long sample_ = 0;
  long sample_new_ = 0;
  bool saturated_ = false;
  // Null-space steps, in rounds.
  bool null_space_pays_ = false;
  long null_space_steps_ = 0;
  long round_size_ = 0;
  long round_left_ = 0;
  long round_ended_ = 0;
  long round_new_ = 0;
  // Refinement towards the seed state, once, at the end of the first part.
  bool towards_seed_ = false;
  bool towards_seed_done_ = false;
  long towards_seed_begun_ = 0;
  long towards_seed_ended_ = 0;
  bool over_ = false;
  bool exhausted_ = false;
  bool hopeless_ = false;
};

}  // namespace generative_ik
