#include "protocol/codec/codec.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/session.h"
#include "protocol/mcp/session_state.h"
#include "protocol/mcp/uri.h"
#include "protocol/rpc/json_text.h"

#include <algorithm>
#include <utility>

namespace upskill {

template <> struct EnumNames<mcp::Era> {
  static constexpr std::array<std::string_view, 3> names{"undecided", "legacy", "modern"};
};

} // namespace upskill

namespace upskill::mcp {
namespace {

// Lenient, so that a daemon may read what a newer one has saved.
struct SavedListen {
  static constexpr bool k_lenient = true;
  JsonText id;
  bool tool_list = false;
  bool prompt_list = false;
  bool resource_list = false;
  std::vector<std::string> uris = {};

  static void describe(auto& f) {
    f.required(&SavedListen::id, "id", "Of the request that stays open.");
    f.optional(&SavedListen::tool_list, "tool_list", "Wants changes of the tools.");
    f.optional(&SavedListen::prompt_list, "prompt_list", "Wants changes of the prompts.");
    f.optional(&SavedListen::resource_list, "resource_list", "Wants changes of the list.");
    f.optional(&SavedListen::uris, "uris", "Wants changes of these resources.");
  }
};

struct SavedClient {
  static constexpr bool k_lenient = true;
  bool form = false;
  bool url = false;
  bool sampling = false;
  bool sampling_tools = false;
  bool roots = false;

  static void describe(auto& f) {
    f.optional(&SavedClient::form, "form", "Can be asked for fields.");
    f.optional(&SavedClient::url, "url", "Can be sent to a page.");
    f.optional(&SavedClient::sampling, "sampling", "Can be asked to sample.");
    f.optional(&SavedClient::sampling_tools, "sampling_tools", "With tools.");
    f.optional(&SavedClient::roots, "roots", "Can be asked for its roots.");
  }
};

struct SavedSession {
  static constexpr bool k_lenient = true;
  Era era = Era::undecided;
  std::string version = {};
  bool initialized = false;
  SavedClient client = {};
  std::string log_level = {};
  std::vector<std::string> subscriptions = {};
  std::vector<SavedListen> listens = {};

  static void describe(auto& f) {
    f.required(&SavedSession::era, "era", "Of the last message that decided it.");
    f.optional(&SavedSession::version, "version", "Agreed in `initialize`.");
    f.optional(&SavedSession::initialized, "initialized", "`notifications/initialized` came.");
    f.optional(&SavedSession::client, "client", "Legacy: what the client has declared.");
    f.optional(&SavedSession::log_level, "log_level", "Legacy: of `logging/setLevel`.");
    f.optional(&SavedSession::subscriptions, "subscriptions", "Legacy: resources subscribed to.");
    f.optional(&SavedSession::listens, "listens", "Modern: open subscriptions/listen requests.");
  }
};

Error is_corrupt(std::string_view what) {
  return Error{ErrorCode::corrupt, "the saved session is damaged: " + std::string(what)};
}

} // namespace

std::string Session::save() const {
  SavedSession saved;
  saved.era = m_state->era;
  saved.version = m_state->legacy ? std::string(name_of(*m_state->legacy)) : std::string();
  saved.initialized = m_state->is_initialized;
  const ClientCapabilities& client = m_state->client;
  saved.client = {client.form, client.url, client.sampling, client.sampling_tools, client.roots};
  saved.log_level = k_log_level_names[static_cast<std::size_t>(m_state->log_level)];
  saved.subscriptions = m_state->subscriptions.uris();
  for (const Subscriptions::Listen& listen : m_state->subscriptions.listens()) {
    saved.listens.push_back({JsonText{listen.id},
                             listen.tool_list,
                             listen.prompt_list,
                             listen.resource_list,
                             listen.uris});
  }
  return encode(saved);
}

Result<Session>
Session::restore(const Server& server, Audience audience, std::string_view saved_text) {
  auto state = std::make_unique<SessionState>(server, audience);
  Result<SavedSession> saved = fail(ErrorCode::internal, "nothing was read");
  auto is_read = state->json.read(saved_text, "session", [&](JsonReader& reader) {
    saved = decode<SavedSession>(reader, "session");
  });
  if (!is_read) {
    return fail(is_corrupt(is_read.error().message));
  }
  if (!saved) {
    return fail(is_corrupt(saved.error().message));
  }
  state->era = saved->era;
  if (!saved->version.empty()) {
    state->legacy = version_from(saved->version);
    if (!state->legacy || is_modern(*state->legacy)) {
      return fail(is_corrupt("session.version: is not a legacy version"));
    }
  }
  state->is_initialized = saved->initialized && state->legacy;
  const SavedClient& client = saved->client;
  state->client.form = client.form;
  state->client.url = client.url;
  state->client.sampling = client.sampling;
  state->client.sampling_tools = client.sampling_tools;
  state->client.roots = client.roots;
  // A level that a newer daemon knows is none of ours.
  state->log_level = log_level_from(saved->log_level).value_or(LogLevel::info);
  for (std::string& uri : saved->subscriptions) {
    if (!is_uri(uri) || !state->subscriptions.subscribe(std::move(uri))) {
      return fail(is_corrupt("session.subscriptions: not a list of URIs"));
    }
  }
  for (SavedListen& listen : saved->listens) {
    if (!rpc::is_request_id(listen.id.text) || state->subscriptions.has_listen(listen.id.text)
        || !std::all_of(listen.uris.begin(), listen.uris.end(), is_uri)
        || !state->subscriptions.listen({std::move(listen.id.text),
                                         listen.tool_list,
                                         listen.prompt_list,
                                         listen.resource_list,
                                         std::move(listen.uris)})) {
      return fail(is_corrupt("session.listens: not a list of open subscriptions"));
    }
  }
  return Session(std::move(state));
}

} // namespace upskill::mcp
