#include "batch.hpp"

namespace generative_ik::answers {
namespace {

// Targets that a thread takes at a time, with few solutions each and with more than some. They
// take about 0.1 ms, as long as another thread takes to wake up.
constexpr std::int64_t kPiece = 64;
constexpr std::int64_t kPieceOfMany = 16;
constexpr std::int64_t kSome = 10;

}  // namespace

void answerAll(const Question& question, const Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop) {
  const bool many = question.wanted > kSome || question.check;
  answerInPieces([&question] { return Answerer(question); }, targets, count,
                 {many ? kPieceOfMany : kPiece, many}, stop);
}

void answerAbout(const Question& question, const double* seeds, const Targets& targets,
                 std::int64_t first, std::int64_t last) {
  BranchProblem about = question.problem;
  Answerer answerer({about, question.weights, question.nearest, question.wanted, question.check});
  for (std::int64_t t = first; t < last; ++t) {
    about.countFrom(seeds + kJoints * t);
    answerSome(answerer, targets, t, t + 1);
  }
}

void answerAllAbout(const Question& question, const double* seeds, const Targets& targets,
                    std::int64_t count, const parallel::StopWhen& stop) {
  parallel::forRanges(
      count, kPieceOfMany,
      [&](std::int64_t first, std::int64_t last) {
        answerAbout(question, seeds, targets, first, last);
      },
      stop);
}

}  // namespace generative_ik::answers
