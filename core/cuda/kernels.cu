// The kernels: a thread calls the function of its name, which is compiled for the CPU, too.
#include "closed_form.hpp"
#include "collect.hpp"
#include "collide.hpp"
#include "complete_arms.hpp"
#include "dense.hpp"
#include "descend.hpp"
#include "draw_flow.hpp"
#include "make_exact.hpp"
#include "place.hpp"

namespace generative_ik::cuda {
namespace {

// What a thread does, if there is something left for it.
template <auto kFunction, class Task>
__device__ void inThread(const Task& task, std::int64_t threads) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < threads) {
    kFunction(task, i);
  }
}

// Threads of a block in the kernels with the most numbers in registers: as many as leave each the
// 255 registers that it may have.
constexpr int kFew = 128;

}  // namespace

extern "C" {

__global__ void __launch_bounds__(kFew) descend6(SearchTask task, std::int64_t threads) {
  inThread<descend<6>>(task, threads);
}

__global__ void __launch_bounds__(kFew) descend7(SearchTask task, std::int64_t threads) {
  inThread<descend<7>>(task, threads);
}

__global__ void __launch_bounds__(kFew) descendAny(SearchTask task, std::int64_t threads) {
  inThread<descend<0>>(task, threads);
}

__global__ void __launch_bounds__(kFew) makeExact6(SearchTask task, std::int64_t threads) {
  inThread<makeExact<6>>(task, threads);
}

__global__ void __launch_bounds__(kFew) makeExact7(SearchTask task, std::int64_t threads) {
  inThread<makeExact<7>>(task, threads);
}

__global__ void __launch_bounds__(kFew) makeExactAny(SearchTask task, std::int64_t threads) {
  inThread<makeExact<0>>(task, threads);
}

__global__ void __launch_bounds__(kFew) keepFreeOnes(SearchTask task, std::int64_t threads) {
  inThread<keepFree>(task, threads);
}

__global__ void findNewOnes(SearchTask task, std::int64_t threads) {
  inThread<findNew>(task, threads);
}

__global__ void putNewOnes(SearchTask task, std::int64_t threads) {
  inThread<putNew>(task, threads);
}

__global__ void countSolutions(SearchTask task, std::int64_t threads) {
  inThread<count>(task, threads);
}

__global__ void countOpenSlots(SearchTask task, std::int64_t threads) {
  inThread<countOpen>(task, threads);
}

__global__ void addUpChunks(SearchTask task, std::int64_t threads) {
  inThread<addUp>(task, threads);
}

__global__ void listOpenSlots(SearchTask task, std::int64_t threads) {
  inThread<listOpen>(task, threads);
}

__global__ void placeTips(PlaceTask task, std::int64_t threads) {
  inThread<place>(task, threads);
}

__global__ void __launch_bounds__(kFew) sphericalWrist(SearchTask task, std::int64_t threads) {
  inThread<answer<closed_form::sphericalWrist<double>>>(task, threads);
}

__global__ void __launch_bounds__(kFew)
    sphericalWristCoupled(SearchTask task, std::int64_t threads) {
  inThread<answer<closed_form::sphericalWristCoupled<double>>>(task, threads);
}

__global__ void __launch_bounds__(kFew) threeParallel(SearchTask task, std::int64_t threads) {
  inThread<answer<closed_form::threeParallel<double>>>(task, threads);
}

__global__ void __launch_bounds__(kFew)
    threeParallelCoupled(SearchTask task, std::int64_t threads) {
  inThread<answer<closed_form::threeParallelCoupled<double>>>(task, threads);
}

__global__ void writePoseInputs(InputsTask task, std::int64_t threads) {
  inThread<writeInputs>(task, threads);
}

__global__ void passDenseLayer(DenseTask task, std::int64_t threads) {
  inThread<passDense>(task, threads);
}

__global__ void readMemberAnswers(AnswersTask task, std::int64_t threads) {
  inThread<readAnswers>(task, threads);
}

__global__ void beginFlowSeeds(FlowTask task, std::int64_t threads) {
  inThread<beginFlow>(task, threads);
}

__global__ void passFlowHidden(FlowTask task, std::int64_t threads) {
  inThread<passHidden>(task, threads);
}

__global__ void passFlowLast(FlowTask task, std::int64_t threads) {
  inThread<passLast>(task, threads);
}

__global__ void __launch_bounds__(kFew) bendFlowSeeds(FlowTask task, std::int64_t threads) {
  inThread<bendFlow>(task, threads);
}

__global__ void __launch_bounds__(kFew) beginArms(CompletionTask task, std::int64_t threads) {
  inThread<beginArm>(task, threads);
}

__global__ void passArmNetwork(CompletionTask task, std::int64_t threads) {
  inThread<passNetwork>(task, threads);
}

__global__ void __launch_bounds__(kFew) moveArmJoints(CompletionTask task, std::int64_t threads) {
  inThread<moveJoint>(task, threads);
}

}  // extern "C"

}  // namespace generative_ik::cuda
