// The choice of solutions, and their full turns.
#include <algorithm>
#include <cstdint>
#include <select/apart.hpp>
#include <select/diverse_order.hpp>
#include <select/full_turns.hpp>
#include <select/scores.hpp>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "interrupts.hpp"
#include "joint_tree.hpp"
#include "module.hpp"

namespace generative_ik::bindings {
namespace {

namespace py = pybind11;

/// Rows of one number or more: of rows of none there may be any number, which take time all the
/// same.
const double* rowsOf(const py::array& positions) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  if (positions.shape(1) == 0) {
    throw py::value_error("positions: expected one joint or more");
  }
  return rows;
}

py::array diverseRanks(const py::array& positions, const py::array& ends, const py::tuple& joints,
                       std::int64_t count, std::int64_t work) {
  const double* rows = rowsOf(positions);
  const py::ssize_t n = positions.shape(1);
  const Arrays of(joints, "joints", 4);
  const DiverseRows solutions = {rows,
                                 positions.shape(0),
                                 n,
                                 readable<double>(of.at(0), "joints.lower", Shape<1>{n}),
                                 readable<double>(of.at(1), "joints.upper", Shape<1>{n}),
                                 readable<bool>(of.at(2), "joints.periodic", Shape<1>{n}),
                                 readable<double>(of.at(3), "joints.unit", Shape<1>{n})};
  if (count < 0 || count > solutions.count) {
    throw py::value_error("count: expected 0 to " + std::to_string(solutions.count) + ", got " +
                          std::to_string(count));
  }
  const auto* last = readable<std::int64_t>(ends, "ends", Shape<1>{kAny});
  const py::ssize_t targets = ends.size();
  if (!std::is_sorted(last, last + targets) ||
      (targets > 0 && (last[0] < 0 || last[targets - 1] > solutions.count))) {
    throw py::value_error("ends: expected numbers of rows, none smaller than the one before");
  }
  py::array orders = newArray<std::int64_t>(Shape<2>{targets, count});
  auto* indices = static_cast<std::int64_t*>(orders.mutable_data());
  interruptible(kForever, [&](const parallel::StopWhen& stop) {
    diverseOrders(solutions, last, targets, count, work, indices, stop);
  });
  return orders;
}

py::array_t<std::int64_t> apart(const py::array& positions, const py::array& order,
                                const py::array& around, double distance, std::int64_t most,
                                bool from_all) {
  const double* rows = rowsOf(positions);
  const py::ssize_t n = positions.shape(1);
  const auto* indices = readable<std::int64_t>(order, "order", Shape<1>{kAny});
  checkIndices(indices, order.size(), positions.shape(0), "order");
  const OrderedRows ordered = {rows, n, indices, order.size(),
                               readable<bool>(around, "around", Shape<1>{n})};
  const std::vector<std::int64_t> taken =
      from_all ? highest(ordered, distance, most) : bestApart(ordered, distance, most);
  py::array_t<std::int64_t> found(static_cast<py::ssize_t>(taken.size()));
  std::copy(taken.begin(), taken.end(), found.mutable_data());
  return found;
}

/// Checked arrays as rows with room for turns; `turned` lists the joints.
TurningRows turningRows(const py::array& positions, const py::array& reference,
                        const py::array& lower, const py::array& upper, const py::array& turned) {
  const double* rows = rowsOf(positions);
  const py::ssize_t n = positions.shape(1);
  const auto* joints = readable<std::int64_t>(turned, "turned", Shape<1>{kAny});
  checkIndices(joints, turned.size(), n, "turned");
  return {rows,
          positions.shape(0),
          n,
          readable<double>(reference, "reference", Shape<1>{n}),
          readable<double>(lower, "lower", Shape<1>{n}),
          readable<double>(upper, "upper", Shape<1>{n}),
          joints,
          turned.size()};
}

py::array_t<double> findOtherTurns(const py::array& positions, const py::array& reference,
                                   const py::array& lower, const py::array& upper,
                                   const py::array& turned, std::int64_t count) {
  const TurningRows rows = turningRows(positions, reference, lower, upper, turned);
  const std::vector<double> others = limitedTurns(rows, count);
  const auto n = static_cast<std::size_t>(rows.size);
  py::array_t<double> found({others.size() / n, n});
  std::copy(others.begin(), others.end(), found.mutable_data());
  return found;
}

double countAllTurns(const py::array& positions, const py::array& lower, const py::array& upper,
                     const py::array& turned) {
  return countTurns(turningRows(positions, lower, lower, upper, turned));
}

py::array_t<double> nearestTurn(const py::array& positions, const py::array& reference,
                                const py::array& lower, const py::array& upper,
                                const py::array& circular) {
  const double* rows = rowsOf(positions);
  const py::ssize_t n = positions.shape(1);
  const auto* from = readable<double>(reference, "reference", Shape<1>{n});
  const auto* least = readable<double>(lower, "lower", Shape<1>{n});
  const auto* most = readable<double>(upper, "upper", Shape<1>{n});
  const auto* turns = readable<bool>(circular, "circular", Shape<1>{n});
  py::array_t<double> turned({positions.shape(0), n});
  double* out = turned.mutable_data();
  for (py::ssize_t s = 0; s < positions.shape(0); ++s) {
    for (py::ssize_t v = 0; v < n; ++v) {
      const double q = rows[s * n + v];
      out[s * n + v] = turns[v] ? turnTowards(q, from[v], least[v], most[v]) : q;
    }
  }
  return turned;
}

void manipulabilityOf(const JointTree& joints, const py::array& positions, py::array scores) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const verify::RodriguesChain chain = verifierOfChain(joints, positions.shape(1));
  auto* out = writable<double>(scores, "scores", Shape<1>{count});
  const GilReleased released;
  manipulability(chain, {rows, count, positions.shape(1)}, out);
}

void limitMarginOf(const py::array& positions, const py::array& lower, const py::array& upper,
                   py::array scores) {
  const auto* rows = readable<double>(positions, "positions", Shape<2>{kAny, kAny});
  const py::ssize_t count = positions.shape(0);
  const py::ssize_t n = positions.shape(1);
  const auto* least = readable<double>(lower, "lower", Shape<1>{n});
  const auto* most = readable<double>(upper, "upper", Shape<1>{n});
  auto* out = writable<double>(scores, "scores", Shape<1>{count});
  limitMargin({rows, count, n}, least, most, out);
}

}  // namespace

void bindSelection(py::module_& module) {
  module.attr("ORDER_WORK") = kOrderWork;
  module.def("diverse_ranks", &diverseRanks, py::arg("positions"), py::arg("ends"),
             py::arg("joints"), py::arg("count"), py::arg("work"));
  module.def("other_turns", &findOtherTurns, py::arg("positions"), py::arg("reference"),
             py::arg("lower"), py::arg("upper"), py::arg("turned"), py::arg("count"));
  module.def("count_turns", &countAllTurns, py::arg("positions"), py::arg("lower"),
             py::arg("upper"), py::arg("turned"));
  module.def("nearest_turn", &nearestTurn, py::arg("positions"), py::arg("reference"),
             py::arg("lower"), py::arg("upper"), py::arg("circular"));
  module.def("apart", &apart, py::arg("positions"), py::arg("order"), py::arg("around"),
             py::arg("distance"), py::arg("most"), py::arg("from_all"));
  module.def("manipulability", &manipulabilityOf, py::arg("chain"), py::arg("positions"),
             py::arg("scores"));
  module.def("limit_margin", &limitMarginOf, py::arg("positions"), py::arg("lower"),
             py::arg("upper"), py::arg("scores"));
}

}  // namespace generative_ik::bindings
