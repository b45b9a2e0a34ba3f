#include "protocol/base/utf8.h"
#include "protocol/catalog.h"
#include "protocol/mcp/session.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"
#include "protocol/rpc/simdjson_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace upskill;

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Reads every value through simdjson, as decoding would.
void walk(JsonReader& reader) {
  switch (reader.kind()) {
  case JsonKind::object:
    require(reader.each_field([&](std::string_view, JsonReader& value) { walk(value); }));
    break;
  case JsonKind::array:
    require(reader.each_element([&](std::size_t, JsonReader& value) { walk(value); }));
    break;
  case JsonKind::string:
    require(is_utf8(*reader.string()));
    break;
  case JsonKind::integer:
    reader.integer();
    break;
  case JsonKind::real:
    reader.real();
    break;
  case JsonKind::boolean:
    require(reader.boolean().has_value());
    break;
  case JsonKind::null:
    break;
  }
}

// The scanner, an independent parser and simdjson must agree on what is JSON.
void check_parsers(std::string_view text) {
  rpc::JsonScanner scanner(text);
  scanner.value();
  bool is_json = scanner.at_end() && is_utf8(text);
  // The other parser takes a NUL for the end of the text.
  bool has_nul = text.find('\0') != std::string_view::npos;
  if (scanner.fault() != rpc::JsonScanner::Fault::too_deep && !has_nul) {
    // The other parser also refuses numbers beyond a double and unpaired surrogates, which the
    // grammar allows.
    bool may_refuse = text.find_first_of("eE") != std::string_view::npos || text.size() > 300
                      || text.find("\\u") != std::string_view::npos;
    require(is_json == nlohmann::json::accept(text) || (is_json && may_refuse));
  }
  rpc::JsonParser parser;
  require(parser.read(text, "input", [](JsonReader& reader) { walk(reader); }).has_value()
          == is_json);
  require(!rpc::is_request_id(text) || is_json || !is_utf8(text));
}

// Whether an object in the text names a member twice. Not for what the other parser refuses.
bool has_twins(const std::string& text) {
  std::vector<std::set<std::string>> open;
  bool found = false;
  using Event = nlohmann::json::parse_event_t;
  auto on_event = [&](int, Event event, nlohmann::json& parsed) {
    if (event == Event::object_start) {
      open.emplace_back();
    } else if (event == Event::object_end) {
      open.pop_back();
    } else if (event == Event::key) {
      found = !open.back().insert(parsed.get<std::string>()).second || found;
    }
    return true;
  };
  return !nlohmann::json::parse(text, on_event, false).is_discarded() && found;
}

// Parameters that decode say everything once: no two readers can take them for different ones.
void check_arguments(const mcp::Call& call) {
  rpc::JsonParser parser;
  for_each_method([&]<class P, class R>(const Method<P, R>& method) {
    if (call.method == find_method(method.name)
        && rpc::decode_arguments<P>(parser, call.arguments)) {
      require(!has_twins(call.arguments));
    }
  });
}

// Whatever comes in, what goes out is whole lines of valid JSON, and a restart changes nothing.
void check_session(const mcp::Server& server, std::string_view input) {
  mcp::Session session(server, Audience::people);
  mcp::Outcome out;
  while (!input.empty()) {
    std::size_t end = std::min(input.find('\n'), input.size());
    session.receive(input.substr(0, end), out);
    input.remove_prefix(std::min(end + 1, input.size()));
    for (std::size_t i = 0; i < out.calls.size(); i += 2) {
      session.progress(out.calls[i].id, 1, 2.0, "half", out.output);
      session.answer(out.calls[i].id, mcp::Answer(mcp::ToolAnswer{"{}"}), out.output);
    }
    for (std::size_t i = 1; i < out.calls.size(); i += 2) {
      mcp::InputRequired required{{{"a", mcp::InputKind::roots, ""}}, "state"};
      session.answer(out.calls[i].id, mcp::Answer(std::move(required)), out.output);
    }
    for (const mcp::Call& call : out.calls) {
      require(nlohmann::json::accept(call.arguments.empty() ? "{}" : call.arguments));
      require(nlohmann::json::accept(call.input_responses.empty() ? "{}" : call.input_responses));
      if (call.kind == mcp::Call::Kind::tool) {
        check_arguments(call);
      }
    }
    out.calls.clear();
    session.tell({mcp::Change::resource_list}, out.output);
    auto restored = mcp::Session::restore(server, Audience::people, session.save());
    require(restored && restored->save() == session.save());
  }
  session.close(out.output);
  require(session.in_flight() == 0);
  for (std::size_t at = 0; at < out.output.size();) {
    std::size_t end = out.output.find('\n', at);
    require(end != std::string::npos);
    require(nlohmann::json::accept(std::string_view(out.output).substr(at, end - at)));
    at = end + 1;
  }
}

// All parameters that there are to read.
mcp::Offer everything() {
  mcp::Offer offer;
  offer.prompts = {{"p", "", "", {{"a", "", "", true}}}};
  offer.completion = offer.skills = offer.tasks = offer.list_changes = true;
  return offer;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mcp::Server k_server(mcp::ServerInfo{}, everything());
  std::string_view input(reinterpret_cast<const char*>(data), size);
  check_parsers(input);
  check_session(k_server, input);
  return 0;
}
