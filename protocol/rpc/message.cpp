#include "protocol/rpc/message.h"

#include "protocol/base/utf8.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"

#include <simdjson.h>

#include <utility>

namespace upskill::rpc {
namespace {

constexpr std::string_view k_too_deep = "the message is nested deeper than 64 levels";

bool has_escape(std::string_view literal) {
  return literal.find('\\') != std::string_view::npos;
}

} // namespace

const Member* Members::find(std::string_view key) const {
  for (const Member& member : m_members) {
    if (member.key == key) {
      return member.kind == JsonKind::null ? nullptr : &member;
    }
  }
  return nullptr;
}

bool Members::add(const Member& member) {
  if (m_members.size() == k_max_members) {
    return false;
  }
  for (const Member& other : m_members) {
    if (other.key == member.key) {
      return false;
    }
  }
  m_members.push_back(member);
  return true;
}

// Fills one Message after the other from one line.
class MessageParser::Reader {
public:
  Reader(JsonScanner& scanner, std::deque<std::string>& decoded)
      : m_scanner(scanner)
      , m_decoded(decoded) {}

  void read(Message& message) {
    message.kind = Message::Kind::invalid;
    message.id = message.method = {};
    message.params.clear();
    message.meta.clear();
    message.result = message.failure = {};
    message.error_code = 0;
    message.error.clear();
    m_has = {};
    if (m_scanner.peek() != JsonKind::object) {
      m_scanner.value();
      refuse(message, k_invalid_request, "a message must be an object");
      return;
    }
    m_scanner.members([&](std::string_view key) { envelope_member(message, text_of(key)); });
    conclude(message);
  }

private:
  struct Has {
    bool jsonrpc = false, id = false, method = false, params = false, result = false,
         failure = false;
  };

  std::string_view text_of(std::string_view literal) {
    if (has_escape(literal)) {
      return m_decoded.emplace_back(string_value(literal));
    }
    return literal.substr(1, literal.size() - 2);
  }

  // The first thing that is wrong is what the answer says.
  static void refuse(Message& message, int code, std::string text) {
    if (message.error_code == 0) {
      message.error_code = code;
      message.error = std::move(text);
    }
  }

  void once(Message& message, bool& seen, std::string_view key) {
    if (std::exchange(seen, true)) {
      refuse(message, k_invalid_request, "`" + std::string(key) + "` is given twice");
    }
  }

  void envelope_member(Message& message, std::string_view key) {
    if (key == "params") {
      once(message, m_has.params, key);
      params(message);
      return;
    }
    JsonScanner::Value value = m_scanner.value();
    if (m_scanner.fault() != JsonScanner::Fault::none) {
      return;
    }
    if (key == "jsonrpc") {
      once(message, m_has.jsonrpc, key);
      if (value.raw != "\"2.0\"") {
        refuse(message, k_invalid_request, "`jsonrpc` must be \"2.0\"");
      }
    } else if (key == "id") {
      bool is_second = m_has.id;
      once(message, m_has.id, key);
      message.id = is_second ? std::string_view{} : id(message, value);
    } else if (key == "method") {
      once(message, m_has.method, key);
      if (value.kind == JsonKind::string) {
        message.method = text_of(value.raw);
      } else {
        refuse(message, k_invalid_request, "`method` must be a string");
      }
    } else if (key == "result") {
      once(message, m_has.result, key);
      message.result = {key, value.kind, value.raw};
    } else if (key == "error") {
      once(message, m_has.failure, key);
      message.failure = {key, value.kind, value.raw};
    }
  }

  std::string_view id(Message& message, const JsonScanner::Value& value) {
    if (value.kind != JsonKind::string && value.kind != JsonKind::integer) {
      refuse(message, k_invalid_request, "`id` must be a string or an integer");
    } else if (value.raw.size() > k_max_id_bytes) {
      refuse(message, k_invalid_request, "`id` is longer than 1024 bytes");
    } else if (has_escape(value.raw)) {
      return m_decoded.emplace_back(canonical_scalar(value.raw));
    } else {
      return value.raw;
    }
    return {};
  }

