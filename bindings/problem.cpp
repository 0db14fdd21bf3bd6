// The problem of a call, as the core takes it.
#include "problem.hpp"

#include <search/chain_problem.hpp>

#include "arrays.hpp"
#include "pool.hpp"

namespace generative_ik::bindings {

namespace py = pybind11;

Packed packedOf(const py::tuple& problem, const char* name) {
  const Arrays both(problem, name, 2);
  const py::array floats = both.at(0);
  const py::array ints = both.at(1);
  return {readable<double>(floats, name, Shape<1>{kAny}), static_cast<std::size_t>(floats.size()),
          readable<std::int64_t>(ints, name, Shape<1>{kAny}),
          static_cast<std::size_t>(ints.size())};
}

search::GoalNumbers goalsOf(const Packed& packed) {
  search::GoalNumbers numbers{};
  require(numbers.read(packed), "problem: not one that `goal_problem` has made");
  return numbers;
}

Wanted wantedOf(const Packed& packed, const py::array& poses, py::ssize_t size) {
  Wanted wanted{};
  wanted.packed = packed;
  wanted.goals = poses.ndim() == 4;
  if (wanted.goals) {
    wanted.numbers = goalsOf(packed);
    const auto goals = static_cast<py::ssize_t>(wanted.numbers.tree.num_goals);
    wanted.poses = readable<double>(poses, "poses", Shape<4>{kAny, goals, 4, 4});
    require(wanted.numbers.tree.num_variables == size && wanted.numbers.fits(poses.shape(0)),
            "problem: not one of so many joints and targets");
  } else {
    require(search::ChainProblem::takes(packed, size), "problem: not one that `problem` has made");
    wanted.poses = readable<double>(poses, "poses", Shape<3>{kAny, 4, 4});
  }
  wanted.count = poses.shape(0);
  return wanted;
}

}  // namespace generative_ik::bindings
