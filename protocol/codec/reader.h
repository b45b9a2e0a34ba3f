#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill {

enum class JsonKind { null, boolean, integer, real, string, array, object };

// One JSON value, read forward and at most once. Calls are decoded from simdjson without a DOM and
// configuration from nlohmann through this same interface. A value that is not read is skipped.
class JsonReader {
public:
  virtual ~JsonReader() = default;

  virtual JsonKind kind() = 0;
  // Each answers nothing when the value is of another kind or does not fit.
  virtual std::optional<bool> boolean() = 0;
  virtual std::optional<std::int64_t> integer() = 0;
  virtual std::optional<double> real() = 0; // integers too
  virtual std::optional<std::string> string() = 0;
  // The value as JSON text on one line.
  virtual std::optional<std::string> raw() = 0;

  // Visit the members; false when the value is not of that kind or is malformed. The reader given
  // to the callback lives until the callback returns.
  using OnField = std::function<void(std::string_view key, JsonReader& value)>;
  using OnElement = std::function<void(std::size_t index, JsonReader& value)>;
  virtual bool each_field(const OnField& on_field) = 0;
  virtual bool each_element(const OnElement& on_element) = 0;
};

} // namespace upskill
