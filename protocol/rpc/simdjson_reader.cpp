#include "protocol/rpc/simdjson_reader.h"

#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"

#include <simdjson.h>

#include <utility>

namespace upskill::rpc {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(k_json_padding >= simdjson::SIMDJSON_PADDING);

std::string_view trimmed(std::string_view token) {
  std::size_t end = token.find_last_not_of(" \t\r\n");
  return token.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

// The raw text of a scalar. Documents and values say it in different types.
template <class Source> std::string_view token_of(Source& source) {
  std::string_view text;
  simdjson::error_code error =
      simdjson::simdjson_result<std::string_view>(source.raw_json_token()).get(text);
  return error == simdjson::SUCCESS ? trimmed(text) : std::string_view{};
}

// Over an ondemand::document or an ondemand::value, which have these calls in common.
template <class Source> class Reader final : public JsonReader {
public:
  explicit Reader(Source& source)
      : m_source(source) {}

  JsonKind kind() override {
    ondemand::json_type type;
    if (m_source.type().get(type) != simdjson::SUCCESS) {
      return JsonKind::null;
    }
    switch (type) {
    case ondemand::json_type::array:
      return JsonKind::array;
    case ondemand::json_type::object:
      return JsonKind::object;
    case ondemand::json_type::string:
      return JsonKind::string;
    case ondemand::json_type::boolean:
      return JsonKind::boolean;
    case ondemand::json_type::number:
      return token_of(m_source).find_first_of(".eE") == std::string_view::npos ? JsonKind::integer
                                                                               : JsonKind::real;
    default:
      return JsonKind::null;
    }
  }

  std::optional<bool> boolean() override { return scalar<bool>(JsonKind::boolean); }

  std::optional<std::int64_t> integer() override { return scalar<std::int64_t>(JsonKind::integer); }

  std::optional<double> real() override {
    JsonKind found = kind();
    return found == JsonKind::integer ? scalar<double>(found) : scalar<double>(JsonKind::real);
  }

  std::optional<std::string> string() override {
    if (kind() != JsonKind::string) {
      return std::nullopt;
    }
    std::string_view literal = token_of(m_source);
    std::string_view text;
    if (m_source.get_string().get(text) == simdjson::SUCCESS) {
      return std::string(text);
    }
    // Unpaired surrogates, which simdjson refuses.
    return string_value(literal);
  }

  std::optional<std::string> raw() override {
    JsonKind found = kind();
    if (found != JsonKind::object && found != JsonKind::array) {
      return std::string(token_of(m_source));
    }
    std::string_view text;
    if (found == JsonKind::object) {
      ondemand::object object;
      if (m_source.get_object().get(object) || object.raw_json().get(text)) {
        return std::nullopt;
      }
    } else {
      ondemand::array array;
      if (m_source.get_array().get(array) || array.raw_json().get(text)) {
        return std::nullopt;
      }
    }
    std::string line(trimmed(text));
    // Line ends are white space here: inside a string they would be escaped.
    for (char& byte : line) {
      byte = byte == '\n' || byte == '\r' ? ' ' : byte;
    }
    return line;
  }

  bool each_field(const OnField& on_field) override {
    ondemand::object object;
    if (kind() != JsonKind::object || m_source.get_object().get(object) != simdjson::SUCCESS) {
      return false;
    }
    for (auto item : object) {
      ondemand::field field;
      ondemand::value value;
      std::string_view key;
      if (std::move(item).get(field) != simdjson::SUCCESS) {
        return false;
      }
      value = field.value();
      std::string spelled;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) {
        spelled = "\xEF\xBF\xBD"; // unpaired surrogates: no name of ours
        key = spelled;
      }
      Reader<ondemand::value> reader(value);
      on_field(key, reader);
    }
    return true;
  }

  bool each_element(const OnElement& on_element) override {
    ondemand::array array;
    if (kind() != JsonKind::array || m_source.get_array().get(array) != simdjson::SUCCESS) {
      return false;
    }
    std::size_t index = 0;
    for (auto item : array) {
      if (item.error() != simdjson::SUCCESS) {
        return false;
      }
      ondemand::value value = item.value_unsafe();
      Reader<ondemand::value> reader(value);
      on_element(index++, reader);
    }
    return true;
  }

private:
  template <class T> std::optional<T> scalar(JsonKind wanted) {
    T content{};
    if (kind() != wanted || m_source.template get<T>().get(content) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    return content;
  }

  Source& m_source;
};

} // namespace

struct JsonParser::State {
  ondemand::parser parser{};
  std::string copy = {};
};

JsonParser::JsonParser()
    : m_state(std::make_unique<State>()) {}

JsonParser::~JsonParser() = default;
JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;

Result<void> JsonParser::read(std::string_view json, std::string_view what, const Use& use) {
  JsonScanner scanner(json);
  scanner.value();
  if (!scanner.at_end() || !simdjson::validate_utf8(json.data(), json.size())) {
    return fail(ErrorCode::invalid_argument, std::string(what) + ": is not valid JSON");
  }
  m_state->copy.reserve(json.size() + k_json_padding);
  m_state->copy.assign(json);
  return read_checked(m_state->copy, what, use);
}

Result<void>
JsonParser::read_checked(const std::string& json, std::string_view what, const Use& use) {
  if (json.capacity() - json.size() < k_json_padding) {
    std::string padded;
    padded.reserve(json.size() + k_json_padding);
    padded = json;
    m_state->copy = std::move(padded);
    return read_checked(m_state->copy, what, use);
  }
  ondemand::document document;
  if (m_state->parser.iterate(json.data(), json.size(), json.capacity()).get(document)
      != simdjson::SUCCESS) {
    return fail(ErrorCode::invalid_argument, std::string(what) + ": is not valid JSON");
  }
  Reader<ondemand::document> reader(document);
  use(reader);
  return {};
}

} // namespace upskill::rpc
