/// The equations of a general six-joint arm for a pose, from what is prepared once for the arm.
///
/// They are the product of a matrix, what a rigid motion does to functions of a line (M. Raghavan
/// and B. Roth, see `general.hpp`), and another matrix. Both matrices lie in rows of eight
/// numbers.
#pragma once

#include <cstddef>

#include "branches.hpp"
#include "parameters.hpp"

namespace generative_ik::closed_form {

/// Functions of a point p on a line of direction l: p, p.p, 1, l, p.l, p x l, (p.p) l - 2 (p.l) p.
inline constexpr int kFunctions = 15;
inline constexpr int kEquations = 6;

/// What the parameters have behind a header and a point on each axis.
class EliminationNumbers {
 public:
  GENERATIVE_IK_INLINE explicit EliminationNumbers(const double* numbers) : numbers_(numbers) {}

  /// The joint that does not move its own axis, 0 to 3; the two after it are eliminated.
  [[nodiscard]] GENERATIVE_IK_INLINE int dropped() const { return static_cast<int>(whole(0)); }
  /// How far apart two coefficients are of x = (1, cos, sin), of the equations, and of powers of
  /// y's and of z's tangent, from the second down.
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t overX() const { return whole(1); }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t overEquations() const { return whole(2); }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t overY() const { return whole(3); }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t overZ() const { return whole(4); }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t columns() const { return whole(5); }
  /// What tells the first eliminated joint: its cosine and sine are these plus products of the
  /// two rows with the dropped axis's functions.
  [[nodiscard]] GENERATIVE_IK_INLINE Angle<double> offset() const {
    return {numbers_[kTold], numbers_[kTold + 1]};
  }
  [[nodiscard]] GENERATIVE_IK_INLINE double forCosine(int function) const {
    return numbers_[kTold + 2 + function];
  }
  [[nodiscard]] GENERATIVE_IK_INLINE double forSine(int function) const {
    return numbers_[kTold + 2 + kFunctions + function];
  }
  /// A row of eight numbers: first the functions of the rows, then those of the columns.
  [[nodiscard]] GENERATIVE_IK_INLINE const double* row(std::ptrdiff_t index) const {
    return numbers_ + kRowLength * (kFirstRow + index);
  }

  /// Whether they are whole, and no further than so many numbers are read.
  [[nodiscard]] bool fitsInto(std::size_t count) const {
    const auto within = [this](int index, std::ptrdiff_t least, std::ptrdiff_t most) {
      const double number = numbers_[kLayout + index];
      return number >= static_cast<double>(least) && number <= static_cast<double>(most);
    };
    constexpr std::ptrdiff_t kMostStride = kMostColumns * kRowLength;
    if (count < kLeast || !within(0, 0, 3) || !within(5, 1, kMostColumns)) {
      return false;
    }
    std::ptrdiff_t furthest = 0;
    for (int k = 1; k <= 4; ++k) {
      if (!within(k, 0, kMostStride)) {
        return false;
      }
      furthest += (k == 2 ? kEquations - 1 : 2) * whole(k);
    }
    const std::ptrdiff_t rows = kFirstRow + kFunctions * (high() + wide());
    return furthest < kMostStride && static_cast<std::size_t>(kRowLength * rows) <= count;
  }

  /// In how many rows the functions of the columns lie, and those of the rows.
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t wide() const { return rowsFor(columns()); }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t high() const {
    return rowsFor(kEquations * kMostColumns / columns());
  }

  static constexpr std::ptrdiff_t kRowLength = 8;
  static constexpr std::ptrdiff_t kMostColumns = 27;
  /// The first row; numbers of parameters without any.
  static constexpr std::ptrdiff_t kFirstRow = 12;
  static constexpr std::size_t kLeast = static_cast<std::size_t>(kRowLength * kFirstRow);

 private:
  GENERATIVE_IK_INLINE static std::ptrdiff_t rowsFor(std::ptrdiff_t count) {
    return (count + kRowLength - 1) / kRowLength;
  }
  [[nodiscard]] GENERATIVE_IK_INLINE std::ptrdiff_t whole(int index) const {
    return static_cast<std::ptrdiff_t>(numbers_[kLayout + index]);
  }

  static constexpr int kLayout = 3 * (Parameters::kOwn + kJoints);
  static constexpr int kTold = kLayout + 6;

  const double* numbers_;
};

/// The coefficients of the equations for a pose.
class Equations {
 public:
  /// `loop` takes the target back to the tip at zero.
  template <class Number>
  GENERATIVE_IK_INLINE void compute(const EliminationNumbers& numbers, const Motion& loop) {
    const std::ptrdiff_t count = numbers.columns();
    const std::ptrdiff_t wide = numbers.wide();
    const std::ptrdiff_t high = numbers.high();
    double moved[kFunctions * kMostRows * kRow];  // NOLINT(*-avoid-c-arrays)
    for (std::ptrdiff_t k = 0; k < wide * kRow; k += simd::kWidth<Number>) {
      move<Number>(numbers.row(kFunctions * high) + k, wide * kRow, loop, moved + k);
    }
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      for (std::ptrdiff_t at = 0; at < high * kRow; at += simd::kWidth<Number>) {
        Number total = 0.0;
        for (int j = 0; j < kFunctions; ++j) {
          total +=
              simd::load<Number>(numbers.row(j * high) + at) * Number(moved[j * wide * kRow + k]);
        }
        simd::store(coefficients_ + k * high * kRow + at, total);
      }
    }
  }

  [[nodiscard]] GENERATIVE_IK_INLINE const double* coefficients() const { return coefficients_; }

 private:
  static constexpr std::ptrdiff_t kRow = EliminationNumbers::kRowLength;
  static constexpr std::ptrdiff_t kMostColumns = EliminationNumbers::kMostColumns;
  static constexpr std::ptrdiff_t kMostRows = 4;

  // Writes columns of functions as a rigid motion makes them.
  template <class Number>
  GENERATIVE_IK_INLINE static void move(const double* functions, std::ptrdiff_t stride,
                                        const Motion& loop, double* out) {
    const auto in = [&](std::ptrdiff_t k) { return simd::load<Number>(functions + k * stride); };
    const auto three = [&](std::ptrdiff_t k) {
      return Vector3<Number>{in(k), in(k + 1), in(k + 2)};
    };
    const auto write = [&](std::ptrdiff_t k, const Vector3<Number>& value) {
      simd::store(out + k * stride, value.x);
      simd::store(out + (k + 1) * stride, value.y);
      simd::store(out + (k + 2) * stride, value.z);
    };
    const auto& [rotation, shift] = loop;
    const Number one = in(4);
    const Number along = in(8);
    const Vector3<Number> point = rotation * three(0);
    const Vector3<Number> line = rotation * three(5);
    const Vector3<Number> moment = rotation * three(9);
    const Vector3<Number> last = rotation * three(12);
    const double far = dot(shift, shift);
    const Number ahead = dot(shift, line);
    write(0, point + one * shift);
    simd::store(out + 3 * stride, in(3) + 2.0 * dot(shift, point) + far * one);
    simd::store(out + 4 * stride, one);
    write(5, line);
    simd::store(out + 8 * stride, along + ahead);
    write(9, moment + cross(shift, line));
    write(12, last - 2.0 * cross(shift, moment) + far * line - (2.0 * (ahead + along)) * shift);
  }

  double coefficients_[kMostColumns * kRow];  // NOLINT(*-avoid-c-arrays)
};

}  // namespace generative_ik::closed_form
