#include "clients/cli/reference.h"

#include "clients/cli/completion.h"
#include "clients/cli/fields_table.h"
#include "clients/cli/man_page.h"
#include "clients/cli/manual.h"
#include "clients/cli/mcp_reference.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

namespace upskill::cli {

namespace {

std::string_view audience_name(Audience audience) {
  switch (audience) {
  case Audience::agents:
    return "agents and people";
  case Audience::people:
    return "people";
  case Audience::people_only:
    break;
  }
  return "people only";
}

} // namespace

std::string method_reference() {
  std::string out(k_generated_notice);
  out +=
      "# Methods\n\nWhat the daemon can be asked, as an MCP tool and as the result of a command "
      "with `--json`. People's methods are not listed to agents; those that change something, or "
      "are for people only, they cannot call either. The rest of the protocol is in mcp.md.\n";
  for (const MethodInfo& method : catalog()) {
    out += "\n## " + std::string(method.name) + "\n\n" + std::string(method.summary) + "\n\n";
    out += "- command: "
           + (method.command.empty() ? std::string("none")
                                     : "`upskill " + std::string(method.command) + "`")
           + "\n- for: " + std::string(audience_name(method.audience))
           + "\n- effect: " + std::string(effect_name(method.effect))
           + (method.pace == Pace::slow ? "; may take long" : "") + "\n";
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
  std::string out(k_generated_notice);
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
          {"mcp.md", mcp_reference()},
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
