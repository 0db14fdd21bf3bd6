#include "batch.hpp"

#include <algorithm>

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
  const bool many = question.wanted > kSome;
  const std::int64_t size = many ? kPieceOfMany : kPiece;
  const auto answer = [&](std::int64_t piece, parallel::Checkpoint& checkpoint) {
    Answerer answerer(question);
    const std::int64_t last = std::min((piece + 1) * size, count);
    for (std::int64_t t = piece * size; t < last && !(many && checkpoint.isOver()); ++t) {
      answerer.answer(targets, t);
    }
  };
  parallel::forEach((count + size - 1) / size, answer, stop);
}

}  // namespace generative_ik::answers
