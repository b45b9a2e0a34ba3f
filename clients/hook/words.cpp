#include "clients/hook/words.h"

#include "protocol/hook/payload.h"

namespace upskill::hook {
namespace {

constexpr std::string_view k_agent = "--agent";

void take(HookWords& read, std::string_view word) {
  std::string_view* place = &read.unknown;
  if (word.starts_with('{')) {
    place = &read.payload;
  } else if (!word.starts_with('-') && read.event.empty()) {
    place = &read.event;
  }
  *place = place->empty() ? word : *place;
}

} // namespace

HookWords read_words(std::span<char* const> words) {
  HookWords read;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word(words[i]);
    if (word == "--help" || word == "-h") {
      read.wants_help = true;
    } else if (word == k_agent && i + 1 < words.size()) {
      read.agent = words[++i];
    } else if (word.starts_with("--agent=")) {
      read.agent = word.substr(k_agent.size() + 1);
    } else {
      take(read, word);
    }
  }
  if (!read.agent.empty() && !is_agent_id(read.agent) && read.unknown.empty()) {
    read.unknown = read.agent;
  }
  return read;
}

} // namespace upskill::hook
