// Candidates for one query of a group with several tips: the node's, verified by MoveIt's model.
#pragma once

#include <moveit/robot_state/robot_state.hpp>
#include <vector>

#include "group_tree.hpp"
#include "search.hpp"

namespace generative_ik_ros {

// An IK query for several tips. Refers to the tree, which must outlive it.
struct TreeQuery {
  const GroupTree& tree;
  std::vector<Eigen::Isometry3d> targets_in_base;
  generative_ik::SearchBox box;
  generative_ik::Tolerance tolerance;
  generative_ik::ConsistencyLimits consistency_limits;  // those of the box
};

class TreeSearch {
 public:
  // Args: state: for forward kinematics; changed. Keeps all but the settings by reference.
  TreeSearch(const TreeQuery& query, Server& server, const SearchSettings& settings,
             const generative_ik::Deadline& deadline, moveit::core::RobotState& state);

  // Tests candidates one at a time, on this thread, until accept returns true, there are no more
  // or the deadline passes: the seed if it is a solution, then those of requests for more and
  // more, nearest to the seed first. With a cost, up to 1024 are gathered in half of the time, and
  // tested by increasing cost.
  Search::Outcome firstAccepted(const Search::Accept& accept, const Search::Cost& cost = nullptr);

  // Returns at most num_solutions solutions, nearest first.
  std::vector<generative_ik::Vector> all();

 private:
  bool ask(int wanted, const generative_ik::Deadline& deadline);

  const TreeQuery& query_;
  Server& server_;
  SearchSettings settings_;
  const generative_ik::Deadline& deadline_;
  generative_ik::CandidateList candidates_;
  std::int64_t requests_ = 0;
};

}  // namespace generative_ik_ros
