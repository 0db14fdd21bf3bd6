/// Trained networks on a device: their weights are there as long as they live, and calls bring
/// poses and take samples.
#pragma once

#include <memory>
#include <vector>

#include "device_search.hpp"
#include "network_upload.hpp"

namespace generative_ik::device {

/// A network whose arrays are in the memory of a device. Throws DeviceError, as all here.
template <class Network>
class ResidentNetwork {
 public:
  ResidentNetwork(DeviceSearch& search, const Network& network);

  [[nodiscard]] DeviceSearch& search() const { return search_; }
  /// With addresses of the device's memory.
  [[nodiscard]] const Network& network() const { return network_; }

 private:
  DeviceSearch& search_;
  std::unique_ptr<DeviceMemory> memory_;
  Network network_;
};

/// A spline flow.
class DeviceFlow {
 public:
  DeviceFlow(DeviceSearch& search, const learned::SplineFlow& flow) : flow_(search, flow) {}

  [[nodiscard]] const learned::SplineFlow& flow() const { return flow_.network(); }

  /// Writes the samples of `learned::sampleFlow`, up to rounding.
  void sample(const learned::FlowRequest& request, const parallel::StopWhen& stop);

 private:
  ResidentNetwork<learned::SplineFlow> flow_;
};

/// An autoregressive model for one arm.
class DeviceArm {
 public:
  DeviceArm(DeviceSearch& search, const learned::Arm& arm);

  [[nodiscard]] const learned::Arm& arm() const { return arm_.network(); }

  /// Writes the samples of `learned::completeArm`, up to rounding; the request is for the links'
  /// variables and columns.
  void complete(const learned::CompletionRequest& request, const parallel::StopWhen& stop);

 private:
  ResidentNetwork<learned::Arm> arm_;
  std::vector<std::int64_t> sampled_;  // joints that the network decides
};

/// The networks of distal teaching.
class DeviceMembers {
 public:
  DeviceMembers(DeviceSearch& search, const learned::MemberNetworks& networks)
      : networks_(search, networks) {}

  [[nodiscard]] const learned::MemberNetworks& networks() const { return networks_.network(); }

  /// Writes the answers of `learned::answerPoses`, up to rounding.
  void answer(const learned::AnswerRequest& request, const parallel::StopWhen& stop);

 private:
  ResidentNetwork<learned::MemberNetworks> networks_;
};

}  // namespace generative_ik::device
