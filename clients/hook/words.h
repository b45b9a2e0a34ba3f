#pragma once
#include <span>
#include <string_view>

namespace upskill::hook {

// The words behind `upskill hook`. The views are of the process's arguments.
struct HookWords {
  std::string_view event = {};
  std::string_view agent = {};
  std::string_view payload = {}; // given as an argument and not on stdin: Codex's `notify`
  std::string_view unknown = {}; // the first word that means nothing here; empty: all do
  bool wants_help = false;
};

// Reads `EVENT [--agent NAME] [JSON]`. It never fails: whatever an agent's configuration says, the
// agent must go on; only a person is told what is wrong.
HookWords read_words(std::span<char* const> words);

} // namespace upskill::hook
