/// An orthonormal basis of what is orthogonal to the rows of a matrix.
#pragma once

#include <cstdint>

namespace generative_ik {

/// A row of which only this share is left beside the others does not count.
constexpr double kDependentRow = 1e-8;

/// Writes orthonormal rows (dimensions, size) that are orthogonal to those of a matrix (count,
/// size), which are made orthonormal themselves; rows of 0 if there are fewer. Args: dependent:
/// rows of the matrix of which only this share is left beside those before do not count.
void writeNullBasis(double* rows, std::int64_t count, std::int64_t size, std::int64_t dimensions,
                    double* basis, double dependent = kDependentRow);

}  // namespace generative_ik
