// What finds the one solution nearest to a seed state: of poses, and of regions about them.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <answers/near_problem.hpp>
#include <search/problem.hpp>
#include <vector>

#include "answer_calls.hpp"
#include "arrays.hpp"
#include "interrupts.hpp"
#include "one_pose.hpp"

namespace generative_ik::bindings {

/// The numbers of a box (7, n).
inline std::vector<double> boxOf(const pybind11::array& box) {
  const auto* rows = readable<double>(box, "box", Shape<2>{search::Box::kRows, kAny});
  return {rows, rows + box.size()};
}

/// What calls for one pose ask of what takes steps from a seed state, see one_pose.hpp.
template <class Steps>
struct AskedOfSteps : AskedOfOneTip<Steps> {
  using typename AskedOfOneTip<Steps>::Problem;
  static pybind11::ssize_t size(const Problem& problem) { return problem.size(); }
  static bool takes(const Problem& problem, const double* seed) { return problem.contains(seed); }
  static void answerNearest(const Problem& problem, const double* weights, const double* seed,
                            const answers::Targets& target) {
    problem.answerAll({weights, seed}, target, 1, {});
  }
};

template <class Problem>
void answerAllNear(const Problem& problem, const pybind11::array& poses,
                   const pybind11::array& seed_states, const pybind11::array& weights,
                   double seconds, const pybind11::tuple& answers) {
  const AnswerArrays arrays = nearestArrays(poses, answers, problem.size());
  const auto* seeds =
      readable<double>(seed_states, "seed_states", Shape<2>{arrays.count, problem.size()});
  const auto* weight = readable<double>(weights, "weights", Shape<1>{problem.size()});
  interruptible(seconds, [&](const parallel::StopWhen& stop) {
    problem.answerAll({weight, seeds}, arrays.targets, arrays.count, stop);
  });
}

/// Adds both to the class of a problem.
template <class Problem>
void defineNear(pybind11::class_<Problem>& near) {
  namespace py = pybind11;
  near.def("answer_all_nearest", &answerAllNear<Problem>, py::arg("poses"), py::arg("seed_states"),
           py::arg("weights"), py::arg("seconds"), py::arg("answers"));
  addMethod(near, "solve_nearest", &solveNearest<AskedOfSteps<Problem>>);
}

}  // namespace generative_ik::bindings
