/// Maximization along the null space without derivatives: where the next trial lies.
///
/// A step that is better is followed by a further one in its direction. Then the directions of a
/// basis of the null space are polled both ways; where there is only one direction, a bracketed
/// maximum is approached by the parabola through three points. Where nothing is better, the radius
/// shrinks and the basis is turned, so that in the end all directions are tried (mesh adaptive
/// direct search; C. Audet and J. E. Dennis, Mesh adaptive direct search algorithms for
/// constrained optimization, SIAM J. Optim. 17, 2006). No derivative is needed, because two scores
/// have none: the smallest of several distances is not smooth where two are equal, and that is
/// where its maximum lies.
#pragma once

#include <cstdint>

#include "options.hpp"

namespace generative_ik::optimize {

/// The search from one configuration.
class PatternSearch {
 public:
  /// How the direction of a trial is found.
  enum class Direction {
    kPolled,  ///< It is one of the basis, forward or backward.
    kOnward,  ///< It is the last step's, turned into the null space at the configuration.
    kLast,    ///< It is the last one.
  };

  PatternSearch() = default;
  /// Args: value: the score of the configuration. radius: of the first trials.
  PatternSearch(double value, double radius) : value_(value), radius_(radius) {}

  [[nodiscard]] double value() const { return value_; }
  /// Whether no trial is left to make.
  [[nodiscard]] bool isOver() const { return over_; }
  void end() { over_ = true; }
  [[nodiscard]] double radius() const { return radius_; }

  [[nodiscard]] Direction direction() const;
  /// Which direction of the basis is polled.
  [[nodiscard]] std::int64_t polled() const { return move_ / 2; }
  /// How often the basis is turned.
  [[nodiscard]] std::int64_t rotations() const { return rotations_; }
  /// How far to go in the direction; below 0 is backward.
  [[nodiscard]] double length() const;

  /// Takes the score of the last trial; says whether the configuration moves there. `dimension` is
  /// that of the null space at the configuration; the score of a trial that failed is -infinity.
  bool judge(double value, std::int64_t dimension);

 private:
  // Values of `move_` that are no polls.
  static constexpr std::int64_t kOnward = -1;
  static constexpr std::int64_t kVertex = -2;

  [[nodiscard]] bool backward() const { return move_ >= 0 && move_ % 2 == 1; }
  void accept(double value);
  void reject(double value, std::int64_t dimension);
  // Polls all directions again, within a smaller radius.
  void poll(double shrinkage);
  // Tries the vertex of the parabola through the last three points, if that helps.
  void tryVertex();

  double value_ = 0.0;
  double radius_ = 0.0;
  std::int64_t move_ = 0;  // the next trial: kOnward, kVertex, or forward and backward in turn
  std::int64_t rotations_ = 0;
  std::int64_t trials_ = 0;
  bool over_ = false;
  // Scores of two trials on a line with the configuration, and their places on it.
  double ahead_ = 0.0;
  double ahead_value_ = 0.0;
  double behind_ = 0.0;
  double behind_value_ = 0.0;
  double vertex_ = 0.0;
  double lowest_ = __builtin_huge_val();  // score of the worst trial of a poll
};

}  // namespace generative_ik::optimize
