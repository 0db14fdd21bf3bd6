#include <generative_ik/version.hpp>

namespace generative_ik {

std::string_view version() {
  return GENERATIVE_IK_VERSION;
}

}  // namespace generative_ik
