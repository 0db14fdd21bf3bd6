/// Answers for many poses, by the library's own threads.
#pragma once

#include "../parallel/for_each.hpp"
#include "answer.hpp"

namespace generative_ik::answers {

/// Answers for `count` targets that are undone, until there is no more time.
void answerAll(const Question& question, const Targets& targets, std::int64_t count,
               const parallel::StopWhen& stop);

/// Answers for targets `first` to before `last` that are undone, each about its seed state: a row
/// of `seeds` (T, 6), in the place of the reference that turns are counted from.
void answerAbout(const Question& question, const double* seeds, const Targets& targets,
                 std::int64_t first, std::int64_t last);

/// The same for all `count` targets, by the library's own threads, until there is no more time.
void answerAllAbout(const Question& question, const double* seeds, const Targets& targets,
                    std::int64_t count, const parallel::StopWhen& stop);

}  // namespace generative_ik::answers
