#include "kernels.hpp"

#include "../../cuda/closed_form.hpp"
#include "../../cuda/collect.hpp"
#include "../../cuda/collide.hpp"
#include "../../cuda/complete_arms.hpp"
#include "../../cuda/dense.hpp"
#include "../../cuda/descend.hpp"
#include "../../cuda/draw_flow.hpp"
#include "../../cuda/make_exact.hpp"
#include "../../cuda/place.hpp"

namespace generative_ik::device {
namespace {

// A kernel's function with its task's type forgotten.
template <class Task, void (*kFunction)(const Task&, std::int64_t)>
void onCpu(const void* task, std::int64_t thread) {
  kFunction(*static_cast<const Task*>(task), thread);
}

template <void (*kFunction)(const cuda::SearchTask&, std::int64_t)>
constexpr KernelEntry ofSearch(const char* name) {
  return {name, &onCpu<cuda::SearchTask, kFunction>};
}

}  // namespace

const std::array<KernelEntry, kNumKernels>& kernelTable() {
  static constexpr std::array<KernelEntry, kNumKernels> kTable = {
      ofSearch<cuda::descend<6>>("descend6"),
      ofSearch<cuda::descend<7>>("descend7"),
      ofSearch<cuda::descend<0>>("descendAny"),
      ofSearch<cuda::makeExact<6>>("makeExact6"),
      ofSearch<cuda::makeExact<7>>("makeExact7"),
      ofSearch<cuda::makeExact<0>>("makeExactAny"),
      ofSearch<cuda::findNew>("findNewOnes"),
      ofSearch<cuda::putNew>("putNewOnes"),
      ofSearch<cuda::count>("countSolutions"),
      ofSearch<cuda::countOpen>("countOpenSlots"),
      ofSearch<cuda::addUp>("addUpChunks"),
      ofSearch<cuda::listOpen>("listOpenSlots"),
      {"placeTips", &onCpu<cuda::PlaceTask, cuda::place>},
      ofSearch<cuda::answer<closed_form::sphericalWrist<double>>>("sphericalWrist"),
      ofSearch<cuda::answer<closed_form::sphericalWristCoupled<double>>>("sphericalWristCoupled"),
      ofSearch<cuda::answer<closed_form::threeParallel<double>>>("threeParallel"),
      ofSearch<cuda::answer<closed_form::threeParallelCoupled<double>>>("threeParallelCoupled"),
      ofSearch<cuda::keepFree>("keepFreeOnes"),
      {"writePoseInputs", &onCpu<cuda::InputsTask, cuda::writeInputs>},
      {"passDenseLayer", &onCpu<cuda::DenseTask, cuda::passDense>},
      {"readMemberAnswers", &onCpu<cuda::AnswersTask, cuda::readAnswers>},
      {"beginFlowSeeds", &onCpu<cuda::FlowTask, cuda::beginFlow>},
      {"passFlowHidden", &onCpu<cuda::FlowTask, cuda::passHidden>},
      {"passFlowLast", &onCpu<cuda::FlowTask, cuda::passLast>},
      {"bendFlowSeeds", &onCpu<cuda::FlowTask, cuda::bendFlow>},
      {"beginArms", &onCpu<cuda::CompletionTask, cuda::beginArm>},
      {"passArmNetwork", &onCpu<cuda::CompletionTask, cuda::passNetwork>},
      {"moveArmJoints", &onCpu<cuda::CompletionTask, cuda::moveJoint>},
  };
  return kTable;
}

}  // namespace generative_ik::device
