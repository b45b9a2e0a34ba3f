#include "protocol/codec/nlohmann_reader.h"

#include "protocol/base/bounds.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill {
namespace {

// Where the `number`th byte, from 1, lies: as an editor counts, which is in characters.
std::string place_of(std::string_view text, std::size_t number) {
  std::string_view before = text.substr(0, number == 0 ? 0 : number - 1);
  auto line = std::ranges::count(before, '\n') + 1;
  before.remove_prefix(before.rfind('\n') + 1); // npos + 1 is 0
  auto column = std::ranges::count_if(before, [](char byte) { return (byte & 0xC0) != 0x80; }) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

class NlohmannReader final : public JsonReader {
public:
  explicit NlohmannReader(const nlohmann::json& value)
      : m_value(value) {}

  JsonKind kind() override {
    switch (m_value.type()) {
    case nlohmann::json::value_t::boolean:
      return JsonKind::boolean;
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return JsonKind::integer;
    case nlohmann::json::value_t::number_float:
      return JsonKind::real;
    case nlohmann::json::value_t::string:
      return JsonKind::string;
    case nlohmann::json::value_t::array:
      return JsonKind::array;
    case nlohmann::json::value_t::object:
      return JsonKind::object;
    default:
      return JsonKind::null;
    }
  }

  std::optional<bool> boolean() override {
    return m_value.is_boolean() ? std::optional(m_value.get<bool>()) : std::nullopt;
  }

  std::optional<std::int64_t> integer() override {
    if (m_value.is_number_unsigned()
        && m_value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
      return std::nullopt;
    }
    return m_value.is_number_integer() ? std::optional(m_value.get<std::int64_t>()) : std::nullopt;
  }

  std::optional<double> real() override {
    return m_value.is_number() ? std::optional(m_value.get<double>()) : std::nullopt;
  }

  std::optional<std::string> string() override {
    return m_value.is_string() ? std::optional(m_value.get<std::string>()) : std::nullopt;
  }

  std::optional<std::string> raw() override {
    return m_value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  bool each_field(const OnField& on_field) override {
    if (!m_value.is_object()) {
      return false;
    }
    for (const auto& [key, value] : m_value.items()) {
      NlohmannReader reader(value);
      on_field(key, reader);
    }
    return true;
  }

  bool each_element(const OnElement& on_element) override {
    if (!m_value.is_array()) {
      return false;
    }
    for (std::size_t i = 0; i < m_value.size(); ++i) {
      NlohmannReader reader(m_value[i]);
      on_element(i, reader);
    }
    return true;
  }

private:
  const nlohmann::json& m_value;
};

} // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::string_view what) {
  bool too_deep = false;
  auto bounded = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    too_deep = too_deep || depth > k_max_json_depth;
    return !too_deep;
  };
  try {
    nlohmann::json document = nlohmann::json::parse(text, bounded);
    if (!too_deep) {
      return document;
    }
  } catch (const nlohmann::json::parse_error& problem) {
    // The library's own words are for programmers.
    return fail(ErrorCode::corrupt,
                std::string(what) + " is not valid JSON at " + place_of(text, problem.byte),
                "mend it there");
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::corrupt,
                std::string(what) + " holds a number that is out of range",
                "mend it there");
  }
  return fail(ErrorCode::too_large,
              std::string(what) + " nests deeper than " + std::to_string(k_max_json_depth));
}

void read_json(const nlohmann::json& document, const std::function<void(JsonReader&)>& use) {
  NlohmannReader reader(document);
  use(reader);
}

} // namespace upskill
