#include "device_networks.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "../../cuda/complete_arms.hpp"
#include "../../cuda/dense.hpp"
#include "../../cuda/draw_flow.hpp"
#include "memory_layout.hpp"

namespace generative_ik::device {
namespace {

// Seeds of a piece of a call, and poses: they fill a GPU, and their memory is some ten megabytes.
constexpr std::int64_t kMostSeeds = 1 << 15;
constexpr std::int64_t kMostPoses = 1 << 12;
// On the CPU: a piece is over before an interrupt has waited long.
constexpr std::int64_t kMostEmulated = 1 << 8;
// If there is no memory for so few, there is none.
constexpr std::int64_t kFewestSeeds = 64;

/// Some seeds of some poses.
struct PieceOfCall {
  std::int64_t pose, poses, first, count;

  [[nodiscard]] std::int64_t seeds() const { return poses * count; }
};

/// Calls a function with pieces of a call for `count` seeds of each of `poses`, smaller ones where
/// memory is short: whole poses, or some seeds of one.
template <class Function>
void inPieces(const Device& device, std::int64_t poses, std::int64_t count,
              const parallel::StopWhen& stop, const Function& function) {
  std::int64_t most = device.isEmulated() ? kMostEmulated : kMostSeeds;
  PieceOfCall piece = {0, 0, 0, 0};
  while (piece.pose < poses && !stop.isLate() && !(stop.interrupted && stop.interrupted())) {
    const bool whole = piece.first == 0 && count <= most;
    piece.poses = whole ? std::min({most / count, kMostPoses, poses - piece.pose}) : 1;
    piece.count = std::min(most, count - piece.first);
    try {
      function(piece);
      piece.first += piece.count;
      if (piece.first == count) {
        piece.pose += piece.poses;
        piece.first = 0;
      }
    } catch (const OutOfMemoryError&) {
      if (most <= kFewestSeeds) {
        throw;
      }
      most /= 2;
    }
  }
}

/// Calls a function twice with a layout: to count the bytes, and with addresses in the device's
/// memory, when it does its work.
template <class Lay>
void layOut(DeviceSearch& search, const Lay& lay) {
  Layout counted(nullptr);
  lay(counted);
  Layout placed(search.memory(counted.used()));
  lay(placed);
}

/// A request of a piece, with its arrays in a layout, and copied there from `placed`, which must
/// stay until something is read.
template <class Appended>
auto copied(Device& device, Layout& layout, Arrays& placed, const Appended& append) {
  Arrays counted;
  auto request = append(counted, nullptr);
  auto* base = layout.take<std::byte>(static_cast<std::int64_t>(counted.bytes().size()));
  if (base != nullptr) {
    request = append(placed, base);
    device.write(base, placed.bytes().data(), placed.bytes().size());
  }
  return request;
}

void readNumbers(Device& device, double* to, const double* from, std::int64_t count) {
  device.read(to, from, static_cast<std::size_t>(count) * sizeof(double));
}

cuda::DenseTask denseTask(const learned::DenseLayer& layer, std::int64_t rows, float slope,
                          const float* in, float* out) {
  return {layer, 0, 0, rows, false, slope, in, out};
}

/// Takes poses through the network of a flow.
class FlowConditions {
 public:
  FlowConditions(const learned::PoseNetwork& network, Layout& layout, std::int64_t poses)
      : network_(network),
        poses_(poses),
        inputs_(layout.take<float>(network.inputs.count * poses)) {
    for (std::size_t i = 0; i < 3; ++i) {
      rows_.at(i) = layout.take<float>(network.layers[i].outputs * poses);
    }
  }

  [[nodiscard]] const float* taken() const { return rows_[2]; }

  void launch(Device& device, const double* poses) const {
    const cuda::InputsTask inputs = {network_.inputs, poses, inputs_};
    device.launch(Kernel::kWriteInputs, &inputs, poses_);
    const float* in = inputs_;
    for (std::size_t i = 0; i < 3; ++i) {
      const learned::DenseLayer& layer = network_.layers[i];
      const float slope = i < 2 ? learned::kLeak : 1.0F;
      const cuda::DenseTask task = denseTask(layer, poses_, slope, in, rows_.at(i));
      device.launch(Kernel::kPassDense, &task, poses_ * layer.outputs);
      in = rows_.at(i);
    }
  }

