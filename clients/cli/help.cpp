#include "clients/cli/help.h"

#include "clients/cli/manual.h"
#include "clients/cli/text.h"
#include "protocol/codec/writer.h"

#include <algorithm>

namespace upskill::cli {
namespace {

// Names to the left, their meaning wrapped to the right of the longest.
class Definitions {
public:
  void add(std::string name, std::string meaning) {
    m_rows.push_back({std::move(name), std::move(meaning)});
  }

  bool empty() const { return m_rows.empty(); }

  void print(Page& page, Tint tint = Tint::cyan) const {
    std::size_t left = 0;
    for (const Row& row : m_rows) {
      left = std::max(left, display_width(row.name));
    }
    left = std::min<std::size_t>(left, 30);
    std::size_t start = left + 4;
    std::size_t right = std::min<std::size_t>(page.screen().columns, 100) - start;
    for (const Row& row : m_rows) {
      std::vector<std::string> lines = wrap(row.meaning, right);
      std::size_t width = display_width(row.name);
      std::size_t next = 0;
      if (width > left) {
        page.line("  " + page.tint(tint, row.name));
      } else {
        page.line("  " + page.tint(tint, row.name) + std::string(left - width + 2, ' ')
                  + lines[next++]);
      }
      for (; next < lines.size(); ++next) {
        page.line(std::string(start, ' ') + lines[next]);
      }
    }
  }

private:
  struct Row {
    std::string name;
    std::string meaning;
  };

  std::vector<Row> m_rows = {};
};

void title(Page& page, std::string_view text) {
  page.line();
  page.line(page.tint(Tint::bold, text));
}

// The command with its positionals, without "upskill" and options.
std::string short_usage(const Command& command) {
  std::string usage = usage_of(command).substr(std::string_view("upskill ").size());
  constexpr std::string_view k_options = " [OPTIONS]";
  return usage.ends_with(k_options) ? usage.substr(0, usage.size() - k_options.size()) : usage;
}

void print_examples(Page& page, auto&& wanted) {
  bool any = false;
  for (const Example& example : examples()) {
    if (wanted(example)) {
      if (!any) {
        title(page, "Examples");
      }
      any = true;
      page.line("  " + page.tint(Tint::cyan, example.line));
      page.line("      " + std::string(example.meaning));
    }
  }
}

void write_option(JsonWriter& out, const Option& option) {
  out.begin_object();
  out.field("name", option.position >= 0 && option.required ? option.name : "--" + option.name);
  out.field("meaning", doc_of(option));
  out.end_object();
}

} // namespace

void show_overview(Page& page) {
  page.line(page.tint(Tint::bold, "upskill")
            + " keeps agent skills in sync across coding agents, through its daemon.");
  title(page, "Usage");
  page.line("  upskill COMMAND [OPTIONS]");
  std::vector<Command> commands = all_commands();
  std::vector<std::string_view> titles;
  for (const Group& group : groups()) {
    titles.push_back(group.title);
  }
  titles.push_back("More");
  for (std::string_view group : titles) {
    Definitions rows;
    for (const Command& command : commands) {
      if (group_of(command) == group && command.words != "reference") {
        rows.add(short_usage(command), command.summary);
      }
    }
    if (!rows.empty()) {
      title(page, group);
      rows.print(page);
    }
  }
  title(page, "Options");
  Definitions options;
  for (const Option& option : global_options()) {
    options.add(label_of(option), doc_of(option));
  }
  options.print(page);
  print_examples(page, [](const Example& example) { return example.overview; });
  page.line();
  page.line("`upskill help COMMAND` tells more about one of them.");
}

void show_group(Page& page, std::string_view word) {
  Definitions rows;
  bool is_alone = false; // it is a command itself, too
  for (const Command& command : all_commands()) {
    is_alone = is_alone || command.words == word;
    if (command.words == word || command.words.starts_with(std::string(word) + " ")) {
      rows.add(short_usage(command), command.summary);
    }
  }
  page.line(page.tint(Tint::bold, "Usage") + "  upskill " + std::string(word)
            + (is_alone ? " [COMMAND]" : " COMMAND"));
  page.line();
  rows.print(page);
  print_examples(page, [&](const Example& example) {
    bool is_below = example.command == word || example.command.starts_with(std::string(word) + " ");
    return example.overview && is_below;
  });
}

void show_command(Page& page, const Command& command) {
  page.line(page.tint(Tint::bold, "Usage") + "  " + usage_of(command));
  page.line();
  page.paragraph(command.summary);
  Definitions words;
  for (const Option& option : command.options) {
    if (option.position >= 0) {
      std::string name(option.field); // as the usage has it
      std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
      words.add(name, doc_of(option));
    }
  }
  if (!words.empty()) {
    title(page, "Words");
    words.print(page);
  }
  Definitions options;
  for (const Option& option : named_options(command)) {
    if (option.position < 0) {
      options.add(label_of(option), doc_of(option));
    }
  }
  if (!options.empty()) {
    title(page, "Options");
    options.print(page);
  }
  print_examples(page, [&](const Example& example) { return example.command == command.words; });
}

std::string help_document(const Command& command) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.key("commands");
  out.begin_array();
  for (const Command& each : all_commands()) {
    bool meant = command.words.empty() || each.words == command.words
                 || each.words.starts_with(command.words + " ");
    if (!meant || each.words == "reference") {
      continue;
    }
    out.begin_object();
    out.field("command", each.words);
    out.field("summary", each.summary);
    out.field("usage", usage_of(each));
    out.key("options");
    out.begin_array();
    for (const Option& option : each.options) {
      if (option.position >= 0 && option.required) {
        write_option(out, option);
      }
    }
    for (const Option& option : named_options(each)) {
      write_option(out, option);
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return text;
}

} // namespace upskill::cli
