#include "protocol/base/utf8.h"
#include "protocol/hook/payload.h"
#include "protocol/hook/spool_record.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::hook;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

constexpr std::array k_names{&HookEvent::agent,
                             &HookEvent::event,
                             &HookEvent::session,
                             &HookEvent::turn,
                             &HookEvent::helper};
constexpr std::array k_paths{
    &HookEvent::transcript, &HookEvent::helper_transcript, &HookEvent::cwd};

void check_bounds(const HookEvent& event) {
  for (auto name : k_names) {
    promise((event.*name).size() <= k_max_name);
  }
  for (auto path : k_paths) {
    promise((event.*path).size() <= k_max_path && is_utf8(event.*path));
  }
}

// What another reader finds in a whole document is what is found here, where it can be a path.
void compare(std::string_view text, const HookEvent& event) {
  constexpr std::string_view k_key = "\"transcript_path\"";
  std::size_t at = text.find(k_key);
  if (text.size() > k_max_payload || at == std::string_view::npos
      || text.find(k_key, at + 1) != std::string_view::npos
      || text.find('\\') != std::string_view::npos) {
    return; // several, or one whose key is written in another way
  }
  auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || document.contains("transcriptPath")) {
    return;
  }
  auto found = document.find("transcript_path");
  bool is_path = found != document.end() && found->is_string()
                 && found->get_ref<const std::string&>().size() <= k_max_path
                 && found->get_ref<const std::string&>().find('\0') == std::string::npos;
  promise(event.transcript == (is_path ? found->get<std::string>() : std::string()));
}

// Whatever lies in a spool ends, and hides no record behind it.
void read_spool(std::string_view bytes) {
  HookEvent last{.time_ms = 1, .event = "Stop", .cwd = "/last"};
  std::string spool = std::string(bytes) + encode_record(last);
  std::string_view rest = spool;
  HookEvent seen;
  while (!rest.empty()) {
    DecodedPiece piece = decode_piece(rest);
    promise(piece.piece != Piece::unfinished && piece.used > 0 && piece.used <= rest.size());
    if (piece.piece == Piece::record) {
      check_bounds(piece.event);
      seen = piece.event;
    }
    rest.remove_prefix(piece.used);
  }
  promise(seen == last);
}

} // namespace

// Bytes as an agent's payload, and as what is left in a spool.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  HookEvent event = read_payload(bytes, {"", "Stop"});
  check_bounds(event);
  promise(!event.event.empty());
  compare(bytes, event);
  promise(decode_piece(encode_record(event)).event == event);
  if (size < 65536) {
    read_spool(bytes);
  }
  return 0;
}
