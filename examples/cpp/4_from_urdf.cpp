// Configurations of any robot with a URDF: 4_from_urdf FILE [BASE_LINK TIP_LINK]
#include <cstdio>
#include <fstream>
#include <generative_ik/solver.hpp>
#include <generative_ik/urdf.hpp>
#include <sstream>
#include <stdexcept>

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: %s FILE [BASE_LINK TIP_LINK]\n", argv[0]);
    return 2;
  }
  std::stringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  try {
    const generative_ik::UrdfChain robot =
        generative_ik::readUrdf(text.str(), argc == 4 ? argv[2] : "", argc == 4 ? argv[3] : "");
    std::printf("%s -> %s, %d joints\n", robot.base_link.c_str(), robot.tip_link.c_str(),
                robot.chain.size());
    const generative_ik::Vector somewhere =
        generative_ik::Vector::Constant(robot.chain.size(), 0.3);
    generative_ik::IKRequest request;
    request.target_in_base = robot.chain.tipInBase(somewhere);
    request.num_solutions = 8;
    const generative_ik::IKSolver solver(robot.chain);
    const generative_ik::IKSolutions found = solver.solve(request);
    std::printf("%zu configurations of the pose at 0.3 rad or m\n", found.solutions.size());
    return found.solutions.empty() ? 1 : 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
