#include "shared_variables.hpp"

#include <algorithm>
#include <stdexcept>

namespace generative_ik {

SharedVariables::SharedVariables(const std::vector<Chain>& chains) {
  if (chains.empty()) {
    throw std::invalid_argument("a tree needs a chain");
  }
  for (const Chain& chain : chains) {
    // Those of one chain are different ones, whatever they are called.
    const std::size_t before = variables.size();
    std::vector<std::int64_t>& place = places.emplace_back();
    for (const Variable& variable : chain.variables()) {
      const auto end = variables.begin() + static_cast<std::ptrdiff_t>(before);
      const auto known = std::find_if(variables.begin(), end, [&](const Variable& other) {
        return other.name == variable.name;
      });
      const std::int64_t row = known - variables.begin();
      if (known != end && std::find(place.begin(), place.end(), row) != place.end()) {
        throw std::invalid_argument("a chain of a tree has two variables named " + variable.name);
      }
      place.push_back(row);
      if (known == end) {
        place.back() = static_cast<std::int64_t>(variables.size());
        variables.push_back(variable);
      } else if (known->lower != variable.lower || known->upper != variable.upper ||
                 known->continuous != variable.continuous ||
                 known->revolute != variable.revolute) {
        throw std::invalid_argument("chains differ in the limits or the kind of " + variable.name);
      } else {
        known->periodic = known->periodic && variable.periodic;
      }
    }
  }
  if (variables.empty()) {
    throw std::invalid_argument("the chains have no variables: nothing moves");
  }
}

}  // namespace generative_ik
