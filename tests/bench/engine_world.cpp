#include "tests/bench/engine_world.h"

#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"

#include <ctime>

namespace upskill::bench {

EngineWorld::EngineWorld(std::string home, std::size_t roots, bool links)
    : m_home(std::move(home)) {
  m_setup.enabled = true;
  m_setup.policy = SyncPolicy::mirror;
  for (std::size_t i = 0; i < roots; ++i) {
    sync::RootSetup& root = m_setup.roots.emplace_back();
    root.path = this->root(i);
    root.agents = {"agent" + std::to_string(i)};
    root.by_link = links && i > 0;
    make_folders(root.path);
    sync::AgentSetup& agent = m_setup.agents.emplace_back();
    agent.id = root.agents.front();
    agent.reads = {static_cast<sync::RootIndex>(i)};
    agent.preferred = static_cast<sync::RootIndex>(i);
    agent.follows_links = true;
  }
}

std::string EngineWorld::root(std::size_t number) const {
  return m_home + "/root" + std::to_string(number) + "/skills";
}

void EngineWorld::begin_anew() {
  m_engine.reset();
  remove_all(m_home + "/state");
  remove_all(m_home + "/data");
  make_folders(m_home + "/state");
  sync::EngineOptions options;
  options.database = m_home + "/state/sync.db";
  options.objects = m_home + "/data/objects";
  options.trash = m_home + "/data/trash";
  options.conflicts = m_home + "/data/conflicts";
  auto opened = sync::Engine::open(options, m_files, moment());
  require(opened.has_value(), opened ? "" : opened.error().message);
  m_engine = std::make_unique<sync::Engine>(std::move(*opened));
  auto configured = m_engine->configure({m_setup}, moment());
  require(configured.has_value(), configured ? "" : configured.error().message);
}

sync::Round EngineWorld::run(sync::Work work) {
  work.now = moment();
  auto round = m_engine->run(work);
  require(round.has_value(), round ? "" : round.error().message);
  require(round->warnings.empty(), round->warnings.empty() ? "" : round->warnings.front());
  return std::move(*round);
}

sync::Round EngineWorld::run_everything() {
  sync::Work work;
  work.everything = true;
  return run(std::move(work));
}

sync::Moment moment() {
  timespec wall{};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  return {wall.tv_sec * 1000 + wall.tv_nsec / 1'000'000, now_ns() / 1'000'000};
}

} // namespace upskill::bench
