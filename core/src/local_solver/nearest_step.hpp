/// One iteration towards the solution nearest to a reference configuration.
///
/// It minimises the weighted distance from the reference where the target's errors, made linear,
/// vanish: sequential quadratic programming without second derivatives of the errors (J. Nocedal,
/// S. Wright, Numerical optimization, 2006, chapter 18). The step is that of damped least squares
/// and, orthogonal to it, a slide along the solution set. How much of the slide is taken follows
/// from how much the one before left over, by the secant method, because solution sets bend.
///
/// A joint at a limit is held there if the step before, and what the target's multipliers were
/// then, would push it beyond it: the active set of these limits is found within few steps.
#pragma once

#include <limits>

#include "damped_step.hpp"

namespace generative_ik {

/// The least and the most share of a slide that is taken.
inline constexpr double kLeastShare = 0.2;
inline constexpr double kMostShare = 2.0;
/// The longest slide [rad].
inline constexpr double kLongestSlide = 0.7;
/// What a step leads to is known where its squared parts, for the errors and along the solution
/// set, are less than these shares of the squared distance; by so much of the last change of what
/// it leads to, this may still become nearer.
inline constexpr double kErrorsKnown = 0.01;
inline constexpr double kSlideKnown = 0.1;
inline constexpr double kChanges = 0.5;
/// The share below which the distance is known without the slide.
inline constexpr double kAheadKnown = 1e-3;
/// Keeps quotients finite.
inline constexpr double kTiny = 1e-300;

/// The iteration for the lanes from `first` on that a `Number` holds.
template <class Number>
class NearestStep {
 public:
  GENERATIVE_IK_INLINE NearestStep(const LaneChain& chain, const LaneRows& rows,
                                   const NearestRows& nearest, int first)
      : chain_(chain), rows_(rows), nearest_(nearest), view_(first), errors_(chain, rows, first) {}

  /// Moves the configurations, after `DampedStep::measure`. Returns which come to a solution
  /// beyond the bound, a bit each.
  GENERATIVE_IK_INLINE unsigned advance(const LaneOptions& options, const double* lower,
                                        const double* upper) const;

 private:
  // Writes the way to the reference; sets it and the columns of variables at a limit to 0 that
  // would be pushed beyond it. Adds to `turned` what the way does to the errors.
  GENERATIVE_IK_INLINE void headForReference(const double* lower, const double* upper,
                                             Number* turned) const;
  // Writes the slide along the solution set that is left of the way, and what share to take.
  GENERATIVE_IK_INLINE void slideAlong(const Number* turned) const;
  // Writes the squared distances that the step leads to; returns where these are sure to be beyond
  // the bound.
  [[nodiscard]] GENERATIVE_IK_INLINE unsigned lookAhead(const Number& to_target,
                                                        const Number& ahead) const;
  [[nodiscard]] GENERATIVE_IK_INLINE Number alongColumn(std::int64_t v, const Number* y) const {
    const LaneRow* column = rows_.jacobian + 6 * v;
    Number sum = view_.load(column) * y[0];
    for (int k = 1; k < 6; ++k) {
      sum += view_.load(column + k) * y[k];
    }
    return sum;
  }

  const LaneChain chain_;
  const LaneRows rows_;
  const NearestRows nearest_;
  LaneView<Number> view_;
  DampedStep<Number> errors_;
};

template <class Number>
GENERATIVE_IK_INLINE void NearestStep<Number>::headForReference(const double* lower,
                                                                const double* upper,
                                                                Number* turned) const {
  const Number zero = 0.0;
  const Number one = 1.0;
  Number multipliers[6];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < 6; ++k) {
    multipliers[k] = view_.load(nearest_.multipliers + k);
    turned[k] = zero;
  }
  Number distance = zero;
  for (std::int64_t v = 0; v < chain_.num_variables; ++v) {
    const Number q = view_.load(rows_.seeds.q + v);
    const Number way = (view_.load(nearest_.reference + v) - q) * Number(1.0 / chain_.scale[v]);
    distance += way * way;
    const Number push = way + alongColumn(v, multipliers);
    const Number up = select(q < Number(upper[v]), one, zero);
    const Number down = select(Number(lower[v]) < q, one, zero);
    const Number free = select(zero < push, up, down);
    view_.store(nearest_.way + v, way * free);
    LaneRow* column = rows_.jacobian + 6 * v;
    for (int k = 0; k < 6; ++k) {
      const Number entry = view_.load(column + k) * free;
      view_.store(column + k, entry);
      turned[k] += entry * way;
    }
  }
  view_.store(nearest_.distance, distance);
}

