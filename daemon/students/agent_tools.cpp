#include "daemon/students/agent_tools.h"

#include "daemon/await.h"
#include "daemon/models/wire_json.h"
#include "daemon/runtime/offload.h"
#include "daemon/sandbox/confined_files.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

namespace upskill::students {
namespace {

constexpr std::string_view k_skills = "/skills";
constexpr std::string_view k_document = "SKILL.md";
constexpr std::size_t k_max_read = 1u << 20;     // bytes of a file
constexpr std::size_t k_max_written = 1u << 20;  // bytes of a file
constexpr std::size_t k_max_result = 64u << 10;  // bytes that a tool tells
constexpr std::size_t k_max_printed = 16u << 10; // bytes of a command's output, and of its errors
constexpr std::size_t k_max_listed = 500;        // files
constexpr std::size_t k_telling = 120;           // bytes of a skill's text that tell it was read

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string folder_name(const std::vector<OfferedSkill>& skills, std::size_t number) {
  const std::string& name = skills[number].name;
  bool is_plain = !name.empty() && name.front() != '.' && name.size() <= 255
                  && std::ranges::all_of(name, is_name_character);
  auto has_name = [&](const OfferedSkill& skill) { return skill.name == name; };
  bool is_first = std::ranges::find_if(skills, has_name) - skills.begin()
                  == static_cast<std::ptrdiff_t>(number);
  return is_plain && is_first ? name : "skill-" + std::to_string(number + 1);
}

std::string skill_folder(const std::vector<OfferedSkill>& skills, std::size_t number) {
  return join_path(k_skills, folder_name(skills, number));
}

models::Tool tool(std::string name, std::string description, std::string schema) {
  return {std::move(name), std::move(description), std::move(schema)};
}

// At most so much, and what is said about the rest.
std::string cut(std::string_view text, std::size_t most, std::string_view note) {
  std::string valid = to_valid_utf8(text);
  std::string kept(utf8_prefix(valid, most));
  return kept.size() < valid.size() ? kept + "\n" + std::string(note) : kept;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? "" : text.substr(begin);
}

// Whether a command names something in a folder: more than its name, which may only be listed.
bool names_below(std::string_view command, std::string_view folder) {
  std::string prefix = std::string(folder) + "/";
  for (std::size_t at = command.find(prefix); at != std::string_view::npos;
       at = command.find(prefix, at + 1)) {
    std::size_t next = at + prefix.size();
    if (next < command.size() && is_name_character(command[next])) {
      return true;
    }
  }
  return false;
}

std::string told(const runtime::ChildEnd& end) {
  std::string text = end.timed_out ? "the command did not end in time and was ended"
                                   : "exit code " + std::to_string(end.exit_code.value_or(-1));
  constexpr std::string_view k_note = "[the rest is left out]";
  if (!end.output.empty()) {
    text += "\n" + cut(end.output, k_max_printed, k_note);
    text += end.output_truncated ? "\n" + std::string(k_note) : "";
  }
  if (!end.errors.empty()) {
    text += "\n[stderr]\n" + cut(end.errors, k_max_printed, k_note);
  }
  return text;
}

} // namespace

std::string skill_location(const std::vector<OfferedSkill>& skills, std::size_t number) {
  return join_path(skill_folder(skills, number), k_document);
}

AgentTools::AgentTools(Context context,
                       std::shared_ptr<WorkspaceFolder> workspace,
                       const std::vector<OfferedSkill>& skills)
    : m_context(context)
    , m_workspace(std::move(workspace))
    , m_skills(skills) {}

std::vector<models::Tool> AgentTools::offered() {
  return {
      tool("list_files",
           "Lists the files of a folder and below. A path is relative to /workspace, or absolute.",
           R"({"type":"object","properties":{"path":{"type":"string"}},)"
           R"("additionalProperties":false})"),
      tool("read_file",
           "Reads a text file. A path is relative to /workspace, or absolute.",
           R"({"type":"object","properties":{"path":{"type":"string"}},)"
           R"("required":["path"],"additionalProperties":false})"),
      tool("write_file",
           "Writes a text file, and makes the folders above it. What was there is replaced.",
           R"({"type":"object","properties":{"path":{"type":"string"},)"
           R"("content":{"type":"string"}},"required":["path","content"],)"
           R"("additionalProperties":false})"),
      tool("run",
           "Runs a command line with /bin/sh in /workspace, without network, for a minute at most.",
           R"({"type":"object","properties":{"command":{"type":"string"}},)"
           R"("required":["command"],"additionalProperties":false})")};
}

asio::awaitable<Result<models::ToolResult>> AgentTools::use(models::ToolCall call) {
  models::ToolResult result;
  result.call_id = call.id;
  result.failed = true;
  std::vector<models::Tool> tools = offered();
  auto tool =
      std::ranges::find_if(tools, [&](const models::Tool& one) { return one.name == call.name; });
  if (tool == tools.end()) {
    result.text = "there is no tool " + in_backticks(utf8_prefix(call.name, 100));
    co_return result;
  }
  m_tools_used.insert(call.name);
  nlohmann::json arguments = models::parse_json(call.arguments);
  nlohmann::json schema = models::parse_json(tool->schema);
  std::string problem = arguments.is_object() ? "" : "the arguments must be an object";
  for (const nlohmann::json& name : schema.value("required", nlohmann::json::array())) {
    if (problem.empty() && !arguments.contains(name.get<std::string>())) {
      problem = "the argument `" + name.get<std::string>() + "` is missing";
    }
  }
  for (auto it = arguments.begin(); problem.empty() && it != arguments.end(); ++it) {
    if (!schema["properties"].contains(it.key())) {
      problem = "there is no argument " + in_backticks(utf8_prefix(it.key(), 100));
    } else if (!it->is_string()) {
      problem = "the argument `" + it.key() + "` must be a text";
    }
  }
  if (!problem.empty()) {
    result.text = problem;
    co_return result;
  }
  std::string path = models::text_member(arguments, "path");
  if (call.name == "run") {
    AWAIT(Result<models::ToolResult> done,
          run(std::move(result), models::text_member(arguments, "command")));
    co_return done;
  }
  auto work = [this, &call, &path, &arguments] {
    return call.name == "read_file"    ? read(path)
           : call.name == "write_file" ? write(path, models::text_member(arguments, "content"))
                                       : list(path);
  };
  AWAIT(Result<std::string> said, runtime::offload(m_context.pool, work));
  result.failed = !said.has_value();
  result.text = said ? std::move(*said) : said.error().message;
  co_return result;
}

Result<AgentTools::Place> AgentTools::place_of(std::string_view path) const {
  if (!path.starts_with('/')) {
    return Place{nullptr, std::string(path)};
  }
  std::string plain = normalized_path(path, "/");
  if (is_inside(plain, sandbox::k_workspace)) {
    return Place{nullptr, relative_path(plain, sandbox::k_workspace)};
  }
  for (std::size_t i = 0; i < m_skills.size(); ++i) {
    std::string folder = skill_folder(m_skills, i);
    if (is_inside(plain, folder)) {
      return Place{&m_skills[i], relative_path(plain, folder)};
    }
  }
  return fail(ErrorCode::not_found,
              "there is no " + in_backticks(utf8_prefix(path, 256)) + ", or it is not for you");
}

Result<std::string> AgentTools::read(const std::string& path) {
  TRY_ASSIGN(Place place, place_of(path));
  UniqueFd folder;
  if (place.skill != nullptr) {
    folder.reset(::open(place.skill->folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) {
      return fail(system_error(errno, in_backticks(path)));
    }
  }
  int below = place.skill != nullptr ? folder.get() : m_workspace->fd();
  TRY_ASSIGN(std::string text, sandbox::read_confined(below, place.path, k_max_read));
  if (place.skill != nullptr && place.path == k_document) {
    m_skills_used.insert(place.skill->name);
  }
  return cut(text, k_max_result, "[the rest of the file is left out]");
}

Result<std::string> AgentTools::write(const std::string& path, const std::string& content) {
  TRY_ASSIGN(Place place, place_of(path));
  if (place.skill != nullptr) {
    return fail(ErrorCode::refused, in_backticks(path) + " can only be read");
  }
  if (content.size() > k_max_written) {
    return fail(ErrorCode::too_large, "a file may have 1 MiB");
  }
  TRY(sandbox::write_confined(m_workspace->fd(), place.path, content));
  return "written: " + std::to_string(content.size()) + " bytes";
}

Result<std::string> AgentTools::list(const std::string& path) {
  if (!m_skills.empty() && path.starts_with('/') && normalized_path(path, "/") == k_skills) {
    std::string names;
    for (std::size_t i = 0; i < m_skills.size(); ++i) {
      names += folder_name(m_skills, i) + "/\n";
    }
    return names;
  }
  TRY_ASSIGN(Place place, place_of(path));
  UniqueFd folder;
  if (place.skill != nullptr) {
    folder.reset(::open(place.skill->folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  int below = place.skill != nullptr ? folder.get() : m_workspace->fd();
  TRY_ASSIGN(sandbox::ConfinedList found, sandbox::list_confined(below, place.path, k_max_listed));
  std::string text;
  for (const sandbox::ConfinedEntry& entry : found.entries) {
    text += entry.path + (entry.kind == 'd' ? "/" : entry.kind == 'l' ? " (a link)" : "") + "\n";
  }
  text += found.complete ? "" : "[there are more]\n";
  return cut(text.empty() ? "[no files]\n" : text, k_max_result, "[there are more]");
}

asio::awaitable<Result<models::ToolResult>> AgentTools::run(models::ToolResult result,
                                                            std::string command) {
  sandbox::Enclosed enclosed;
  enclosed.program.argv = {"/bin/sh", "-c", command};
  enclosed.program.limit = m_context.run_limit;
  enclosed.program.max_output = k_max_printed;
  enclosed.program.max_errors = k_max_printed;
  enclosed.workspace = m_workspace->folder();
  for (std::size_t i = 0; i < m_skills.size(); ++i) {
    enclosed.read_only.push_back({m_skills[i].folder, skill_folder(m_skills, i)});
  }
  AWAIT(Result<runtime::ChildEnd> end, m_context.sandbox.run(std::move(enclosed)));
  if (!end) {
    // The model's doing: a command with zero bytes, or longer than the system takes.
    ErrorCode code = end.error().code;
    if (code != ErrorCode::invalid_argument && code != ErrorCode::too_large) {
      co_return fail(std::move(end).error());
    }
    result.text = end.error().message;
    co_return result;
  }
  note_skills(command, end->output);
  result.failed = !end->is_success();
  result.text = told(*end);
  co_return result;
}

// A command that prints a skill's text has read it, however it got there; one that names a file of
// the skill's has used it.
void AgentTools::note_skills(const std::string& command, const std::string& output) {
  for (std::size_t i = 0; i < m_skills.size(); ++i) {
    std::string_view telling = trimmed(m_skills[i].body).substr(0, k_telling);
    if (names_below(command, skill_folder(m_skills, i))
        || (!telling.empty() && output.find(telling) != std::string::npos)) {
      m_skills_used.insert(m_skills[i].name);
    }
  }
}

} // namespace upskill::students