 private:
  const learned::PoseNetwork& network_;
  std::int64_t poses_;
  float* inputs_;
  std::array<float*, 3> rows_{};
};

/// Launches all layers of a flow; positions are written when they are done.
void launchFlow(Device& device, cuda::FlowTask task) {
  const learned::SplineLayers& layers = task.flow.layers;
  const std::int64_t seeds = task.seeds;
  task.layer = 0;
  device.launch(Kernel::kBeginFlow, &task, seeds);
  for (; task.layer < layers.layers; ++task.layer) {
    for (task.hidden_layer = 0; task.hidden_layer < layers.hidden_layers; ++task.hidden_layer) {
      device.launch(Kernel::kPassFlowHidden, &task, seeds * layers.first.blocks());
    }
    device.launch(Kernel::kPassFlowLast, &task, seeds * layers.last.blocks());
    device.launch(Kernel::kBendFlow, &task, seeds);
  }
}

/// Completes arms until all have come to their goals, or have been tried often enough.
class ArmsInSlots {
 public:
  ArmsInSlots(Device& device, const std::vector<std::int64_t>& sampled, std::int64_t seeds)
      : device_(device), sampled_(sampled), waiting_(static_cast<std::size_t>(seeds)) {
    std::iota(waiting_.begin(), waiting_.end(), 0);
  }

  /// Args: seeds: memory of the device for the seeds of slots, which `task` reads.
  void complete(cuda::CompletionTask task, std::int32_t* seeds) {
    for (task.attempt = 0; task.attempt < task.request.tries && !waiting_.empty();
         ++task.attempt) {
      task.slots = static_cast<std::int64_t>(waiting_.size());
      device_.write(seeds, waiting_.data(), waiting_.size() * sizeof waiting_[0]);
      launchTry(task);
      if (task.attempt + 1 < task.request.tries) {
        keepOpen(task.open);
      }
    }
  }

 private:
  void launchTry(cuda::CompletionTask& task) {
    const learned::CompletionNetwork& network = task.arm.network;
    device_.launch(Kernel::kBeginArm, &task, task.slots);
    for (const std::int64_t joint : sampled_) {
      task.joint = joint;
      for (task.layer = 0; task.layer < network.layers(); ++task.layer) {
        const bool is_last = task.layer + 1 == network.layers();
        const std::int64_t blocks = is_last ? network.head.blocks() : network.inputs.blocks();
        device_.launch(Kernel::kPassArmNetwork, &task, task.slots * blocks);
      }
      device_.launch(Kernel::kMoveArmJoint, &task, task.slots);
    }
  }

  // Keeps the seeds that are to be drawn again, in their order.
  void keepOpen(const std::uint8_t* open) {
    std::vector<std::uint8_t> flags(waiting_.size());
    device_.read(flags.data(), open, flags.size());
    std::size_t kept = 0;
    for (std::size_t slot = 0; slot < flags.size(); ++slot) {
      if (flags[slot] != 0) {
        waiting_[kept++] = waiting_[slot];
      }
    }
    waiting_.resize(kept);
  }

