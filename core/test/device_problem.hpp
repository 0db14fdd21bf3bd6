// Problems as a device takes them, of chains that tests share.
#pragma once

#include <generative_ik/chain.hpp>
#include <generative_ik/closed_form.hpp>
#include <generative_ik/collision_world.hpp>
#include <generative_ik/search_box.hpp>
#include <optional>
#include <vector>

#include "../src/device/device_search.hpp"
#include "../src/solver/packed_chain.hpp"

namespace generative_ik::test {

// Poses of random configurations of a chain, to be solved within 1e-5.
class DeviceProblem {
 public:
  DeviceProblem(const Chain& chain, int num_targets);

  [[nodiscard]] device::ProblemNumbers numbers() const;
  [[nodiscard]] const std::vector<double>& poses() const { return poses_; }
  [[nodiscard]] const std::vector<double>& configurations() const { return configurations_; }
  // Has the chain's closed form answer.
  void useClosedForm() { form_ = findClosedForm(chain_); }
  // Has solutions be clear of what is in a world, which must outlive this.
  void avoid(const CollisionWorld& world) { world_ = &world.parts(); }
  // Moves a target out of reach.
  void moveAway(std::size_t target) { poses_[16 * target + 3] += 10.0; }

 private:
  Chain chain_;
  PackedChain packed_;
  std::optional<ArmForm> form_;
  const collision::World* world_ = nullptr;
  std::vector<double> box_;
  std::vector<std::int64_t> circular_;
  std::vector<double> poses_;
  std::vector<double> configurations_;
};

// What was found for the targets of a problem.
struct Found {
  std::vector<double> positions;
  std::vector<double> errors;
  std::vector<std::int64_t> counts;
  device::SearchWork work;
};

Found solveOn(device::DeviceSearch& search, const DeviceProblem& problem, std::int64_t wanted,
              std::uint64_t random_seed = 0, const parallel::StopWhen& stop = {});

}  // namespace generative_ik::test
