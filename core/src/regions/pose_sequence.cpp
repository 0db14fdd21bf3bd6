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