  Device& device_;
  const std::vector<std::int64_t>& sampled_;
  std::vector<std::int32_t> waiting_;
};

}  // namespace

template <class Network>
ResidentNetwork<Network>::ResidentNetwork(DeviceSearch& search, const Network& network)
    : search_(search) {
  const auto lock = search.turn();
  Arrays numbers;
  appended(network, numbers, nullptr);
  memory_ = std::make_unique<DeviceMemory>(search.device(), numbers.bytes().size());
  Arrays placed;
  network_ = appended(network, placed, memory_->address());
  search.device().write(memory_->address(), placed.bytes().data(), placed.bytes().size());
  // What is written must stay until something is read.
  std::byte first{};
  search.device().read(&first, memory_->address(), sizeof first);
}

template class ResidentNetwork<learned::SplineFlow>;
template class ResidentNetwork<learned::Arm>;
template class ResidentNetwork<learned::MemberNetworks>;

void DeviceFlow::sample(const learned::FlowRequest& request, const parallel::StopWhen& stop) {
  DeviceSearch& search = flow_.search();
  const auto lock = search.turn();
  Device& device = search.device();
  const learned::SplineFlow& flow = flow_.network();
  const std::int64_t n = request.num_joints;
  inPieces(device, request.num_poses, request.count, stop, [&](const PieceOfCall& piece) {
    learned::FlowRequest part = request;
    part.poses += 16 * piece.pose;
    part.num_poses = piece.poses;
    part.first += piece.first;
    part.count = piece.count;
    layOut(search, [&](Layout& layout) {
      Arrays placed;
      cuda::FlowTask task{};
      task.flow = flow;
      task.seeds = piece.seeds();
      task.request = copied(device, layout, placed, [&](Arrays& arrays, const std::byte* base) {
        return appended(part, flow.layers.width, arrays, base);
      });
      const FlowConditions conditions(flow.pose, layout, piece.poses);
      task.taken = conditions.taken();
      task.rows = layout.take<float>(learned::flowRows(flow.layers) * task.seeds);
      task.request.positions = layout.take<double>(n * task.seeds);
      if (task.rows != nullptr) {
        conditions.launch(device, task.request.poses);
        launchFlow(device, task);
        readNumbers(device, request.positions + (piece.pose * request.count + piece.first) * n,
                    task.request.positions, n * task.seeds);
      }
    });
  });
}

DeviceArm::DeviceArm(DeviceSearch& search, const learned::Arm& arm) : arm_(search, arm) {
  for (std::int64_t j = 0; j < arm.links.num_joints; ++j) {
    if (arm.links.decided_by[j] == learned::kSampled) {
      sampled_.push_back(j);
    }
  }
}

void DeviceArm::complete(const learned::CompletionRequest& request,
                         const parallel::StopWhen& stop) {
  DeviceSearch& search = arm_.search();
  const auto lock = search.turn();
  Device& device = search.device();
  const learned::Arm& arm = arm_.network();
  const std::int64_t n = request.num_variables;
  inPieces(device, request.num_goals, request.count, stop, [&](const PieceOfCall& piece) {
    const std::int64_t seeds = piece.seeds();
    learned::CompletionRequest part = request;
    part.goals += 9 * piece.pose;
    part.num_goals = piece.poses;
    part.first += piece.first;
    part.count = piece.count;
    layOut(search, [&](Layout& layout) {
      Arrays placed;
      cuda::CompletionTask task{};
      task.arm = arm;
      task.request = copied(device, layout, placed, [&](Arrays& arrays, const std::byte* base) {
        return appended(part, arrays, base);
      });
      task.memory.single =
          layout.take<float>(learned::singleRows(arm.network, request.width) * seeds);
      task.memory.variable = layout.take<double>(n * seeds);
      task.request.positions = layout.take<double>(n * seeds);
      task.missed = layout.take<double>(seeds);
      task.open = layout.take<std::uint8_t>(seeds);
      auto* slots = layout.take<std::int32_t>(seeds);
      task.seeds = slots;
      if (slots != nullptr) {
        ArmsInSlots arms(device, sampled_, seeds);
        arms.complete(task, slots);
        readNumbers(device, request.positions + (piece.pose * request.count + piece.first) * n,
                    task.request.positions, n * seeds);
      }
    });
  });
}

void DeviceMembers::answer(const learned::AnswerRequest& request, const parallel::StopWhen& stop) {
  DeviceSearch& search = networks_.search();
  const auto lock = search.turn();
  Device& device = search.device();
  const learned::MemberNetworks& networks = networks_.network();
  const std::int64_t members = networks.members;
  inPieces(device, request.count, 1, stop, [&](const PieceOfCall& piece) {
    const std::int64_t rows = piece.poses * members;
    layOut(search, [&](Layout& layout) {
      Arrays placed;
      const double* poses =
          copied(device, layout, placed, [&](Arrays& arrays, const std::byte* base) {
            return arrays.append<double>(request.poses + 16 * piece.pose, 16 * piece.poses, base);
          });
      const cuda::InputsTask inputs = {networks.inputs, poses,
                                       layout.take<float>(networks.inputs.count * piece.poses)};
      const std::int64_t width = std::max(networks.hidden, networks.outputs());
      std::array<float*, 2> turns = {layout.take<float>(width * rows),
                                     layout.take<float>(width * rows)};
      auto* boxed = layout.take<double>(networks.joints * rows);
      if (boxed == nullptr) {
        return;
      }
      device.launch(Kernel::kWriteInputs, &inputs, piece.poses);
      const float* in = inputs.out;
      for (std::int64_t i = 0; i <= networks.hidden_layers; ++i) {
        cuda::DenseTask task =
            denseTask(networks.layer(0, i), piece.poses, networks.slope(i), in, turns[0]);
        task.matrix_step = members > 1 ? networks.layer(1, i).matrix - task.layer.matrix : 0;
        task.bias_step = members > 1 ? networks.layer(1, i).bias - task.layer.bias : 0;
        task.shared = i == 0;
        device.launch(Kernel::kPassDense, &task, rows * task.layer.outputs);
        in = turns[0];
        std::swap(turns[0], turns[1]);
      }
      const cuda::AnswersTask answers = {networks, in, piece.poses, boxed};
      device.launch(Kernel::kReadAnswers, &answers, rows);
      readNumbers(device, request.boxed + piece.pose * members * networks.joints, boxed,
                  networks.joints * rows);
    });
  });
}

}  // namespace generative_ik::device
