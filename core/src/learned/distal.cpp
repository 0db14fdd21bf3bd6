#include "distal.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../parallel/for_each.hpp"
#include "kernels.hpp"

namespace generative_ik::learned {
namespace {

// Poses that a thread takes through a network after another.
constexpr std::int64_t kPosesOfMember = 8;

void answerOne(const MemberNetworks& networks, std::int64_t member, const float* inputs,
               float* memory, double* boxed) {
  const DenseKernel dense = networkKernels().dense;
  const float* row = inputs;
  float* next = memory;
  float* other = memory + std::max(networks.hidden, networks.outputs());
  for (std::int64_t i = 0; i <= networks.hidden_layers; ++i) {
    dense(networks.layer(member, i), row, networks.slope(i), next);
    row = next;
    std::swap(next, other);
  }
  for (std::int64_t j = 0; j < networks.joints; ++j) {
    boxed[j] = boxedAnswer(networks, j, row);
  }
}

}  // namespace

void answerPoses(const MemberNetworks& networks, const AnswerRequest& request,
                 const parallel::StopWhen& stop) {
  const std::int64_t features = networks.inputs.count;
  const auto answer = [&](std::int64_t piece) {
    const std::int64_t begin = kPosesOfMember * piece;
    const std::int64_t end = std::min(begin + kPosesOfMember, request.count);
    std::vector<float> inputs(static_cast<std::size_t>(kPosesOfMember * features));
    std::vector<float> memory(
        static_cast<std::size_t>(2 * std::max(networks.hidden, networks.outputs())));
    for (std::int64_t t = begin; t < end; ++t) {
      writePoseInputs(networks.inputs, request.poses + 16 * t,
                      inputs.data() + features * (t - begin));
    }
    for (std::int64_t member = 0; member < networks.members; ++member) {
      for (std::int64_t t = begin; t < end; ++t) {
        answerOne(networks, member, inputs.data() + features * (t - begin), memory.data(),
                  request.boxed + (t * networks.members + member) * networks.joints);
      }
    }
  };
  parallel::forEach((request.count + kPosesOfMember - 1) / kPosesOfMember, answer, stop);
}

}  // namespace generative_ik::learned
