#include "daemon/watch/watch_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace upskill::watch;

TEST_SUITE("WatchTree") {
  TEST_CASE("names and paths are those of the folders above") {
    WatchTree tree;
    auto root = tree.add(WatchTree::k_none, WatchTree::Role::root, 3, "", 1);
    auto skill = tree.add(root, WatchTree::Role::folder, 3, "pdf", 2);
    auto below = tree.add(skill, WatchTree::Role::folder, 3, "scripts", 3);
    CHECK(tree.path_below_root(root).empty());
    CHECK(tree.path_below_root(below) == "/pdf/scripts");
    CHECK(tree.skill(below) == "pdf");
    CHECK(tree.skill(skill) == "pdf");
    CHECK(tree.child(skill, "scripts") == below);
    CHECK(tree.child(root, "scripts") == WatchTree::k_none);
    CHECK(tree.first_of_wd(3) == below);
  }

  TEST_CASE("a descriptor is an orphan when the last folder that carries it goes") {
    WatchTree tree;
    auto one = tree.add(WatchTree::k_none, WatchTree::Role::ancestor, 0, "a", 7);
    auto two = tree.add(WatchTree::k_none, WatchTree::Role::ancestor, 1, "b", 7);
    auto three = tree.add(WatchTree::k_none, WatchTree::Role::ancestor, 2, "c", 7);
    std::vector<int> orphans;
    tree.drop(one, orphans);
    tree.drop(three, orphans);
    CHECK(orphans.empty());
    CHECK(tree.first_of_wd(7) == two);
    tree.drop(two, orphans);
    CHECK(orphans == std::vector{7});
    CHECK(tree.first_of_wd(7) == WatchTree::k_none);
  }

  TEST_CASE("any order of adding and dropping finds what a plain map finds") {
    std::mt19937 random(20'26);
    WatchTree tree;
    auto root = tree.add(WatchTree::k_none, WatchTree::Role::root, 0, "", 1);
    std::map<std::string, WatchTree::Id> model{{"", root}};
    int wd = 1;
    for (int step = 0; step < 20'000; ++step) {
      auto at = model.begin();
      std::advance(at, random() % model.size());
      std::string path = at->first;
      if (random() % 3 != 0 || path.empty()) {
        std::string name = "n" + std::to_string(random() % 40);
        if (!model.contains(path + "/" + name)) {
          auto id = tree.add(at->second, WatchTree::Role::folder, 0, name, ++wd);
          model.emplace(path + "/" + name, id);
        }
        continue;
      }
      WatchTree::Id dropped = at->second;
      std::vector<int> expected;
      for (auto it = model.begin(); it != model.end();) {
        if (it->first == path || it->first.starts_with(path + "/")) {
          expected.push_back(tree.wd(it->second));
          it = model.erase(it);
        } else {
          ++it;
        }
      }
      std::vector<int> orphans;
      tree.drop(dropped, orphans);
      std::sort(orphans.begin(), orphans.end());
      std::sort(expected.begin(), expected.end());
      REQUIRE(orphans == expected);
      REQUIRE(tree.size() == model.size());
    }
    for (const auto& [path, id] : model) {
      CHECK(tree.path_below_root(id) == path);
      CHECK(tree.first_of_wd(tree.wd(id)) == id);
      if (!path.empty()) {
        auto parent = model.at(path.substr(0, path.rfind('/')));
        CHECK(tree.child(parent, path.substr(path.rfind('/') + 1)) == id);
      }
    }
  }

  TEST_CASE("a folder costs less than 80 bytes") {
    WatchTree tree;
    auto root = tree.add(WatchTree::k_none, WatchTree::Role::root, 0, "", 1);
    for (int i = 0; i < 10'000; ++i) {
      auto skill =
          tree.add(root, WatchTree::Role::folder, 0, "skill-" + std::to_string(i), 3 * i + 2);
      tree.add(skill, WatchTree::Role::folder, 0, "references", 3 * i + 3);
      tree.add(skill, WatchTree::Role::folder, 0, "scripts", 3 * i + 4);
    }
    CHECK(tree.bytes() / tree.size() < 80);
  }
}
