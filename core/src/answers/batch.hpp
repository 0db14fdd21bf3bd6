/// Answers for many poses, by the library's own threads.
#pragma once

#include "../parallel/for_each.hpp"
#include "answer.hpp"

namespace generative_ik::answers {

/// Answers for `count` targets that are undone, until there is no more time.
void answerAll(const Question& question, const Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop);

}  // namespace generative_ik::answers
