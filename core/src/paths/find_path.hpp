/// One search for a path: through regions or the poses themselves, open or closed.
#pragma once

#include <optional>

#include "path_search.hpp"

namespace generative_ik::paths {

/// Finds the best path of a task. Args: objective: what makes it better; none: soon after the
/// first one is found, the best so far is returned. closed: whether it ends as it begins.
///
/// Where it begins outside the limits, so are the first poses that are not reached inside from
/// there. No joint is further beyond a limit than in the configuration before; from the last one
/// the next pose is reached inside, or not at all.
Found findPath(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
               bool closed);

}  // namespace generative_ik::paths
