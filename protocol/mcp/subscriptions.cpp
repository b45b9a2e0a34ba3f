#include "protocol/mcp/subscriptions.h"

#include "protocol/codec/writer.h"
#include "protocol/mcp/output.h"

#include <algorithm>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr SentNotification k_updated = "notifications/resources/updated";

bool contains(const std::vector<std::string>& uris, std::string_view uri) {
  return std::find(uris.begin(), uris.end(), uri) != uris.end();
}

SentNotification list_changed(Change::Kind list) {
  switch (list) {
  case Change::tool_list:
    return "notifications/tools/list_changed";
  case Change::prompt_list:
    return "notifications/prompts/list_changed";
  default:
    break;
  }
  return "notifications/resources/list_changed";
}

bool wants_list(const Subscriptions::Listen& listen, Change::Kind list) {
  switch (list) {
  case Change::tool_list:
    return listen.tool_list;
  case Change::prompt_list:
    return listen.prompt_list;
  default:
    break;
  }
  return listen.resource_list;
}

// A folder's own URI has no slash at its end.
bool is_below(std::string_view uri, std::string_view prefix) {
  return uri.starts_with(prefix)
         || (prefix.ends_with('/') && uri == prefix.substr(0, prefix.size() - 1));
}

// `_meta` of everything that belongs to a listen.
void write_subscription_meta(JsonWriter& json, std::string_view id) {
  json.key("_meta");
  json.begin_object();
  json.raw_field(k_meta_subscription_id, id);
  json.end_object();
}

std::string updated_params(std::string_view uri, std::string_view listen_id) {
  std::string params;
  JsonWriter json(params);
  json.begin_object();
  json.field("uri", uri);
  if (!listen_id.empty()) {
    write_subscription_meta(json, listen_id);
  }
  json.end_object();
  return params;
}

std::string meta_params(std::string_view listen_id) {
  std::string params;
  JsonWriter json(params);
  json.begin_object();
  write_subscription_meta(json, listen_id);
  json.end_object();
  return params;
}

} // namespace

bool Subscriptions::subscribe(std::string uri) {
  if (contains(m_uris, uri)) {
    return true;
  }
  if (m_uris.size() == k_max_uris) {
    return false;
  }
  m_uris.push_back(std::move(uri));
  return true;
}

void Subscriptions::unsubscribe(std::string_view uri) {
  std::erase(m_uris, uri);
}

bool Subscriptions::listen(Listen listen) {
  if (m_listens.size() == k_max_listens || listen.uris.size() > k_max_uris) {
    return false;
  }
  m_listens.push_back(std::move(listen));
  return true;
}

bool Subscriptions::end(std::string_view id) {
  return std::erase_if(m_listens, [&](const Listen& listen) { return listen.id == id; }) > 0;
}

bool Subscriptions::has_listen(std::string_view id) const {
  return std::any_of(
      m_listens.begin(), m_listens.end(), [&](const Listen& listen) { return listen.id == id; });
}

void Subscriptions::write_list_changed(std::string& output,
                                       Change::Kind list,
                                       bool tell_legacy) const {
  if (tell_legacy) {
    write_notification(output, list_changed(list), {});
  }
  for (const Listen& listen : m_listens) {
    if (wants_list(listen, list)) {
      write_notification(output, list_changed(list), meta_params(listen.id));
    }
  }
}

void Subscriptions::write_updated(std::string& output, std::string_view prefix) const {
  auto write = [&](const std::vector<std::string>& uris, std::string_view listen_id) {
    for (const std::string& uri : uris) {
      if (is_below(uri, prefix)) {
        write_notification(output, k_updated, updated_params(uri, listen_id));
      }
    }
  };
  write(m_uris, {});
  for (const Listen& listen : m_listens) {
    write(listen.uris, listen.id);
  }
}

bool Subscriptions::wants(std::string_view uri) const {
  return contains(m_uris, uri)
         || std::any_of(m_listens.begin(), m_listens.end(), [&](const Listen& listen) {
              return contains(listen.uris, uri);
            });
}

void Subscriptions::close(std::string& output, std::string_view server_meta) {
  for (const Listen& listen : m_listens) {
    // The result first, so that the stream ends well for clients that wait for it; the notification
    // is a MUST of the cancellation page, and harmless for a request that is over.
    std::string result;
    JsonWriter json(result);
    json.begin_object();
    write_modern_head(json, k_modern);
    json.key("_meta");
    std::string meta(server_meta.substr(0, server_meta.size() - 1));
    meta += ',' + json_string(k_meta_subscription_id) + ':' + listen.id + '}';
    json.raw(meta);
    json.end_object();
    write_result(output, listen.id, result);
    write_notification(output,
                       "notifications/cancelled",
                       R"({"requestId":)" + listen.id + R"(,"reason":"the server is stopping"})");
  }
  m_listens.clear();
}

void write_acknowledged(std::string& output, const Subscriptions::Listen& listen) {
  std::string params;
  JsonWriter json(params);
  json.begin_object();
  write_subscription_meta(json, listen.id);
  json.key("notifications");
  json.begin_object();
  if (listen.tool_list) {
    json.field("toolsListChanged", true);
  }
  if (listen.prompt_list) {
    json.field("promptsListChanged", true);
  }
  if (listen.resource_list) {
    json.field("resourcesListChanged", true);
  }
  if (!listen.uris.empty()) {
    json.key("resourceSubscriptions");
    json.begin_array();
    for (const std::string& uri : listen.uris) {
      json.value(std::string_view(uri));
    }
    json.end_array();
  }
  json.end_object();
  json.end_object();
  write_notification(output, "notifications/subscriptions/acknowledged", params);
}

} // namespace upskill::mcp
