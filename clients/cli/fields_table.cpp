#include "clients/cli/fields_table.h"

#include "clients/cli/text.h"
#include "clients/connect/text_reader.h"

#include <algorithm>

namespace upskill::cli {
namespace {

std::string text_member(const connect::TextReader& value, std::string_view name) {
  auto member = value.member(name);
  return member ? member->string().value_or("") : std::string();
}

std::string type_name(const connect::TextReader& schema) {
  if (auto choices = schema.member("enum")) {
    std::vector<std::string> names;
    choices->each_element([&](std::size_t, JsonReader& value) {
      names.push_back("`" + value.string().value_or("") + "`");
    });
    return joined(names, " or ");
  }
  std::string type = text_member(schema, "type");
  if (auto items = schema.member("items")) {
    return "list of " + type_name(*items);
  }
  if (type == "object" && schema.member("properties")) {
    return "object";
  }
  if (auto values = schema.member("additionalProperties");
      type == "object" && values && values->kind() == JsonKind::object) {
    return "map to " + type_name(*values);
  }
  return type.empty() ? "any" : type;
}

// The fields of an object, and below them those of the objects within, dotted.
void append_fields(std::string& rows,
                   const connect::TextReader& schema,
                   const std::string& prefix) {
  auto properties = schema.member("properties");
  if (!properties) {
    return;
  }
  std::vector<std::string> required;
  if (auto names = schema.member("required")) {
    names->each_element(
        [&](std::size_t, JsonReader& name) { required.push_back(name.string().value_or("")); });
  }
  properties->each_field([&](std::string_view key, JsonReader& value) {
    const auto& detail = static_cast<connect::TextReader&>(value);
    bool needed = std::find(required.begin(), required.end(), key) != required.end();
    std::string name = prefix + std::string(key);
    rows += "| `" + name + "` | " + type_name(detail) + " | " + (needed ? "always" : "") + " | "
            + cell(text_member(detail, "description")) + " |\n";
    auto items = detail.member("items");
    append_fields(rows, items ? *items : detail, name + (items ? "[]." : "."));
  });
}

} // namespace

std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '|' ? "\\|" : std::string(1, c);
  }
  return out;
}

std::string fields_table(const std::string& schema_text) {
  std::string rows;
  if (auto schema = connect::TextReader::open(schema_text, "the schema")) {
    append_fields(rows, *schema, {});
  }
  return rows.empty() ? "none\n"
                      : "| field | type | present | meaning |\n|---|---|---|---|\n" + rows;
}

std::string_view effect_name(Effect effect) {
  return effect == Effect::reads    ? "reads"
         : effect == Effect::writes ? "writes"
                                    : "may overwrite or delete (undoable)";
}

} // namespace upskill::cli
