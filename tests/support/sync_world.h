#pragma once
#include "skills/sync/engine.h"
#include "tests/support/folder.h"

#include <memory>
#include <string>
#include <vector>

namespace upskill::test {

// A home with some roots of one scope and an engine over them. Time stands still unless moved.
class SyncWorld {
public:
  explicit SyncWorld(std::vector<std::string> roots = {".agents", ".claude", ".cursor"},
                     const std::string& parent = "/tmp")
      : m_folder(parent) {
    m_setup.enabled = true;
    m_setup.policy = SyncPolicy::mirror;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      sync::RootSetup root;
      root.path = m_folder / (roots[i] + "/skills");
      root.agents = {"agent" + std::to_string(i)};
      std::filesystem::create_directories(root.path);
      m_setup.roots.push_back(root);
      sync::AgentSetup agent;
      agent.id = "agent" + std::to_string(i);
      agent.reads = {static_cast<sync::RootIndex>(i)};
      agent.preferred = static_cast<sync::RootIndex>(i);
      agent.follows_links = true;
      m_setup.agents.push_back(agent);
    }
    open();
  }

  void close() { m_engine.reset(); }

  void open() {
    close();
    sync::EngineOptions options;
    options.database = m_folder / "state/sync.db";
    options.objects = m_folder / "data/objects";
    options.trash = m_folder / "data/trash";
    options.conflicts = m_folder / "data/conflicts";
    options.boot_id = m_boot_id;
    options.together = m_together;
    std::filesystem::create_directories(m_folder / "state");
    auto opened = sync::Engine::open(options, *m_files, now());
    REQUIRE_MESSAGE(opened, opened.error().message);
    m_engine = std::make_unique<sync::Engine>(std::move(*opened));
    configure();
  }

  void configure() {
    auto done = m_engine->configure({m_setup}, now());
    REQUIRE_MESSAGE(done, done.error().message);
  }

  sync::Round run(bool dry_run = false) {
    sync::Work work;
    work.everything = true;
    work.dry_run = dry_run;
    work.now = now();
    auto round = m_engine->run(work);
    REQUIRE_MESSAGE(round, round.error().message);
    return std::move(*round);
  }

  // Runs until nothing is planned any more, letting grace periods pass.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      sync::Round round = run();
      if (round.steps.empty() && !round.again_at_ms) {
        return;
      }
      pass(3'000);
    }
    FAIL("sync does not come to rest");
  }

  // The next open() is after a restart of the machine.
  void reboot() { m_boot_id += "next"; }

  void pass(std::int64_t milliseconds) { m_steady_ms += milliseconds; }

  sync::Moment now() const {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return {time.tv_sec * 1000 + time.tv_nsec / 1'000'000 + m_steady_ms, m_steady_ms};
  }

  std::string root(std::size_t i) const { return m_setup.roots[i].path; }

  std::string at(std::size_t i, const std::string& path) const { return root(i) + "/" + path; }

  void write_skill(std::size_t i, const std::string& name, const std::string& text) const {
    write(at(i, name + "/SKILL.md"),
          "---\nname: " + name + "\ndescription: d\n---\n" + text + "\n");
  }

  std::string skill(std::size_t i, const std::string& name) const {
    return read(at(i, name + "/SKILL.md"));
  }

  void remove(std::size_t i, const std::string& path) const {
    std::filesystem::remove_all(at(i, path));
  }

  sync::Engine& engine() { return *m_engine; }

  sync::ScopeSetup& setup() { return m_setup; }

  Folder& folder() { return m_folder; }

  void use(sync::Filesystem& files) { m_files = &files; }

  // From the next open() on.
  void use(sync::Together together) { m_together = std::move(together); }

private:
  Folder m_folder;
  sync::Filesystem m_real;
  sync::Filesystem* m_files = &m_real;
  sync::Together m_together = {};
  sync::ScopeSetup m_setup;
  std::int64_t m_steady_ms = 0;
  std::string m_boot_id = "first";
  std::unique_ptr<sync::Engine> m_engine;
};

} // namespace upskill::test
