#include "skills/eval/json_text.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/document/yaml.h"
#include "skills/document/yaml_json.h"
#include "skills/eval/cases.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace upskill::eval {
namespace {

using nlohmann::json;

// Found without a parser, so that none has to be deep.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (quoted) {
      at += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > k_max_json_depth) {
        return false;
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return true;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

// Remembers the keys of the objects that are open: a second `expected` would silently take the
// place of the first. A pass of its own, because a parser with a callback looks at all elements of
// an array again after each of them: hours for a file of 8 MB.
class Keys : public nlohmann::json_sax<json> {
public:
  std::optional<std::string> twice = {}; // stops there

  bool start_object(std::size_t) override {
    m_open.emplace_back();
    return true;
  }

  bool key(std::string& key) override {
    if (m_open.back().insert(key).second) {
      return true;
    }
    twice = utf8_prefix(key, 80);
    return false;
  }

  bool end_object() override {
    m_open.pop_back();
    return true;
  }

  bool null() override { return true; }

  bool boolean(bool) override { return true; }

  bool number_integer(std::int64_t) override { return true; }

  bool number_unsigned(std::uint64_t) override { return true; }

  bool number_float(double, const std::string&) override { return true; }

  bool string(std::string&) override { return true; }

  bool binary(json::binary_t&) override { return true; }

  bool start_array(std::size_t) override { return true; }

  bool end_array() override { return true; }

  // The parser after this pass says what is wrong.
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

private:
  std::vector<std::set<std::string>> m_open = {};
};

tl::unexpected<Error> twice(std::string_view key) {
  return fail(ErrorCode::invalid_argument,
              "the test file gives " + in_backticks(key) + " twice in one object",
              "only one of them would count; take the other out");
}

Result<json> parse_json(std::string_view text) {
  if (!is_shallow(text)) {
    return fail(ErrorCode::too_large,
                "the test file nests deeper than " + std::to_string(k_max_json_depth));
  }
  Keys keys;
  try {
    json::sax_parse(text, &keys);
    if (keys.twice) {
      return twice(*keys.twice);
    }
    return json::parse(text);
  } catch (const json::parse_error& problem) {
    std::size_t at = problem.byte > 0 ? problem.byte - 1 : 0;
    return fail(ErrorCode::invalid_argument,
                "the test file is not valid JSON at line "
                    + std::to_string(line_of(text, std::min(at, text.size()))),
                "mend it there");
  } catch (const json::exception&) {
    return fail(ErrorCode::invalid_argument, "the test file has a number that is out of range");
  }
}

Result<json> parse_yaml_file(std::string_view text) {
  Result<document::YamlDocument> read = document::parse_yaml(text);
  if (!read) {
    return fail(read.error().code,
                "the test file is neither JSON nor YAML that we read: " + read.error().message,
                "JSON begins with `{` or `[`, and may be larger");
  }
  if (read->features.duplicate_line > 0) {
    return twice(read->features.duplicate_key);
  }
  return parse_json(document::to_json(read->root, document::Typing::core));
}

} // namespace

Result<json> parse_test_file(std::string_view text) {
  if (text.size() > k_max_test_file) {
    return fail(ErrorCode::too_large,
                "the test file has " + std::to_string(text.size()) + " bytes, we read "
                    + std::to_string(k_max_test_file));
  }
  if (std::size_t valid = utf8_valid_prefix(text); valid != text.size()) {
    return fail(ErrorCode::invalid_argument,
                "the test file is not UTF-8 at line " + std::to_string(line_of(text, valid)),
                "save it as UTF-8");
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, "the test file is empty");
  }
  bool is_json = text[start] == '{' || text[start] == '[';
  return is_json ? parse_json(text) : parse_yaml_file(text);
}

json parse_shallow(std::string_view text) {
  return is_shallow(text) ? json::parse(text, nullptr, false) : json(json::value_t::discarded);
}

} // namespace upskill::eval
