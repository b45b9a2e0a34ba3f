#include "clients/cli/reference.h"

#include "clients/cli/completion.h"
#include "clients/cli/man_page.h"
#include "clients/cli/manual.h"
#include "clients/cli/text.h"
#include "clients/connect/text_reader.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::string_view k_notice =
    "<!-- Written by `upskill reference --output clients/generated`; do not edit. -->\n\n";

std::string text_member(const connect::TextReader& value, std::string_view name) {
  auto member = value.member(name);
  return member ? member->string().value_or("") : std::string();
}

// For a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '|' ? "\\|" : std::string(1, c);
  }
  return out;
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

} // namespace

std::string method_reference() {
  std::string out(k_notice);
  out += "# Methods\n\nWhat the daemon can be asked, as an MCP tool and as the result of a command "
         "with `--json`. People's methods are not listed to agents, but can be called.\n";
  for (const MethodInfo& method : catalog()) {
    out += "\n## " + std::string(method.name) + "\n\n" + std::string(method.summary) + "\n\n";
    out += "- command: "
           + (method.command.empty() ? std::string("none")
                                     : "`upskill " + std::string(method.command) + "`")
           + "\n- for: " + (method.audience == Audience::agents ? "agents and people" : "people")
           + "\n- effect: " + std::string(effect_name(method.effect))
           + (method.pace == Pace::slow ? "; may take long, reports progress" : "") + "\n";
    if (!method.description.empty()) {
      out += "\nAs agents are told: " + std::string(method.description) + "\n";
    }
    std::string parameters = fields_table(method.params_schema());
    out += (parameters.starts_with('|') ? "\nParameters:\n\n" : "\nParameters: ") + parameters;
    out += "\nResult:\n\n" + fields_table(method.result_schema());
  }
  return out;
}

std::string command_reference() {
  std::string out(k_notice);
  out += "# Commands\n";
  for (const Command& command : all_commands()) {
    if (command.words == "reference") {
      continue;
    }
    out += "\n## upskill " + command.words + "\n\n" + command.summary + "\n\n    "
           + usage_of(command) + "\n";
    std::string rows;
    for (const Option& option : command.options) {
      std::string name = label_of(option);
      name.erase(0, name.find_first_not_of(' '));
      bool only_word = option.position >= 0 && option.required;
      rows += "| `" + (only_word ? option.name : name) + "` | " + cell(doc_of(option)) + " |\n";
    }
    out += rows.empty() ? "" : "\n| option | meaning |\n|---|---|\n" + rows;
    for (const Example& example : examples()) {
      if (example.command == command.words) {
        out += "\n- `" + std::string(example.line) + "`: " + std::string(example.meaning);
      }
    }
    out += out.ends_with('\n') ? "" : "\n";
  }
  out += "\n## Options of every command\n\n| option | meaning |\n|---|---|\n";
  for (const Option& option : global_options()) {
    std::string name = label_of(option);
    name.erase(0, name.find_first_not_of(' '));
    out += "| `" + name + "` | " + cell(doc_of(option)) + " |\n";
  }
  out += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const Term& code : exit_codes()) {
    out += "| " + std::string(code.name) + " | " + cell(code.meaning) + " |\n";
  }
  out += "\n## Environment\n\n| variable | meaning |\n|---|---|\n";
  for (const Term& variable : environment_variables()) {
    out += "| `" + std::string(variable.name) + "` | " + cell(variable.meaning) + " |\n";
  }
  return out;
}

std::vector<Document> generated_documents() {
  return {{"methods.md", method_reference()},
          {"commands.md", command_reference()},
          {"upskill.1", man_page()},
          {"upskill.bash", bash_completion()},
          {"_upskill", zsh_completion()},
          {"upskill.fish", fish_completion()}};
}

Result<void> write_reference(const std::string& folder) {
  TRY(make_directories(folder));
  for (const Document& document : generated_documents()) {
    TRY(write_file_atomically(
        join_path(folder, document.name), document.text, 0644, Durability::process_crash));
  }
  return {};
}

} // namespace upskill::cli
