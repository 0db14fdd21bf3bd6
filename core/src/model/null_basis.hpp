/// An orthonormal basis of what is orthogonal to the rows of a matrix.
#pragma once

#include <cstdint>

namespace generative_ik {

/// Writes orthonormal rows (dimensions, size) that are orthogonal to those of a matrix (count,
/// size), which are made orthonormal themselves; rows of 0 if there are fewer.
void writeNullBasis(double* rows, std::int64_t count, std::int64_t size, std::int64_t dimensions,
                    double* basis);

}  // namespace generative_ik
