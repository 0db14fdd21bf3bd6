#include "answer_calls.hpp"

#include <array>
#include <cmath>

namespace generative_ik::bindings {

namespace py = pybind11;
using answers::Note;

AnswerArrays answerArrays(const py::array& poses, const py::tuple& answers, py::ssize_t size,
                          py::ssize_t tips) {
  constexpr py::ssize_t kNotes = sizeof(Note) / sizeof(std::int64_t);
  const auto* numbers = tips == 0 ? readable<double>(poses, "poses", Shape<3>{kAny, 4, 4})
                                  : readable<double>(poses, "poses", Shape<4>{kAny, tips, 4, 4});
  const py::ssize_t count = poses.shape(0);
  const Arrays from(answers, "answers", 3);
  py::array notes = from.at(0);
  py::array positions = from.at(1);
  py::array errors = from.at(2);
  auto* rows = writable<double>(positions, "answers.positions", Shape<3>{count, kAny, size});
  const py::ssize_t wanted = positions.shape(1);
  auto* noted = writable<std::int64_t>(notes, "answers.notes", Shape<2>{count, kNotes});
  auto* gaps = writable<double>(errors, "answers.errors", Shape<3>{count, wanted, 2});
  // NOLINTBEGIN(*-reinterpret-cast): rows of so many numbers
  return {{numbers, reinterpret_cast<Note*>(noted), rows, reinterpret_cast<verify::PoseGap*>(gaps),
           wanted, size, std::max<py::ssize_t>(tips, 1)},
          count};
  // NOLINTEND(*-reinterpret-cast)
}

AnswerArrays nearestArrays(const py::array& poses, const py::tuple& answers, py::ssize_t size) {
  const AnswerArrays arrays = answerArrays(poses, answers, size);
  if (arrays.targets.wanted == 0) {
    throw py::value_error("answers.positions: no room for a solution");
  }
  return arrays;
}

const double* tipIf(py::handle pose) {
  const auto* tip = readableIf<double>(pose, Shape<2>{4, 4});
  return tip != nullptr ? tip : readableIf<double>(pose, Shape<3>{1, 4, 4});
}

namespace {

constexpr std::size_t kFewJoints = 16;
constexpr std::array<double, kFewJoints> onesOfFew() {
  std::array<double, kFewJoints> ones{};
  for (double& one : ones) {
    one = 1.0;
  }
  return ones;
}
constexpr std::array<double, kFewJoints> kOnes = onesOfFew();

}  // namespace

JointWeights::JointWeights(py::handle weights, py::ssize_t size) {
  if (weights.is_none()) {
    const auto count = static_cast<std::size_t>(size);
    if (count > kFewJoints) {
      ones_.assign(count, 1.0);
    }
    numbers_ = count > kFewJoints ? ones_.data() : kOnes.data();
    return;
  }
  const auto* given = readableIf<double>(weights, Shape<1>{size});
  if (given != nullptr &&
      std::all_of(given, given + size, [](double w) { return std::isfinite(w) && w >= 0.0; }) &&
      std::any_of(given, given + size, [](double w) { return w > 0.0; })) {
    numbers_ = given;
  }
}

ConsistencyLimits::ConsistencyLimits(py::handle limits, py::ssize_t size)
    : any_(!limits.is_none()),
      limits_(any_ ? readableIf<double>(limits, Shape<1>{size}) : nullptr) {}

void ConsistencyLimits::keepWithin(const double* seed, const answers::Targets& targets) const {
  if (targets.notes->count == 0) {
    return;
  }
  bool within = !any_ || limits_ != nullptr;
  for (std::int64_t v = 0; limits_ != nullptr && v < targets.size; ++v) {
    within = within && std::abs(targets.positions[v] - seed[v]) <= limits_[v];
  }
  if (!within) {
    targets.notes->setState(answers::State::kLeft);
  }
}

void checkWanted(py::ssize_t wanted) {
  constexpr py::ssize_t kMost = 1'000'000;
  if (wanted < 1 || wanted > kMost) {
    throw py::value_error("wanted: expected 1 to " + std::to_string(kMost) + ", got " +
                          std::to_string(wanted));
  }
}

}  // namespace generative_ik::bindings
