#include "skills/install/json_tree.h"

#include "protocol/base/bounds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace upskill::install {
namespace {

using Kind = JsonTree::Kind;

constexpr std::size_t k_few = 24; // members, through which looking one by one is the fastest

// Makes the tree while the library reads. Owner, thread and lifetime: a call of read_json().
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  JsonTree root = {};
  bool too_large = false;
  bool too_deep = false;
  std::size_t wrong_at = 0; // byte, from 1

  bool null() override { return add({.kind = Kind::null}); }

  bool boolean(bool value) override {
    return add({.kind = Kind::boolean, .text = value ? "true" : "false"});
  }

  bool number_integer(std::int64_t value) override {
    return add({.kind = Kind::number, .text = std::to_string(value)});
  }

  bool number_unsigned(std::uint64_t value) override {
    return add({.kind = Kind::number, .text = std::to_string(value)});
  }

  bool number_float(double, const std::string& text) override {
    return add({.kind = Kind::number, .text = text});
  }

  bool string(std::string& value) override {
    return add({.kind = Kind::string, .text = std::move(value)});
  }

  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Kind::object); }

  bool start_array(std::size_t) override { return open(Kind::array); }

  bool key(std::string& key) override {
    m_open.back().key = std::move(key);
    return true;
  }

  bool end_object() override { return close(); }

  bool end_array() override { return close(); }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    wrong_at = at;
    return false;
  }

private:
  struct Open {
    JsonTree tree;
    std::string key = {};                                     // of the value that is read
    std::unordered_map<std::string, std::size_t> places = {}; // of an object's keys, of many
  };

  // The member of the key that is read, or where the next one goes.
  static std::size_t place_in(Open& open) {
    const std::vector<JsonMember>& members = open.tree.members;
    if (members.size() < k_few) {
      auto at = std::ranges::find(members, open.key, &JsonMember::key);
      return static_cast<std::size_t>(at - members.begin());
    }
    if (open.places.empty()) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        open.places.emplace(members[i].key, i);
      }
    }
    return open.places.emplace(open.key, members.size()).first->second;
  }

  bool open(Kind kind) {
    m_open.push_back({.tree = {.kind = kind}});
    too_deep = m_open.size() > static_cast<std::size_t>(k_max_json_depth);
    return !too_deep;
  }

  bool close() {
    JsonTree whole = std::move(m_open.back().tree);
    m_open.pop_back();
    return add(std::move(whole));
  }

  bool add(JsonTree value) {
    too_large = ++m_values > k_most_json_values;
    if (too_large) {
      return false;
    }
    if (m_open.empty()) {
      root = std::move(value);
      return true;
    }
    Open& open = m_open.back();
    if (open.tree.is_array()) {
      open.tree.items.push_back(std::move(value));
      return true;
    }
    const std::size_t place = place_in(open);
    if (place == open.tree.members.size()) {
      open.tree.members.push_back({open.key, std::move(value)});
    } else {
      open.tree.members[place].value = std::move(value);
    }
    return true;
  }

  std::vector<Open> m_open = {};
  std::size_t m_values = 0;
};

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  constexpr std::string_view k_short = "\b\f\n\r\t\"\\";
  constexpr std::string_view k_letters = "bfnrt\"\\";
  out += '"';
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_plain(text[end])) {
      ++end;
    }
    out += text.substr(begin, end - begin);
    begin = end + 1;
    if (end == text.size()) {
      break;
    }
    std::size_t at = k_short.find(text[end]);
    auto byte = static_cast<unsigned char>(text[end]);
    if (at != std::string_view::npos) {
      out += '\\';
      out += k_letters[at];
    } else {
      out += "\\u00";
      out += k_hex[byte >> 4];
      out += k_hex[byte & 15];
    }
  }
  out += '"';
}

void append_json(std::string& out, const JsonTree& tree, std::size_t indent) {
  bool is_object = tree.is_object();
  if (tree.kind == Kind::string) {
    append_json_string(out, tree.text);
    return;
  }
  if (!is_object && !tree.is_array()) {
    out += tree.kind == Kind::null ? "null" : tree.text;
    return;
  }
  std::size_t count = is_object ? tree.members.size() : tree.items.size();
  out += is_object ? '{' : '[';
  for (std::size_t at = 0; at < count; ++at) {
    out += at == 0 ? "\n" : ",\n";
    out.append(indent + 2, ' ');
    if (is_object) {
      append_json_string(out, tree.members[at].key);
      out += ": ";
    }
    append_json(out, is_object ? tree.members[at].value : tree.items[at], indent + 2);
  }
  if (count > 0) {
    out += '\n';
    out.append(indent, ' ');
  }
  out += is_object ? '}' : ']';
}

JsonTree JsonTree::string(std::string_view text) {
  return {.kind = Kind::string, .text = std::string(text)};
}

JsonTree JsonTree::number(std::int64_t value) {
  return {.kind = Kind::number, .text = std::to_string(value)};
}

JsonTree JsonTree::object() {
  return {.kind = Kind::object};
}

const JsonTree* JsonTree::find(std::string_view key) const {
  auto at = std::ranges::find(members, key, &JsonMember::key);
  return at == members.end() ? nullptr : &at->value;
}

JsonTree* JsonTree::find(std::string_view key) {
  auto at = std::ranges::find(members, key, &JsonMember::key);
  return at == members.end() ? nullptr : &at->value;
}

std::string_view JsonTree::text_of(std::string_view key) const {
  const JsonTree* value = find(key);
  return value != nullptr && value->is_string() ? std::string_view(value->text)
                                                : std::string_view();
}

void JsonTree::set(std::string_view key, JsonTree value) {
  if (JsonTree* old = find(key)) {
    *old = std::move(value);
  } else {
    members.push_back({std::string(key), std::move(value)});
  }
}

Result<JsonTree> read_json(std::string_view text, std::string_view what, std::size_t most) {
  std::string name(what);
  if (text.size() > most) {
    return fail(ErrorCode::too_large,
                name + " has more than " + std::to_string(most >> 10) + " KiB");
  }
  Builder builder;
  if (nlohmann::json::sax_parse(text, &builder)) {
    return std::move(builder.root);
  }
  if (builder.too_large) {
    return fail(ErrorCode::too_large, name + " has more than a million values");
  }
  if (builder.too_deep) {
    return fail(ErrorCode::corrupt, name + " nests too deeply");
  }
  return fail(ErrorCode::corrupt,
              name + " is no JSON from byte " + std::to_string(builder.wrong_at) + " on");
}

std::string json_text(const JsonTree& tree) {
  std::string out;
  append_json(out, tree, 0);
  return out;
}

} // namespace upskill::install
