#include "clients/cli/manual.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <array>

namespace upskill::cli {
namespace {

constexpr std::array<Group, 8> k_groups{
    {{"Skills", "list show validate"},
     {"From anywhere", "install update outdated remove rollback find scan pack init"},
     {"Generation", "generate propose inbox"},
     {"Evaluations", "eval watch benchmark runs"},
     {"Sync", "sync"},
     {"Traces", "trace"},
     {"Overview", "setup status agents doctor"},
     {"Daemon", "daemon mcp hook"}}};
constexpr std::string_view k_rest = "More";

constexpr std::array<Example, 76> k_examples{{
    {"setup",
     "upskill setup",
     "connect the agents that are here: see each change, then agree",
     true},
    {"setup",
     "upskill setup --agent codex --no-hooks --dry-run",
     "what it would do for one of them"},
    {"setup", "upskill setup --scope project", "the MCP server in the files of this project"},
    {"setup remove", "upskill setup --remove", "take all of it back, byte for byte"},
    {"install", "upskill install owner/repo", "see what it has, choose, see the plan, agree", true},
    {"install",
     "upskill install owner/repo/skills@pdf#v2 --dry-run",
     "one skill below a folder, at a tag: what would come, and what is dangerous in it"},
    {"install",
     "upskill install https://example.org/skills/pdf.skill -a claude-code -a codex --yes",
     "an archive, for two agents, without being asked"},
    {"install",
     "upskill install ./skills --all --project",
     "every skill of a folder, into the project that is here"},
    {"install",
     "upskill install owner/repo -s pdf --as pdf-of-owner",
     "beside another skill of that name"},
    {"update", "upskill update", "see what changed at the sources, then take it", true},
    {"update", "upskill update pdf --take theirs", "instead of what you edited"},
    {"update", "upskill update --check", "for CI: end with 1 where something is new"},
    {"outdated", "upskill outdated", "what has a newer version", true},
    {"remove", "upskill remove pdf", "see what goes, then into the trash with it", true},
    {"remove", "upskill remove pdf -a cursor", "from one agent; the others keep it"},
    {"rollback", "upskill rollback pdf", "the version before this one", true},
    {"rollback", "upskill rollback pdf --list", "every version that is known"},
    {"rollback", "upskill rollback pdf 3f9a2c1d", "one of them, by its number or its hash"},
    {"scan", "upskill scan ./skills", "what is dangerous in them, with its place", true},
    {"scan",
     "upskill scan ./skills --format sarif -o scan.sarif",
     "for GitHub; ends with 1 where something is severe"},
    {"find", "upskill find pdf forms", "what is here, and in your configured sources", true},
    {"find", "upskill find review --source owner/repo", "in one that is not configured"},
    {"pack", "upskill pack pdf", "make pdf.skill of it, to hand on", true},
    {"pack", "upskill pack ./my-skill -o dist/my-skill.skill --dry-run", "what would be in it"},
    {"init", "upskill init my-skill -o ./my-skill", "a skill to begin with", true},
    {"sync enable", "upskill sync enable", "see the plan, then switch sync on", true},
    {"sync enable", "upskill sync enable --dry-run", "only see the plan"},
    {"sync enable",
     "upskill sync enable --agent claude-code --agent codex --yes",
     "sync two agents, without being asked"},
    {"sync enable", "upskill sync enable --project .", "also sync this project's skills"},
    {"sync status", "upskill sync status", "how every copy of every skill stands", true},
    {"sync status", "upskill sync status --check", "end with 1 unless all is in sync"},
    {"sync conflicts", "upskill sync conflicts pdf", "what differs, as a diff"},
    {"sync resolve", "upskill sync resolve pdf loser", "take the other version everywhere"},
    {"sync resolve", "upskill sync resolve pdf restore", "bring back a held deletion"},
    {"sync undo", "upskill sync undo", "take back the newest change"},
    {"sync undo", "upskill sync undo 12", "take back entry 12 of `upskill sync log`"},
    {"list", "upskill list pdf", "skills with this word in name or description", true},
    {"list", "upskill list --agent codex --json", "what Codex sees, for a script"},
    {"validate", "upskill validate ./my-skill", "check a skill before sharing it", true},
    {"generate",
     "upskill generate \"write nvidia kernels\" --from ./trace.md",
     "have a skill made of a session, and keep it if it helps",
     true},
    {"generate",
     "upskill generate \"parse YAML\" -m opus --eval-model \"unsloth/GLM-4.7-Flash-GGUF:Q4_0\" "
     "--eval-base-url http://localhost:8080/v1",
     "one model writes, another is to do better with it"},
    {"generate",
     "upskill generate \"add more error handling\" --from ./skills/my-skill",
     "improve a skill; the version before is kept"},
    {"generate",
     "upskill generate \"write release notes\" --dry-run",
     "who would be asked what, and how often at most"},
    {"propose",
     "upskill generate --propose",
     "draft what comes up again and again in your sessions",
     true},
    {"propose",
     "upskill propose --project . --since 7d --dry-run",
     "what comes up here, without asking a model"},
    {"inbox list", "upskill inbox", "what was drafted and waits for you", true},
    {"inbox accept",
     "upskill inbox accept release-notes -o ~/.claude/skills/release-notes",
     "take it into a folder of an agent's"},
    {"inbox decline", "upskill inbox decline release-notes", "never propose it again"},
    {"eval accept",
     "upskill eval accept pdf -m haiku",
     "hold later versions against this one",
     true},
    {"watch", "upskill watch", "leave it open: verdicts come as you save", true},
    {"watch",
     "upskill watch --json -- run",
     "a JSON line for each change; `--` before a skill that is called as a command is"},
    {"eval changed",
     "upskill eval --changed --base origin/main -m haiku --markdown \"$GITHUB_STEP_SUMMARY\"",
     "in CI: end with 1 where a change made a skill worse"},
    {"eval changed",
     "upskill eval --changed --base HEAD --dry-run",
     "which skills of this work tree would be tested",
     true},
    {"watch status", "upskill watch status", "what changed, and whether it became worse", true},
    {"watch run", "upskill watch run pdf", "test a version that waits for a word"},
    {"watch cancel", "upskill watch cancel pdf", "end a test; what it has learnt stays"},
    {"runs", "upskill runs", "what evaluations have said, as bars"},
    {"runs history",
     "upskill runs --history --skill pdf",
     "every version of a skill, with its verdict and what it cost"},
    {"runs history",
     "upskill runs --history -s pdf --from 3f9a --to accepted",
     "what differs between two of them, with the results of both"},
    {"runs", "upskill runs -d ./runs -s pdf --csv runs.csv", "the runs of a skill, as a table"},
    {"trace import", "upskill trace import", "keep the sessions of every agent here", true},
    {"trace import", "upskill trace import ./trace.md ./sessions/", "keep files of any known form"},
    {"trace list",
     "upskill trace list --project . --since 7d",
     "what was done here this week",
     true},
    {"trace search", "upskill trace search nvcc", "who met this before"},
    {"trace show", "upskill trace show 5d0c7a52", "a session, event by event"},
    {"trace distill",
     "upskill trace distill session.jsonl",
     "what a teacher model needs of it, and what was left out",
     true},
    {"trace export",
     "upskill trace export 5d0c7a52 --format atif -o run.json",
     "hand it to other programs, without secrets"},
    {"trace capture",
     "upskill trace capture on --agent claude-code",
     "follow sessions as they grow"},
    {"trace purge", "upskill trace purge --before 90d", "forget what is old"},
    {"trace allow",
     "upskill trace allow 5d0c7a52 url-password",
     "what this rule found is no secret"},
    {"doctor", "upskill doctor", "what is wrong, and what each agent really lists", true},
    {"mcp",
     "claude mcp add --scope user upskill -- upskill mcp",
     "let Claude Code talk to the daemon"},
    {"hook",
     "upskill hook PostToolUse",
     "as a `command` hook of Claude Code or Codex; it reads the event on stdin (Gemini CLI: "
     "AfterTool)"},
    {"hook", "upskill hook stop --agent cursor", "as a hook of Cursor, told who runs it"},
    {"completion",
     "upskill completion bash > ~/.local/share/bash-completion/completions/upskill",
     "complete commands in bash"},
    {"daemon logs", "upskill daemon logs -f", "watch the daemon's log"},
}};

constexpr std::array<Term, 5> k_exit_codes{
    {{"0", "done; also when conflicts merely exist"},
     {"1",
      "the answer asked for is no: invalid, not better and so not saved, worse than at the base, "
      "severe in a scan, kept out of an installation as dangerous, not in sync, unhealthy or "
      "outdated with --check"},
     {"2", "the words were wrong, or name no skill where a source has several; nothing was done"},
     {"3",
      "could not be done: the daemon, the network or the disk; or not all of it: what an "
      "installation could do is in place"},
     {"130", "interrupted"}}};

constexpr std::array<Term, 7> k_environment{
    {{"HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME",
      "where everything lies; another state folder is another daemon"},
     {"UPSKILL_CONFIG", "path of the configuration"},
     {"UPSKILL_MCP_TOKENS",
      "tokens of MCP servers that skills are installed from: `host:port=TOKEN`, separated by "
      "blanks"},
     {"CI",
      "`true`: every command uses a daemon of its own, as with --private; its state ends with it "
      "unless XDG_STATE_HOME names one"},
     {"NO_COLOR", "when not empty: no colours"},
     {"COLUMNS", "width to draw for where there is no terminal"},
     {"PATH", "where `upskilld` is looked for when it is not beside `upskill`"}}};

constexpr std::array<Term, 7> k_files{
    {{"~/.config/upskill/config.yaml", "configuration"},
     {"~/.config/upskill/credentials",
      "keys of model servers, a line ANTHROPIC_API_KEY=... each; only you may read it (0600)"},
     {"~/.local/state/upskill/", "the daemon's state; run/ holds its lock and socket"},
     {"~/.local/state/upskill/spool/",
      "what hooks of coding agents left for the daemon: which session has something new, never "
      "what"},
     {"~/.local/state/upskill/upskilld.log", "log of a daemon that was started by a command"},
     {"~/.local/share/upskill/setup.json",
      "what `upskill setup` wrote; setup/ has each file as it was before"},
     {"~/.local/share/upskill/", "kept versions, trash and conflicts, readable without us"}}};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

// A word for the value: SKILL for `skill`, PATH for `paths`.
std::string placeholder(const Option& option) {
  if (option.kind == ValueKind::number || option.kind == ValueKind::decimal) {
    return option.position < 0 ? "N" : upper(option.name);
  }
  std::string name = upper(option.field);
  std::ranges::replace(name, '_', '-');
  if (option.many && name.ends_with('S')) {
    name.pop_back();
  }
  return name;
}

} // namespace

std::span<const Group> groups() {
  return k_groups;
}

std::span<const Example> examples() {
  return k_examples;
}

std::span<const Term> exit_codes() {
  return k_exit_codes;
}

std::span<const Term> environment_variables() {
  return k_environment;
}

std::span<const Term> files() {
  return k_files;
}

std::string_view group_of(const Command& command) {
  std::string_view first(command.words);
  first = first.substr(0, first.find(' '));
  for (const Group& group : k_groups) {
    if (has_word(group.words, first)) {
      return group.title;
    }
  }
  return k_rest;
}

std::string usage_of(const Command& command) {
  std::string out = "upskill " + command.words;
  bool named = false;
  for (const Option& option : command.options) {
    if (option.position < 0) {
      named = true;
      out += option.required ? " --" + option.name + " " + placeholder(option) : "";
      continue;
    }
    std::string word = placeholder(option) + (option.many ? "..." : "");
    out += option.required ? " " + word : " [" + word + "]";
  }
  return out + (command.takes_rest || named || command.method != nullptr ? " [OPTIONS]" : "");
}

std::string label_of(const Option& option) {
  std::string out = option.letter == 0 ? "    " : std::string("-") + option.letter + ", ";
  out += "--" + option.name;
  return option.kind == ValueKind::flag ? out : out + " " + placeholder(option);
}

std::string doc_of(const Option& option) {
  std::string out = option.doc;
  if (!option.choices.empty()) {
    bool told = std::all_of(option.choices.begin(), option.choices.end(), [&](const auto& choice) {
      return option.doc.find("`" + choice + "`") != std::string::npos;
    });
    out += told ? "" : " One of " + joined(option.choices) + ".";
  }
  out += option.without_value.empty() ? "" : " Alone it is `" + option.without_value + "`.";
  out += option.also.empty() ? "" : " `--" + option.also + "` is the same.";
  return option.many && option.position < 0 ? out + " May be repeated." : out;
}

std::vector<Option> named_options(const Command& command) {
  std::vector<Option> options;
  for (const Option& option : command.options) {
    if (option.position < 0 || !option.required) {
      options.push_back(option);
    }
  }
  for (const Option& option : global_options_of(command)) {
    options.push_back(option);
  }
  return options;
}

} // namespace upskill::cli