  void params(Message& message) {
    JsonKind kind = m_scanner.peek();
    if (kind != JsonKind::object) {
      if (m_scanner.value().kind != JsonKind::null) {
        refuse(message, k_invalid_params, "`params` must be an object");
      }
      return;
    }
    m_scanner.members([&](std::string_view literal) {
      std::string_view key = text_of(literal);
      if (key == "_meta" && m_scanner.peek() == JsonKind::object) {
        add(message, message.params, "params.", {key, JsonKind::object, "{}"});
        m_scanner.members([&](std::string_view meta_literal) {
          std::string_view meta_key = text_of(meta_literal);
          JsonScanner::Value value = m_scanner.value();
          add(message, message.meta, "params._meta.", {meta_key, value.kind, value.raw});
        });
        return;
      }
      JsonScanner::Value value = m_scanner.value();
      add(message, message.params, "params.", {key, value.kind, value.raw});
      if (key == "_meta" && value.kind != JsonKind::null) {
        refuse(message, k_invalid_params, "`params._meta` must be an object");
      }
    });
  }

  void add(Message& message, Members& members, std::string_view where, const Member& member) {
    if (!members.add(member)) {
      refuse(message,
             k_invalid_request,
             "`" + std::string(where) + std::string(utf8_prefix(member.key, 64))
                 + "` is given twice, or there are more than 64 members");
    }
  }

  void conclude(Message& message) {
    if ((m_has.result || m_has.failure) && !m_has.method) {
      message.kind = Message::Kind::response; // never answered, whatever is wrong with it
      if (!m_has.jsonrpc || !m_has.id || m_has.result == m_has.failure) {
        refuse(message, k_invalid_request, "a response must have an id and one outcome");
      }
      return;
    }
    if (!m_has.jsonrpc) {
      refuse(message, k_invalid_request, "`jsonrpc` is missing");
    }
    if (!m_has.method) {
      refuse(message, k_invalid_request, "`method` is missing");
    }
    if (message.error_code == 0) {
      message.kind = m_has.id ? Message::Kind::request : Message::Kind::notification;
    } else if (message.error_code == k_invalid_params && !m_has.id) {
      message.kind = Message::Kind::notification; // never answered, whatever its parameters
      message.params.clear();
      message.meta.clear();
    }
  }

  JsonScanner& m_scanner;
  std::deque<std::string>& m_decoded;
  Has m_has = {};
};

const Parsed& MessageParser::parse(std::string_view line) {
  m_decoded.clear();
  m_parsed.error_code = 0;
  m_parsed.error.clear();
  m_parsed.is_batch = false;
  for (Message& message : m_parsed.messages) {
    m_spare.push_back(std::move(message));
  }
  m_parsed.messages.clear();

  auto refuse = [&](int code, std::string_view text) -> const Parsed& {
    m_parsed.error_code = code;
    m_parsed.error = text;
    m_parsed.messages.clear();
    return m_parsed;
  };
  auto next_message = [&]() -> Message& {
    if (m_spare.empty()) {
      return m_parsed.messages.emplace_back();
    }
    m_parsed.messages.push_back(std::move(m_spare.back()));
    m_spare.pop_back();
    return m_parsed.messages.back();
  };

  if (!simdjson::validate_utf8(line.data(), line.size())) {
    return refuse(k_parse_error, "the message is not valid UTF-8");
  }
  JsonScanner scanner(line);
  Reader reader(scanner, m_decoded);
  bool is_overfull = false;
  if (scanner.peek() == JsonKind::array) {
    m_parsed.is_batch = true;
    scanner.elements([&] {
      if (m_parsed.messages.size() == k_max_batch) {
        is_overfull = true;
        scanner.value();
      } else {
        reader.read(next_message());
      }
    });
  } else {
    reader.read(next_message());
  }
  if (scanner.fault() == JsonScanner::Fault::too_deep) {
    return refuse(k_invalid_request, k_too_deep);
  }
  if (!scanner.at_end()) {
    return refuse(k_parse_error, "the message is not valid JSON");
  }
  if (is_overfull) {
    return refuse(k_invalid_request, "a batch may hold at most 256 messages");
  }
  if (m_parsed.is_batch && m_parsed.messages.empty()) {
    return refuse(k_invalid_request, "a batch must hold a message");
  }
  if (m_spare.size() > k_max_batch) {
    m_spare.resize(k_max_batch);
  }
  return m_parsed;
}

} // namespace upskill::rpc
