#include "limb_rows.hpp"

#include <algorithm>
#include <array>

#include "../answers/answer.hpp"
#include "../answers/branches.hpp"
#include "../answers/curve_answer.hpp"
#include "../answers/nearest.hpp"
#include "../regions/surface_answers.hpp"

namespace generative_ik::limbs {
namespace {

using answers::Answer;
using answers::kCurveJoints;

/// Room for so many rows.
Answer roomFor(std::int64_t count, LimbRows& rows) {
  rows.positions.resize(static_cast<std::size_t>(count * rows.size));
  rows.gaps.resize(static_cast<std::size_t>(count));
  return {rows.note, {rows.positions.data(), rows.size, rows.gaps.data()}, count};
}

/// Writes the branches of a pose, whatever else there may be.
void gather(const answers::BranchProblem& problem, const double* tip_pose, LimbRows& rows) {
  answers::BranchRows branches;  // written before it is read
  answers::RowMemory memory;
  const int found = answers::gatherBranches(problem, tip_pose, branches, memory).count;
  const int count = answers::dropDuplicates(problem, found, branches);
  std::copy_n(branches.q[0], count * rows.size, rows.positions.data());
  rows.note = {};
  rows.note.setState(answers::State::kLeft);
  rows.note.count = count;
}

void findBranches(const answers::BranchProblem& problem, const double* tip_pose,
                  const double* weights, Which which, LimbRows& rows) {
  const bool nearest = which == Which::kNearest;
  const bool one = nearest || which == Which::kAny;
  const std::int64_t count = one ? 1 : problem.mostRows();
  // Those of the others are combined with turns of theirs, so turns are the tree's to list.
  answers::Answerer({problem, weights, nearest, count, {}, nearest})
      .answer(tip_pose, roomFor(count, rows));
  if (which == Which::kToBegin && !rows.known()) {
    gather(problem, tip_pose, rows);
  }
}

void findNearest(const answers::CurveProblem& problem, const double* tip_pose,
                 const double* weights, LimbRows& rows) {
  const Answer room = roomFor(1, rows);
  const answers::Targets target = {tip_pose,       &rows.note, room.rows.positions,
                                   room.rows.gaps, 1,          rows.size};
  answers::answerNearest({problem, weights}, target, problem.bounds.reference, 0, 1,
                         answers::nearestMemory());
}

void findOnCurves(const SevenJoints& limb, const double* tip_pose, const RowsWanted& wanted,
                  LimbRows& rows) {
  const std::int64_t count = wanted.which == Which::kAny ? 1 : wanted.count;
  if (wanted.which == Which::kAny || wanted.which == Which::kFew) {
    regions::SurfaceAnswerer(limb.points, count, wanted.random_seed)
        .answer(tip_pose, roomFor(count, rows));
    if (rows.known()) {
      return;
    }
    rows.note = {};
  }
  answers::CurveAnswerer(limb.curves, answers::curveMemory())
      .answer(tip_pose, roomFor(count, rows));
}

}  // namespace

void findRows(const Limb& limb, const double* tip_pose, const RowsWanted& wanted, LimbRows& rows) {
  rows.size = limb.size();
  rows.note = {};
  std::array<double, kCurveJoints> weights{};
  limb.gather(wanted.weights, weights.data());
  if (const auto* branches = std::get_if<answers::BranchProblem>(&limb.form)) {
    findBranches(*branches, tip_pose, weights.data(), wanted.which, rows);
    return;
  }
  const auto& seven = std::get<SevenJoints>(limb.form);
  if (wanted.which == Which::kNearest) {
    findNearest(seven.curves, tip_pose, weights.data(), rows);
  } else {
    findOnCurves(seven, tip_pose, wanted, rows);
  }
}

}  // namespace generative_ik::limbs
