// Writes trees of the library OctoMap as messages hold them, and their occupied leaves as text.

#include <octomap/octomap.h>

#include <fstream>
#include <iostream>
#include <random>

int main(int, char** arguments)
{
  const std::string folder = arguments[1];
  octomap::OcTree tree(0.05);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> at(-3.0f, 3.0f);
  for (int k = 0; k < 3000; ++k)
    tree.updateNode(octomap::point3d(at(random), at(random), at(random)), k % 3 != 0);
  // Blocks that pruning makes one leaf each, and a free one.
  for (float x = 0.025f; x < 1.6f; x += 0.05f)
    for (float y = 0.025f; y < 0.8f; y += 0.05f)
      for (float z = 0.025f; z < 0.8f; z += 0.05f)
        tree.updateNode(octomap::point3d(x, y, z), x < 0.8f);
  tree.prune();
  std::ofstream binary(folder + "/binary"), full(folder + "/full"), leaves(folder + "/leaves");
  tree.writeData(full);
  tree.writeBinaryData(binary);
  leaves.precision(17);
  for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf)
    if (tree.isNodeOccupied(*leaf))
      leaves << leaf.getX() << " " << leaf.getY() << " " << leaf.getZ() << " " << leaf.getSize() << "\n";
}
