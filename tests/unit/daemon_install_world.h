#pragma once
#include "daemon/handlers/install.h"
#include "daemon/install/record_file.h"
#include "tests/support/skills_world.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace upskill::tests {

using namespace upskill::daemon;

// A home with agents, sources in folders of it, and the methods of installing. Nothing is
// synchronised unless a test switches it on.
struct InstallWorld {
  SkillsWorld skills;
  models::Http http;
  daemon::InstallDesk desk;
  Binder binder;
  RequestContext context = {};

  InstallWorld()
      : http(skills.service().context().io.get_executor())
      , desk(skills.service(), http)
      , binder(skills.service().context().log) {
    bind_install_handlers(binder, skills.library(), desk);
    context.caller.cwd = skills.home();
  }

  ~InstallWorld() { desk.stop(); }

  std::string operator/(std::string_view path) const { return skills / path; }

  // A skill of a source: `source/demo` and its like.
  void offer(std::string_view path,
             std::string_view body = "# Demo\n",
             std::string_view description = "Shows how it is done.") {
    std::string name = std::filesystem::path(path).filename();
    skills.file(std::string(path) + "/SKILL.md",
                "---\nname: " + name + "\ndescription: " + std::string(description) + "\n---\n"
                    + std::string(body));
  }

  template <class P, class R> Result<mcp::Answer> ask(const Method<P, R>& method, const P& params) {
    const MethodInfo* info = find_method(method.name);
    REQUIRE(info != nullptr);
    return skills.run(binder.call_slow(*info, encode(params), RequestContext(context)));
  }

  template <class P, class R> Result<R> call(const Method<P, R>& method, const P& params) {
    Result<mcp::Answer> answer = ask(method, params);
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    REQUIRE(std::holds_alternative<mcp::ToolAnswer>(*answer));
    rpc::JsonParser parser;
    Result<R> result =
        rpc::decode_arguments<R>(parser, std::get<mcp::ToolAnswer>(*answer).structured);
    REQUIRE(result);
    return result;
  }

  Result<InstallResult> install(const std::string& source) {
    InstallParams params;
    params.source = source;
    return call(k_skill_install, params);
  }

  // The one skill of it, in that state.
  InstalledSkill installed(const std::string& source) {
    Result<InstallResult> result = install(source);
    REQUIRE_MESSAGE(result, result.error().message);
    REQUIRE(result->skills.size() == 1);
    return result->skills.front();
  }

  Result<UpdateResult> update(const UpdateParams& params = {}) {
    return call(k_skill_update, params);
  }

  // The one skill that an update tells of.
  UpdatedSkill updated(const UpdateParams& params = {}) {
    Result<UpdateResult> result = update(params);
    REQUIRE_MESSAGE(result, result.error().message);
    REQUIRE(result->skills.size() == 1);
    return result->skills.front();
  }

  std::optional<install::InstallRow> row(const std::string& skill, const std::string& scope = {}) {
    KnownFiles known;
    Result<RecordNow> record = RecordFile(skills.service().context().places, known).read();
    REQUIRE(record);
    const install::InstallRow* found = (*record)->find(scope, skill);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  std::string text(std::string_view path) const {
    return read_file(skills / path, 1u << 20).value_or("nothing");
  }

  bool has(std::string_view path) const { return std::filesystem::exists(skills / path); }
};

inline bool has_word(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

} // namespace upskill::tests
