/// Six equations in three angles made one determinant in one of them, at angles side by side.
///
/// With half-angle tangents of y and z each equation has degree two in both; all of them once more
/// times the tangent of y make 12 equations that are linear in 12 products (Sylvester's dialytic
/// elimination). Such a matrix is [P Q R 0; 0 P Q R], with blocks of six rows and three columns.
/// Three Householder reflections make P upper triangular in both halves at once, and what is left
/// is a matrix of six rows. They take no choice of pivots, which lanes could only make together.
#pragma once

#include "../simd/constants.hpp"
#include "equations.hpp"

namespace generative_ik::closed_form {

/// The matrices of some equations at the angles in the lanes.
template <class Number>
class DialyticMatrix {
 public:
  GENERATIVE_IK_INLINE DialyticMatrix(const EliminationNumbers& layout, const Equations& equations)
      : layout_(layout), equations_(equations) {}

  struct Determinant {
    Number value;
    Number error;  // to first order how far rounding in the matrix moves it, over rounding
  };

  [[nodiscard]] GENERATIVE_IK_INLINE Determinant determinant(const Angle<Number>& x) {
    const auto& [first, rest] = makeTriangular(x);
    const Number value = first.product * first.product * rest.product;
    return {value, absolute(value) * (first.largest / first.least + rest.largest / rest.least)};
  }

  /// Writes the vectors that what is left maps to almost zero: products of the tangent of y and of
  /// 1 with powers of z's from the second down.
  ///
  /// It is one step of inverse iteration, from a vector that the reflections make a random one.
  GENERATIVE_IK_INLINE void nullVector(const Angle<Number>& x,
                                       Number (&vector)[kEquations]) {  // NOLINT(*-c-arrays)
    // A diagonal element of zero is taken for this share of the largest.
    constexpr double kSmallest = 1e-17;
    const Number least = makeTriangular(x).rest.largest * kSmallest + kNothing;
    Number largest = 0.0;
    for (int i = kEquations - 1; i >= 0; --i) {
      Number value = 1.0;
      for (int j = i + 1; j < kEquations; ++j) {
        value -= rest_[j][i] * vector[j];
      }
      const Number pivot = rest_[i][i];
      const Number floor = select(pivot < Number(0.0), -least, least);
      vector[i] = value / select(least < absolute(pivot), pivot, floor);
      largest = simd::larger(largest, absolute(vector[i]));
    }
    for (Number& value : vector) {
      value = value / largest;
    }
  }

 private:
  static constexpr int kPowers = 3;
  static constexpr double kNothing = 1e-300;

  /// Product, largest and least absolute value of a diagonal.
  struct Diagonal {
    Number product, largest, least;
  };
  struct Diagonals {
    Diagonal first, rest;
  };

  /// Makes the first columns of a matrix of six rows upper triangular by reflections; below the
  /// diagonal nothing is written.
  template <int Reflected, int Columns>
  GENERATIVE_IK_INLINE static Diagonal reflect(
      Number (&matrix)[Columns][kEquations]) {  // NOLINT(*-avoid-c-arrays)
    Diagonal diagonal = {1.0, 0.0, kInfinity};
    for (int i = 0; i < Reflected; ++i) {
      Number square = 0.0;
      for (int e = i; e < kEquations; ++e) {
        square += matrix[i][e] * matrix[i][e];
      }
      const Number x = matrix[i][i];
      const Number size = simd::squareRoot(square);
      const Number away = select(x < Number(0.0), -size, size);
      const Number normal = x + away;
      const Number scale = select(Number(0.0) < size, 1.0 / (away * normal), Number(0.0));
      for (int j = i + 1; j < Columns; ++j) {
        Number part = normal * matrix[j][i];
        for (int e = i + 1; e < kEquations; ++e) {
          part += matrix[i][e] * matrix[j][e];
        }
        part *= scale;
        matrix[j][i] -= part * normal;
        for (int e = i + 1; e < kEquations; ++e) {
          matrix[j][e] -= part * matrix[i][e];
        }
      }
      matrix[i][i] = -away;
      diagonal.product *= away;
      diagonal.largest = simd::larger(diagonal.largest, size);
      diagonal.least = simd::smaller(diagonal.least, size);
    }
    return diagonal;
  }

  // Writes the blocks, and makes them upper triangular.
  //
  // With [U A B; 0 C D] for [P Q R] and X = C / U what is left is [D - X A, -X B; C, D]: it maps
  // the products with the first and no power of y's tangent to zero, and its determinant times
  // that of U squared is the one of the whole, but for the sign.
  GENERATIVE_IK_INLINE Diagonals makeTriangular(const Angle<Number>& x);

  // One by a diagonal element of U; 0 where there is none, as then U's determinant is.
  [[nodiscard]] GENERATIVE_IK_INLINE Number inverse(int k) const {
    const Number pivot = blocks_[k][k];
    return select(Number(kNothing) < absolute(pivot), 1.0 / pivot, Number(0.0));
  }

  EliminationNumbers layout_;
  const Equations& equations_;
  // Column by column.
  Number blocks_[kPowers * kPowers][kEquations];  // NOLINT(*-avoid-c-arrays)
  Number rest_[kEquations][kEquations];           // NOLINT(*-avoid-c-arrays)
};

template <class Number>
GENERATIVE_IK_INLINE typename DialyticMatrix<Number>::Diagonals
DialyticMatrix<Number>::makeTriangular(const Angle<Number>& x) {
  const std::ptrdiff_t over_x = layout_.overX();
  for (int a = 0; a < kPowers; ++a) {
    for (int k = 0; k < kPowers; ++k) {
      for (int e = 0; e < kEquations; ++e) {
        const double* of_x = equations_.coefficients() + a * layout_.overY() +
                             k * layout_.overZ() + e * layout_.overEquations();
        blocks_[kPowers * a + k][e] =
            x.cosine * of_x[over_x] + x.sine * of_x[2 * over_x] + of_x[0];
      }
    }
  }
  const Diagonal first = reflect<kPowers>(blocks_);
  const Number f = inverse(0);
  const Number g = inverse(1);
  const Number h = inverse(2);
  const Number u = blocks_[1][0];
  const Number v = blocks_[2][0];
  const Number w = blocks_[2][1];
  for (int i = 0; i < kPowers; ++i) {
    // Rows of C and X.
    const Number a = blocks_[3][i + 3];
    const Number b = blocks_[4][i + 3];
    const Number c = blocks_[5][i + 3];
    const Number p = a * f;
    const Number q = (b - p * u) * g;
    const Number r = (c - p * v - q * w) * h;
    for (int k = 0; k < kPowers; ++k) {
      const Number d = blocks_[6 + k][i + 3];
      const Number(&above)[kEquations] = blocks_[3 + k];   // NOLINT(*-avoid-c-arrays)
      const Number(&beside)[kEquations] = blocks_[6 + k];  // NOLINT(*-avoid-c-arrays)
      rest_[k][i] = d - (p * above[0] + q * above[1] + r * above[2]);
      rest_[3 + k][i] = -(p * beside[0] + q * beside[1] + r * beside[2]);
      rest_[k][i + 3] = above[i + 3];
      rest_[3 + k][i + 3] = d;
    }
  }
  return {first, reflect<kEquations>(rest_)};
}

}  // namespace generative_ik::closed_form
