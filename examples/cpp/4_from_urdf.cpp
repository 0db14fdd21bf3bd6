// Configurations of any robot with a URDF: 4_from_urdf FILE [BASE_LINK TIP_LINK [SRDF]]. With its
// SRDF, those in which the robot does not collide with itself.
#include <cstdio>
#include <fstream>
#include <generative_ik/solver.hpp>
#include <generative_ik/srdf.hpp>
#include <generative_ik/urdf.hpp>
#include <sstream>
#include <stdexcept>

std::string textOf(const char* file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Links whose shapes are meshes need a function that reads files of meshes, as third argument of
// readUrdfCollisions.
generative_ik::CollisionChecker checkerOf(const std::string& urdf, const std::string& srdf,
                                          const generative_ik::UrdfChain& robot) {
  const auto links = generative_ik::readUrdfCollisions(urdf, robot).links;
  const auto unchecked = generative_ik::readSrdf(srdf).uncheckedPairs(links);
  return generative_ik::CollisionModel(robot.chain, links, unchecked).among();
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: %s FILE [BASE_LINK TIP_LINK [SRDF]]\n", argv[0]);
    return 2;
  }
  try {
    const std::string urdf = textOf(argv[1]);
    const generative_ik::UrdfChain robot =
        generative_ik::readUrdf(urdf, argc > 2 ? argv[2] : "", argc > 2 ? argv[3] : "");
    std::printf("%s -> %s, %d joints\n", robot.base_link.c_str(), robot.tip_link.c_str(),
                robot.chain.size());
    const generative_ik::Vector somewhere =
        generative_ik::Vector::Constant(robot.chain.size(), 0.3);
    generative_ik::IKRequest request;
    request.target_in_base = robot.chain.tipInBase(somewhere);
    request.num_solutions = 8;
    if (argc == 5) {
      checkerOf(urdf, textOf(argv[4]), robot).applyTo(request);
    }
    const generative_ik::IKSolver solver(robot.chain);
    const generative_ik::IKSolutions found = solver.solve(request);
    std::printf("%zu configurations of the pose at 0.3 rad or m%s\n", found.solutions.size(),
                argc == 5 ? ", clear of the robot itself" : "");
    return found.solutions.empty() ? 1 : 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
