/// Eight poses of a region at a time, and where other joints have to bring the tip for them.
#pragma once

#include <vector>

#include "../closed_form/locked_joint.hpp"
#include "../simd/instruction_sets.hpp"
#include "pose_sequence.hpp"

namespace generative_ik::regions {

/// Poses side by side: tip in base.
struct EightPoses {
  static constexpr int kCount = 8;

  // NOLINTBEGIN(*-avoid-c-arrays)
  double which[kCount];      ///< In: their numbers in the sequence.
  double rows[9][kCount];    ///< Out: their rotations, row by row.
  double origin[3][kCount];  ///< Out [m].
  double share[kCount];      ///< Out: their own coordinates, from 0 to 1.
  // NOLINTEND(*-avoid-c-arrays)

  /// Writes one of them, (4, 4) but for the last row.
  void write(int lane, double* pose) const {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        pose[4 * i + j] = rows[3 * i + j][lane];
      }
      pose[4 * i + 3] = origin[i][lane];
    }
  }
};

/// A revolute joint that takes part of the way; poses are then where the others bring the tip.
struct TurnedAway {
  const closed_form::LockedJoint* joint;  ///< Null if there is none.
  double lower, upper;                    ///< Its angle goes from one to the other [rad].
};

/// Places eight poses of the region about a target. Compiled for a set of instructions.
using PlaceKernel = void (*)(const RegionAbout& region, const TurnedAway& turned,
                             EightPoses& poses);

PlaceKernel place(simd::Baseline);
PlaceKernel place(simd::Avx2);
PlaceKernel place(simd::Avx512);

/// Those that this processor can run, the fastest first.
const std::vector<PlaceKernel>& placeKernels();

}  // namespace generative_ik::regions
