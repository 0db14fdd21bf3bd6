#include "pose_sequence.hpp"

#include <algorithm>
#include <limits>

#include "../search/recurrence.hpp"

namespace generative_ik::regions {

PoseSequence PoseSequence::ofPose() {
  PoseSequence sequence{};
  sequence.rotation = RotationKind::kExact;
  sequence.cosine = 1.0;
  sequence.reach = std::numeric_limits<double>::infinity();
  search::writeRecurrence(0, 1, sequence.shift + kOwnCoordinate, sequence.ratio + kOwnCoordinate);
  return sequence;
}

PoseSequence PoseSequence::of(const double* numbers) {
  PoseSequence sequence{};
  const double kind = numbers[0];
  sequence.rotation = kind < 0.5   ? RotationKind::kExact
                      : kind < 1.5 ? RotationKind::kFree
                      : kind < 2.5 ? RotationKind::kCone
                                   : RotationKind::kAngles;
  sequence.cone_axis = numbers[1] < 0.5 ? 0 : numbers[1] < 1.5 ? 1 : 2;
  sequence.cosine = numbers[2];
  sequence.reach = numbers[3];
  const double* next = numbers + 4;
  for (double* part : {sequence.lower, sequence.upper}) {
    std::copy_n(next, 6, part);
    next += 6;
  }
  for (double* part : {sequence.shift, sequence.ratio}) {
    std::copy_n(next, kCoordinates, part);
    next += kCoordinates;
  }
  return sequence;
}

RegionAbout RegionAbout::of(const PoseSequence& sequence, const double* target) {
  RegionAbout region{};
  region.sequence = &sequence;
  region.rotation = {{target[0], target[1], target[2]},
                     {target[4], target[5], target[6]},
                     {target[8], target[9], target[10]}};
  region.origin = {target[3], target[7], target[11]};
  region.within_reach = true;
  for (int i = 0; i < 3; ++i) {
    region.lower[i] = sequence.lower[i];
    region.upper[i] = sequence.upper[i];
    if (region.lower[i] != region.upper[i]) {
      double away = 0.0;
      for (int j = 0; j < 3; ++j) {
        away += target[4 * j + i] * target[4 * j + 3];
      }
      region.lower[i] = std::max(region.lower[i], -sequence.reach - away);
      region.upper[i] = std::min(region.upper[i], sequence.reach - away);
      region.within_reach = region.within_reach && region.lower[i] <= region.upper[i];
    }
  }
  return region;
}

}  // namespace generative_ik::regions
