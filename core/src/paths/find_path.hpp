/// One search for a path: through regions or the poses themselves, open or closed.
#pragma once

#include <optional>

#include "path_search.hpp"

namespace generative_ik::paths {

/// Finds the best path of a task. Args: objective: what makes it better; none: soon after the
/// first one is found, the best so far is returned. closed: whether it ends as it begins.
Found findPath(const PathTask& task, std::optional<Objective> objective, const Ends& ends,
               bool closed);

/// Configurations of the first poses that are not reached inside the limits from where an encoder
/// reads a joint a little beyond one. No joint is further beyond a limit than in the configuration
/// before; from the last one the next pose is reached inside, or not at all. Args: most: poses
/// that may be reached outside.
Rows wayBackInside(const PathTask& task, const double* start, std::int64_t most);

}  // namespace generative_ik::paths