template <class Number>
GENERATIVE_IK_INLINE void NearestStep<Number>::slideAlong(const Number* turned) const {
  const Number zero = 0.0;
  Number left = zero;
  Number along = zero;
  Number before = zero;
  for (std::int64_t v = 0; v < chain_.num_variables; ++v) {
    const Number slide = view_.load(nearest_.way + v) - alongColumn(v, turned);
    const Number last = view_.load(nearest_.slide + v);
    left += slide * slide;
    along += slide * last;
    before += last * last;
    view_.store(nearest_.slide + v, slide);
  }
  // The derivative of the slide along the last one, of which a share was taken.
  const Number bend = before - along;
  const Number wanted = view_.load(nearest_.share) * before / (bend + Number(kTiny));
  Number share = select(zero < bend, simd::clamp(wanted, Number(kLeastShare), Number(kMostShare)),
                        Number(1.0));
  share = select(zero < before, share, Number(1.0));
  const Number longest = Number(kLongestSlide * kLongestSlide) / (left + Number(kTiny));
  share = select(share * share < longest, share, simd::squareRoot(longest));
  view_.store(nearest_.share, share);
  view_.store(nearest_.left, left);
}

template <class Number>
GENERATIVE_IK_INLINE unsigned NearestStep<Number>::lookAhead(const Number& to_target,
                                                             const Number& ahead) const {
  const Number distance = view_.load(nearest_.distance);
  const Number left = view_.load(nearest_.left);
  const Number least = ahead - left;
  const Number change = Number(kChanges) * (least - view_.load(nearest_.least));
  view_.store(nearest_.ahead, select(to_target < Number(kAheadKnown) * distance, ahead,
                                     Number(std::numeric_limits<double>::infinity())));
  view_.store(nearest_.least, least);
  const Number bound = view_.load(nearest_.bound);
  return simd::bitsWhereLess(bound, least - change) & simd::bitsWhereLess(bound, least + change) &
         simd::bitsWhereLess(to_target, Number(kErrorsKnown) * distance) &
         simd::bitsWhereLess(left, Number(kSlideKnown) * distance);
}

template <class Number>
GENERATIVE_IK_INLINE unsigned NearestStep<Number>::advance(const LaneOptions& options,
                                                           const double* lower,
                                                           const double* upper) const {
  const Number linear = options.position_weight;
  const Number angular = view_.load(rows_.seeds.stretch) * Number(options.orientation_weight);
  Number y[2][6];  // NOLINT(*-avoid-c-arrays): for the errors, and for the way to the reference
  Number squared_error = 0.0;
  for (int k = 0; k < 6; ++k) {
    y[0][k] = view_.load(rows_.error + k) * (k < 3 ? linear : angular);
    squared_error += y[0][k] * y[0][k];
  }
  errors_.writeJacobian(options);
  headForReference(lower, upper, y[1]);
  // NOLINTBEGIN(*-avoid-c-arrays)
  const Number errors[6] = {y[0][0], y[0][1], y[0][2], y[0][3], y[0][4], y[0][5]};
  const Number way[6] = {y[1][0], y[1][1], y[1][2], y[1][3], y[1][4], y[1][5]};
  // NOLINTEND(*-avoid-c-arrays)
  solveDamped([this](std::int64_t v, int i) { return view_.load(rows_.jacobian + 6 * v + i); },
              chain_.num_variables,
              squared_error * view_.load(rows_.seeds.damping) + Number(kLeastDamping<Number>), y);
  slideAlong(y[1]);
  Number to_target = 0.0;  // squared length of the part of the step for the errors
  Number along = 0.0;      // and its product with the way to the reference
  for (int k = 0; k < 6; ++k) {
    view_.store(nearest_.multipliers + k, y[0][k] - y[1][k]);
    to_target += errors[k] * y[0][k];
    along += way[k] * y[0][k];
  }
  const Number ahead = view_.load(nearest_.distance) + to_target - (along + along);
  const Number moving = view_.load(rows_.seeds.moving);
  const Number share = view_.load(nearest_.share) * view_.load(nearest_.slides);
  for (std::int64_t v = 0; v < chain_.num_variables; ++v) {
    const Number step = alongColumn(v, y[0]) + share * view_.load(nearest_.slide + v);
    const Number q = view_.load(rows_.seeds.q + v) + step * moving * Number(chain_.scale[v]);
    view_.store(rows_.seeds.q + v, simd::clamp(q, Number(lower[v]), Number(upper[v])));
  }
  return lookAhead(to_target, ahead);
}

}  // namespace generative_ik
