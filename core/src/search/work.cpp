#include "work.hpp"

namespace generative_ik::search {

Work workOf(const Target* targets, std::int64_t count) {
  Work work;
  for (std::int64_t t = 0; t < count; ++t) {
    work.restarts += targets[t].restarts;
    work.null_space_seeds += targets[t].null_space_seeds;
    work.restarts_converged += targets[t].restarts_converged;
    work.null_space_converged += targets[t].null_space_converged;
    work.iterations += targets[t].iterations;
  }
  return work;
}

}  // namespace generative_ik::search
