#pragma once
#include "tests/support/sync_world.h"

#include <doctest/doctest.h>

// Orders of a person, and what lies in the folders of a world.
namespace upskill::test {

inline std::string document(const std::string& name, const std::string& text) {
  return "---\nname: " + name + "\ndescription: d\n---\n" + text + "\n";
}

inline sync::NewFiles files(const std::string& name, const std::string& text) {
  return {{"SKILL.md", {document(name, text)}}, {"bin/run.sh", {"#!/bin/sh\n", true}}};
}

inline Digest hash(const sync::NewFiles& content) {
  return sync::tree_of(content)->hash();
}

inline sync::Placement placement(const std::string& name, sync::NewFiles content) {
  sync::Placement one;
  one.skill = name;
  auto shared = std::make_shared<const sync::NewFiles>(std::move(content));
  one.content = [shared]() -> Result<sync::SharedFiles> { return shared; };
  one.reason = "installed from here";
  return one;
}

inline sync::Placement
update(const std::string& name, const std::string& from, const std::string& to) {
  sync::Placement one = placement(name, files(name, to));
  one.base = hash(files(name, from));
  one.reason = "updated from here";
  return one;
}

inline sync::PlaceOrder order_of(std::vector<sync::Placement> skills) {
  sync::PlaceOrder order;
  order.skills = std::move(skills);
  return order;
}

inline std::vector<sync::Placed> place(SyncWorld& world, std::vector<sync::Placement> skills) {
  auto placed = world.engine().place(order_of(std::move(skills)), world.now());
  REQUIRE_MESSAGE(placed, placed.error().message);
  return std::move(*placed);
}

inline Error refused(SyncWorld& world, std::vector<sync::Placement> skills) {
  auto placed = world.engine().place(order_of(std::move(skills)), world.now());
  REQUIRE_FALSE(placed);
  return placed.error();
}

inline std::vector<sync::TakenAway>
take(SyncWorld& world, std::vector<std::string> skills, std::vector<std::string> agents = {}) {
  auto taken = world.engine().take_away({{}, skills, agents, "removed by me", false}, world.now());
  REQUIRE_MESSAGE(taken, taken.error().message);
  return std::move(*taken);
}

inline void undo(SyncWorld& world) {
  auto round = world.engine().undo({}, world.now());
  REQUIRE_MESSAGE(round, round.error().message);
}

// A world in which nothing is synchronised.
struct Off : SyncWorld {
  Off() { switch_sync(false); }

  void switch_sync(bool on) {
    setup().enabled = on;
    configure();
  }
};

inline std::string text_in(const SyncWorld& world, std::size_t root, const std::string& name) {
  std::string path = world.at(root, name + "/SKILL.md");
  std::string text = exists(path) ? read(path) : "---\n";
  return text.substr(text.rfind("---\n") + 4);
}

inline std::string texts(const SyncWorld& world, const std::string& name) {
  return text_in(world, 0, name) + "|" + text_in(world, 1, name) + "|" + text_in(world, 2, name);
}

} // namespace upskill::test
