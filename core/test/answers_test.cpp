// What closed forms answer: solutions, all different, whichever threads compute them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../src/answers/batch.hpp"
#include "../src/select/full_turns.hpp"
#include "../src/simd/constants.hpp"
#include "arms.hpp"

namespace generative_ik::answers {
namespace {

using test::Arm;

constexpr double kDistance = 0.05;
constexpr double kOnes[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};  // NOLINT(*-avoid-c-arrays)

struct Answers {
  std::vector<double> poses;
  std::vector<Note> notes;
  std::vector<double> positions;
  std::vector<PoseGap> gaps;
};

Answers answersOf(const Arm& arm, std::int64_t wanted, bool nearest, bool in_threads) {
  const BranchProblem problem(test::formOf(arm), arm.parameters, arm.floats, arm.ints,
                              test::boundsOf<kJoints>(arm), kDistance);
  Answers answers;
  for (const test::Pose& pose : arm.poses) {
    answers.poses.insert(answers.poses.end(), pose.tip, pose.tip + 16);
  }
  const auto count = std::ssize(arm.poses);
  answers.notes.resize(arm.poses.size());
  answers.positions.resize(static_cast<std::size_t>(count * wanted * kJoints), kInfinity);
  answers.gaps.resize(static_cast<std::size_t>(count * wanted));
  const Question question = {problem, kOnes, nearest, wanted, {}};
  const Targets targets = {answers.poses.data(),
                           answers.notes.data(),
                           answers.positions.data(),
                           answers.gaps.data(),
                           wanted,
                           kJoints};
  if (in_threads) {
    answerAll(question, targets, count, {});
  } else {
    Answerer answerer(question);
    answerSome(answerer, targets, 0, count);
  }
  return answers;
}

bool isDone(const Note& note) {
  return note.state == static_cast<std::int64_t>(State::kDone);
}

bool isWithin(const Arm& arm, const double* q) {
  for (int v = 0; v < kJoints; ++v) {
    if (q[v] < arm.lower[v] || q[v] > arm.upper[v]) {
      return false;
    }
  }
  return true;
}

double largestGap(const double* a, const double* b) {
  double largest = 0.0;
  for (int v = 0; v < kJoints; ++v) {
    largest = std::max(largest, std::abs(a[v] - b[v]));
  }
  return largest;
}

TEST(Answers, AreAllSolutionsAndNoneTwice) {
  const std::vector<Arm> arms = test::readArms();
  if (arms.empty()) {
    GTEST_SKIP() << "no GENERATIVE_IK_CLOSED_FORMS_FILE";
  }
  constexpr std::int64_t kWanted = 40;
  for (const Arm& arm : arms) {
    const Answers answers = answersOf(arm, kWanted, false, false);
    int done = 0;
    for (std::size_t t = 0; t < arm.poses.size(); ++t) {
      const Note& note = answers.notes[t];
      if (!isDone(note)) {
        continue;
      }
      ++done;
      const double* rows = answers.positions.data() + t * kWanted * kJoints;
      double nearest = kInfinity;
      for (std::int64_t k = 0; k < kWanted; ++k) {
        const double* q = rows + kJoints * k;
        EXPECT_EQ(std::isnan(q[0]), k >= note.count);
        if (k >= note.count) {
          continue;
        }
        const PoseGap& gap = answers.gaps[t * kWanted + static_cast<std::size_t>(k)];
        EXPECT_LE(gap.distance, 1e-5);
        EXPECT_LE(gap.angle, 1e-5);
        for (int v = 0; v < kJoints; ++v) {
          EXPECT_LE(arm.lower[v], q[v]);
          EXPECT_LE(q[v], arm.upper[v]);
        }
        for (std::int64_t other = 0; other < k; ++other) {
          EXPECT_GE(largestGap(q, rows + kJoints * other), kDistance);
        }
        nearest = std::min(nearest, largestGap(q, arm.poses[t].known));
      }
      // Beside a singularity another one may stand for it.
      if (isWithin(arm, arm.poses[t].known)) {
        EXPECT_LT(nearest, kDistance) << arm.family << " " << t;
      }
    }
    EXPECT_GE(done, 60) << arm.family;
  }
}

TEST(Answers, AreTheSameByAnyNumberOfThreads) {
  for (const Arm& arm : test::readArms()) {
    for (const bool nearest : {false, true}) {
      const Answers one = answersOf(arm, 4, nearest, false);
      const Answers many = answersOf(arm, 4, nearest, true);
      for (std::size_t t = 0; t < one.notes.size(); ++t) {
        EXPECT_EQ(one.notes[t].count, many.notes[t].count);
        EXPECT_EQ(one.notes[t].state, many.notes[t].state);
        for (std::int64_t k = 0; isDone(one.notes[t]) && k < one.notes[t].count; ++k) {
          const std::size_t at = (4 * t + static_cast<std::size_t>(k)) * kJoints;
          EXPECT_EQ(largestGap(&one.positions[at], &many.positions[at]), 0.0);
        }
      }
    }
  }
}

TEST(Answers, AreNotGivenByWrongNumbers) {
  for (Arm arm : test::readArms()) {
    arm.floats.pop_back();
    EXPECT_THROW(answersOf(arm, 1, false, false), std::invalid_argument);
    break;
  }
}

}  // namespace
}  // namespace generative_ik::answers
