#include <tinyxml2.h>

#include <algorithm>
#include <generative_ik/srdf.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "joints.hpp"

namespace generative_ik {
namespace {

using description::quoted;
using tinyxml2::XMLElement;

using Pair = std::pair<std::string, std::string>;

[[noreturn]] void refuseSrdf(const std::string& why) {
  throw std::invalid_argument("SRDF: " + why);
}

Pair inOrder(const std::string& first, const std::string& second) {
  return std::minmax(first, second);
}

std::string stripped(const char* text) {
  const std::string blank = " \t\r\n";
  const std::string whole = text == nullptr ? "" : text;
  const std::size_t begin = whole.find_first_not_of(blank);
  return begin == std::string::npos
             ? ""
             : whole.substr(begin, whole.find_last_not_of(blank) - begin + 1);
}

std::string nameIn(const XMLElement& element, const char* attribute, const std::string& where) {
  std::string name = stripped(element.Attribute(attribute));
  if (name.empty()) {
    refuseSrdf(where + " has no " + attribute);
  }
  return name;
}

template <class Use>
void eachChild(const XMLElement& element, const char* name, Use&& use) {
  for (const XMLElement* child = element.FirstChildElement(name); child != nullptr;
       child = child->NextSiblingElement(name)) {
    use(*child);
  }
}

// Text that xacro has not expanded says less than it seems to.
void checkExpanded(const XMLElement& element) {
  const std::string name = element.Name();
  if (name.rfind("xacro:", 0) == 0) {
    refuseSrdf("it holds <" + name + ">: it is unexpanded xacro");
  }
  eachChild(element, nullptr, checkExpanded);
}

const XMLElement& rootOf(const tinyxml2::XMLDocument& document) {
  if (document.Error()) {
    refuseSrdf(std::string("the text is not XML: ") + document.ErrorStr());
  }
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr;
       node = node->NextSibling()) {
    if (node->ToUnknown() != nullptr) {
      refuseSrdf("the text declares a DOCTYPE or entities; they are refused");
    }
  }
  const XMLElement* root = document.RootElement();
  if (root == nullptr || std::string(root->Name()) != "robot") {
    refuseSrdf("the root element is not <robot>");
  }
  if (root->NextSiblingElement() != nullptr) {
    refuseSrdf("the text is not XML: it has two root elements");
  }
  checkExpanded(*root);
  return *root;
}

PlanningGroup groupIn(const XMLElement& element, const std::string& where) {
  PlanningGroup group;
  eachChild(element, "chain", [&](const XMLElement& chain) {
    group.chains.emplace_back(nameIn(chain, "base_link", where + ": chain"),
                              nameIn(chain, "tip_link", where + ": chain"));
  });
  const auto named = [&](const char* kind, std::vector<std::string>& names) {
    eachChild(element, kind, [&](const XMLElement& part) {
      names.push_back(nameIn(part, "name", where + ": " + kind));
    });
  };
  named("joint", group.joints);
  named("link", group.links);
  named("group", group.subgroups);
  return group;
}

std::set<std::string> linksOf(const XMLElement& element) {
  std::set<std::string> links;
  for (const char* key : {"link", "link1", "link2"}) {
    links.insert(stripped(element.Attribute(key)));
  }
  links.erase("");
  return links;
}

// Malformed ones are left out.
NamePairs pairsIn(const XMLElement& root, const char* name) {
  std::set<Pair> pairs;
  eachChild(root, name, [&](const XMLElement& element) {
    const std::set<std::string> links = linksOf(element);
    if (links.size() == 2) {
      pairs.emplace(*links.begin(), *links.rbegin());
    }
  });
  return {pairs.begin(), pairs.end()};
}

}  // namespace

NamePairs Srdf::uncheckedPairs(const std::vector<CollisionLink>& links) const {
  NamePairs unchecked;
  const auto among = [](const auto& sorted, const auto& value) {
    return std::binary_search(sorted.begin(), sorted.end(), value);
  };
  for (auto one = links.begin(); one != links.end(); ++one) {
    for (auto other = std::next(one); other != links.end(); ++other) {
      const Pair pair = inOrder(one->name, other->name);
      const bool by_default =
          !among(unchecked_links, one->name) && !among(unchecked_links, other->name);
      if (among(disabled_collisions, pair) || (!by_default && !among(enabled_collisions, pair))) {
        unchecked.push_back(pair);
      }
    }
  }
  return unchecked;
}

Srdf readSrdf(const std::string& srdf) {
  if (srdf.find('\0') != std::string::npos) {
    refuseSrdf("the text is not XML: it holds a zero byte");
  }
  tinyxml2::XMLDocument document;
  document.Parse(srdf.data(), srdf.size());
  const XMLElement& root = rootOf(document);
  Srdf read;
  eachChild(root, "group", [&](const XMLElement& element) {
    const std::string name = nameIn(element, "name", "a group");
    if (!read.groups.emplace(name, groupIn(element, "group " + quoted(name))).second) {
      refuseSrdf("group " + quoted(name) + " is defined twice");
    }
  });
  eachChild(root, "end_effector", [&](const XMLElement& element) {
    const std::string name = nameIn(element, "name", "an end effector");
    const std::string where = "end effector " + quoted(name);
    read.end_effectors.push_back({name, nameIn(element, "parent_link", where),
                                  nameIn(element, "group", where),
                                  stripped(element.Attribute("parent_group"))});
  });
  std::set<std::string> unchecked;
  eachChild(root, "disable_default_collisions",
            [&](const XMLElement& element) { unchecked.merge(linksOf(element)); });
  read.unchecked_links.assign(unchecked.begin(), unchecked.end());
  read.disabled_collisions = pairsIn(root, "disable_collisions");
  read.enabled_collisions = pairsIn(root, "enable_collisions");
  return read;
}

}  // namespace generative_ik
