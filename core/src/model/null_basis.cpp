#include "null_basis.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/row_vectors.hpp"

namespace generative_ik {
namespace {

// Modified Gram-Schmidt.
void orthonormalize(double* rows, std::int64_t count, std::int64_t size, double dependent) {
  for (std::int64_t r = 0; r < count; ++r) {
    double* row = rows + r * size;
    const double length = std::sqrt(simd::innerProduct(row, row, size));
    for (std::int64_t s = 0; s < r; ++s) {
      simd::removeShare(row, rows + s * size, size);
    }
    const double left = std::sqrt(simd::innerProduct(row, row, size));
    simd::multiply(row, left > dependent * length ? 1.0 / left : 0.0, size);
  }
}

// How much of the square of unit vector v is in the span of orthonormal rows.
double shareOf(std::int64_t v, const double* rows, std::int64_t count, std::int64_t size) {
  double known = 0.0;
  for (std::int64_t r = 0; r < count; ++r) {
    known += rows[r * size + v] * rows[r * size + v];
  }
  return known;
}

}  // namespace

void writeNullBasis(double* rows, std::int64_t count, std::int64_t size, std::int64_t dimensions,
                    double* basis, double dependent) {
  orthonormalize(rows, count, size, dependent);
  // Of the unit vectors the one that sticks out of the rows' span most is added, again and again.
  for (std::int64_t a = 0; a < dimensions; ++a) {
    double longest = -1.0;
    std::int64_t best = 0;
    for (std::int64_t v = 0; v < size; ++v) {
      const double left = 1.0 - shareOf(v, rows, count, size) - shareOf(v, basis, a, size);
      if (left > longest) {
        longest = left;
        best = v;
      }
    }
    double* row = basis + a * size;
    std::fill_n(row, size, 0.0);
    row[best] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t r = 0; r < count; ++r) {
        simd::removeShare(row, rows + r * size, size);
      }
      for (std::int64_t b = 0; b < a; ++b) {
        simd::removeShare(row, basis + b * size, size);
      }
    }
    const double length = std::sqrt(std::max(simd::innerProduct(row, row, size), 1e-300));
    simd::multiply(row, longest > kDependentRow ? 1.0 / length : 0.0, size);
  }
}

}  // namespace generative_ik
