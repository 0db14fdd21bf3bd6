/// Whether numbers are a pose.
#pragma once

#include <cstdint>

namespace generative_ik::verify {

/// How far a (4, 4) matrix is from a pose.
struct PoseDefect {
  double orthonormality;  ///< Largest error of a product of rows of the rotation.
  bool reflected;         ///< Whether the rotation is a reflection.
  bool finite;            ///< Whether all numbers are, and the last row is 0 0 0 1.
};

PoseDefect poseDefect(const double* pose);

/// Whether it is a pose whose rotation is as exact as can be.
bool isPose(const double* pose);

/// Whether (count, 4, 4) matrices all are; of many, by the library's threads.
bool arePoses(const double* poses, std::int64_t count);

}  // namespace generative_ik::verify
