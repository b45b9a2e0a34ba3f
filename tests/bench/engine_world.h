#pragma once
#include "skills/sync/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace upskill::bench {

// The sync engine over the folders `root0`... of a home, with its store beside them. The first root
// is the one that skills are put into.
class EngineWorld {
public:
  EngineWorld(std::string home, std::size_t roots, bool links);

  // A new engine; the old one's store is gone.
  void begin_anew();
  sync::Round run(sync::Work work);
  sync::Round run_everything();

  sync::Engine& engine() { return *m_engine; }

  std::string root(std::size_t number) const;

  std::size_t roots() const { return m_setup.roots.size(); }

private:
  std::string m_home;
  sync::Filesystem m_files;
  sync::ScopeSetup m_setup;
  std::unique_ptr<sync::Engine> m_engine;
};

sync::Moment moment();

} // namespace upskill::bench
