// Where a search has Python decide on solutions that spheres cannot tell to be free.
#pragma once

#include <pybind11/pybind11.h>

#include <search/decisions.hpp>
#include <search/pieces.hpp>

namespace generative_ik::bindings {

/// What Python says, on any thread; none if it is not asked.
search::Collides collidesBy(const pybind11::object& collides);

/// What has solutions of some arrays decided on, on any thread: the one that has called the core
/// waits without the GIL. None where there is nothing to decide.
search::Settle settleOf(const search::Decisions* decisions, const search::SearchArrays& arrays,
                        const parallel::StopWhen& stop);

}  // namespace generative_ik::bindings
