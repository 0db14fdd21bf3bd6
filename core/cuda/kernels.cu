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

__device__ std::int64_t threadIndex() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Threads of a block in the kernels with the most numbers in registers: as many as leave each the
// 255 registers that it may have.
constexpr int kFew = 128;

}  // namespace

extern "C" {

__global__ void __launch_bounds__(kFew) descend6(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    descend<6>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) descend7(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    descend<7>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) descendAny(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    descend<0>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) makeExact6(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    makeExact<6>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) makeExact7(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    makeExact<7>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) makeExactAny(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    makeExact<0>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) keepFreeOnes(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    keepFree(task, i);
  }
}

__global__ void findNewOnes(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    findNew(task, i);
  }
}

__global__ void putNewOnes(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    putNew(task, i);
  }
}

__global__ void countSolutions(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    count(task, i);
  }
}

__global__ void countOpenSlots(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    countOpen(task, i);
  }
}

__global__ void addUpChunks(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    addUp(task, i);
  }
}

__global__ void listOpenSlots(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    listOpen(task, i);
  }
}

__global__ void placeTips(PlaceTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    place(task, i);
  }
}

__global__ void __launch_bounds__(kFew) sphericalWrist(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    answer<closed_form::sphericalWrist<double>>(task, i);
  }
}

__global__ void __launch_bounds__(kFew)
    sphericalWristCoupled(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    answer<closed_form::sphericalWristCoupled<double>>(task, i);
  }
}

__global__ void __launch_bounds__(kFew) threeParallel(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    answer<closed_form::threeParallel<double>>(task, i);
  }
}

__global__ void __launch_bounds__(kFew)
    threeParallelCoupled(SearchTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    answer<closed_form::threeParallelCoupled<double>>(task, i);
  }
}

__global__ void writePoseInputs(InputsTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    writeInputs(task, i);
  }
}

__global__ void passDenseLayer(DenseTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    passDense(task, i);
  }
}

__global__ void readMemberAnswers(AnswersTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    readAnswers(task, i);
  }
}

__global__ void beginFlowSeeds(FlowTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    beginFlow(task, i);
  }
}

__global__ void passFlowHidden(FlowTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    passHidden(task, i);
  }
}

__global__ void passFlowLast(FlowTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    passLast(task, i);
  }
}

__global__ void __launch_bounds__(kFew) bendFlowSeeds(FlowTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    bendFlow(task, i);
  }
}

__global__ void __launch_bounds__(kFew) beginArms(CompletionTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    beginArm(task, i);
  }
}

__global__ void passArmNetwork(CompletionTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    passNetwork(task, i);
  }
}

__global__ void __launch_bounds__(kFew) moveArmJoints(CompletionTask task, std::int64_t threads) {
  if (const std::int64_t i = threadIndex(); i < threads) {
    moveJoint(task, i);
  }
}

}  // extern "C"

}  // namespace generative_ik::cuda
