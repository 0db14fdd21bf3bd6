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

}  // namespace generative_ik::answers
