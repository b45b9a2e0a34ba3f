#include "daemon/handlers/generate_request.h"

#include "daemon/evals/fixtures.h"
#include "daemon/handlers/generate_tools.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/sandbox/skill_copy.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/eval/cases.h"
#include "skills/eval/grade.h"
#include "skills/generate/draft_name.h"
#include "skills/generate/kept_fields.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_script = 8u << 20; // bytes

tl::unexpected<Error> wrong(std::string_view field, std::string_view what, std::string hint = {}) {
  return fail(ErrorCode::invalid_argument,
              "params." + std::string(field) + ": " + std::string(what),
              std::move(hint));
}

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_empty_folder(const std::string& path) {
  UniqueFd folder = library::open_folder(AT_FDCWD, path.c_str());
  bool is_empty = true;
  int problem = folder ? library::for_each_name(
                    folder.get(), [&](const library::FolderEntry&) { return is_empty = false; })
                       : ENOENT;
  return problem == 0 && is_empty;
}

bool is_something(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

// A text file of a skill, as far as a teacher may see it.
std::optional<std::string> read_text(int skill, const std::string& path, std::int64_t size) {
  if (size > static_cast<std::int64_t>(generate::k_max_draft_file)) {
    return std::nullopt;
  }
  Result<FilePart> part = read_part(skill, path, 0, generate::k_max_draft_file);
  return part && utf8_valid_prefix(part->bytes) == part->bytes.size()
             ? std::optional(std::move(part->bytes))
             : std::nullopt;
}

// What a teacher improves: not what the skill is graded by, and no pictures.
Result<generate::Draft> current_of(const SkillPlace& place, int skill) {
  std::string name = document_name(skill);
  if (name.empty()) {
    return fail(ErrorCode::not_found,
                "`" + place.folder + "` has no `SKILL.md`",
                "`--from` takes the folder of a skill, or the file or id of a session");
  }
  TRY_ASSIGN(FilePart part, read_part(skill, name, 0, k_max_skill_file));
  document::Document document = document::read_document(part.bytes);
  generate::Draft draft;
  draft.name = place.name;
  draft.description = to_valid_utf8(document.description);
  draft.body = to_valid_utf8(document.parts.body);
  draft.front_matter = generate::kept_fields(document.parts.yaml);
  for (const SkillFile& file : list_files(skill).files) {
    bool is_part = file.path.starts_with("references/") || file.path.starts_with("scripts/");
    if (!is_part || draft.files.size() >= generate::k_most_draft_files) {
      continue;
    }
    if (std::optional<std::string> text = read_text(skill, file.path, file.size)) {
      draft.files.emplace(file.path,
                          generate::DraftFile{std::move(*text), file.path.starts_with("scripts/")});
    }
  }
  return draft;
}

// Its own cases hold it to what it can do already; those that nobody here can grade are left out.
Result<eval::CaseSuite>
own_cases_of(int skill, bool has_judge, std::vector<std::string>& warnings) {
  auto read = [skill](std::string_view path) -> Result<std::optional<std::string>> {
    Result<FilePart> part = read_part(skill, std::string(path), 0, eval::k_max_test_file + 1);
    if (part) {
      return std::move(part->bytes);
    }
    if (part.error().code == ErrorCode::not_found) {
      return std::nullopt;
    }
    return fail(std::move(part).error());
  };
  Result<eval::FoundCases> found = eval::find_cases(eval::CaseUse::answers, read);
  if (!found) {
    if (found.error().code == ErrorCode::not_found) {
      return eval::CaseSuite();
    }
    return fail(std::move(found).error());
  }
  std::size_t before = found->suite.cases.size();
  std::erase_if(found->suite.cases, [&](const eval::Case& one) {
    return one.checks.empty() || (!has_judge && !eval::external_needs(one).opinions.empty());
  });
  if (std::size_t left = before - found->suite.cases.size(); left > 0) {
    warnings.push_back(std::to_string(left)
                       + " of the skill's own cases need a judge, and are not asked");
  }
  TRY(evals::read_fixtures(skill, found->suite));
  return std::move(found->suite);
}

Result<Digest> hash_of(const std::string& folder) {
  UniqueFd parent = library::open_folder(AT_FDCWD, parent_path(folder).c_str());
  if (!parent) {
    return fail(ErrorCode::not_found, "there is no folder `" + parent_path(folder) + "`");
  }
  sync::ReadResult read = sync::read_skill(parent.get(), std::string(base_name(folder)), {});
  if (read.stat.presence != sync::Presence::copy) {
    return fail(ErrorCode::unsupported,
                "`" + folder + "` cannot be read as a whole"
                    + (read.stat.problem.empty() ? "" : ": " + read.stat.problem));
  }
  return read.tree.hash();
}

Result<void> read_improved(GenerateRequest& request,
                           SkillPlace place,
                           const GenerateParams& params,
                           bool is_person) {
  if (request.improved) {
    return wrong("from", "more than one skill", "one skill is improved at a time");
  }
  if (!is_person && (params.no_eval || params.keep_anyway)) {
    return fail(ErrorCode::refused,
                "params.from: without a proof only a person may replace a skill",
                "leave out `no_eval` and `keep_anyway`, or leave out the skill: a new one waits in "
                "the inbox for a person");
  }
  TRY_ASSIGN(UniqueFd folder, open_skill(place));
  ImprovedSkill improved;
  improved.folder = real_path(place.folder); // a link may be called otherwise
  TRY_ASSIGN(improved.hash, hash_of(improved.folder));
  TRY_ASSIGN(improved.current, current_of(place, folder.get()));
  TRY_ASSIGN(improved.own_cases,
             own_cases_of(folder.get(), !params.judge_model.empty(), request.warnings));
  improved.old = {improved.current.name, improved.current.description, improved.current.body, {}};
  if (params.student == "agent") {
    TRY_ASSIGN(sandbox::PrivateFolder into, sandbox::PrivateFolder::make());
    TRY_ASSIGN(improved.old.folder, sandbox::copy_skill(folder.get(), into, improved.old.name));
    request.copies.push_back(std::move(into));
  }
  request.improved = std::move(improved);
  return {};
}

// A folder or a name of a skill is improved, all else is a session.
Result<void> sort_out(GenerateRequest& request,
                      const Catalogue& catalogue,
                      const GenerateParams& params,
                      const Asker& asker) {
  for (const std::string& from : params.from) {
    std::string path = normalized_path(from, asker.cwd.empty() ? "/" : asker.cwd);
    bool is_path = asker.is_person && (is_folder(path) || is_file(path));
    if (is_path && is_file(path) && base_name(path) != "SKILL.md") {
      request.sessions.push_back(path);
      continue;
    }
    Result<SkillPlace> place = asker.is_person ? find_skill_anywhere(catalogue, from, asker.cwd)
                                               : find_skill(catalogue, from, asker.cwd);
    if (place) {
      TRY(read_improved(request, std::move(*place), params, asker.is_person));
    } else if (is_path || place.error().code != ErrorCode::not_found) {
      return fail(std::move(place).error());
    } else if (!asker.is_person && from.find('/') != std::string::npos) {
      return fail(ErrorCode::refused,
                  "params.from: only a person may name a file",
                  "a session by its id, or `last`; trace_list has them");
    } else {
      request.sessions.push_back(from);
    }
  }
  return {};
}

Result<void>
read_scripts(GenerateRequest& request, const GenerateParams& params, const Asker& asker) {
  std::vector<std::string> named = params.eval_model;
  named.insert(named.end(),
               {params.model, params.test_gen_model, params.counterexamples, params.judge_model});
  for (const std::string& model : named) {
    if (!is_scripted(model) || request.scripts.contains(model)) {
      continue;
    }
    std::string path = model.substr(k_scripted.size());
    TRY_ASSIGN(std::string text, read_file(normalized_path(path, asker.cwd), k_max_script));
    TRY_ASSIGN(models::Script script, models::read_script(text, path));
    request.scripts.emplace(model, NamedScript{std::move(script), std::move(text)});
  }
  return {};
}

// An agent's new skill goes where agents look for skills, or nowhere: the words may be another's.
bool is_known_root(const Catalogue& catalogue, const std::string& folder) {
  std::string real = real_path(folder);
  for (std::uint32_t i = 0; i < catalogue.size() && !real.empty(); ++i) {
    Result<SkillPlace> place = place_of(catalogue, i);
    if (place && place->real_parent == real) {
      return true;
    }
  }
  return false;
}

// Whether a folder can be written there, as far as it shows before anything is paid for.
Result<void> check_place(const std::string& path) {
  std::string nearest = parent_path(path);
  while (!is_something(nearest)) {
    nearest = parent_path(nearest);
  }
  if (!is_folder(nearest)) {
    return fail(ErrorCode::not_found,
                "`" + nearest + "` is no folder, and the skill is to be saved in it",
                "name another folder with `--output`");
  }
  if (::access(nearest.c_str(), W_OK | X_OK) != 0) {
    return fail(ErrorCode::permission,
                "cannot write to `" + nearest + "`, where the skill is to be saved",
                "name another folder with `--output`");
  }
  return {};
}

// A new skill is called by the name of its folder: another name is none that every agent reads.
Result<void> check_new_folder(const std::string& path) {
  if (is_something(path) && !is_empty_folder(path)) {
    return fail(ErrorCode::already_exists,
                "`" + path + "` is there already",
                is_file(join_path(path, "SKILL.md"))
                    ? "`--from` it to improve that skill, or name another folder"
                    : "`--output` is the skill's own folder: name one that is not there yet");
  }
  if (!generate::is_skill_name(base_name(path))) {
    return wrong("output",
                 "`" + std::string(base_name(path)) + "` cannot be the name of a skill",
                 "its own folder has its name: at most 64 of a-z, 0-9 and single hyphens");
  }
  return {};
}

Result<void> settle_output(GenerateRequest& request,
                           const Catalogue& catalogue,
                           const GenerateParams& params,
                           const FoundConfig& config,
                           const Asker& asker) {
  request.folder = config.skills_dir;
  if (params.output.empty()) {
    request.output = request.improved ? request.improved->folder : std::string();
    bool is_for_inbox = !asker.is_person && request.output.empty();
    return is_for_inbox ? Result<void>()
                        : check_place(request.output.empty() ? join_path(request.folder, "new")
                                                             : request.output);
  }
  if (asker.cwd.empty() && !params.output.starts_with('/')) {
    return wrong("output", "must be an absolute path");
  }
  std::string path = normalized_path(params.output, asker.cwd);
  std::string real = real_path(path);
  if (request.improved && real == request.improved->folder) {
    request.output = real;
    return check_place(real);
  }
  TRY(check_new_folder(path));
  if (!asker.is_person && !is_known_root(catalogue, parent_path(path))) {
    return fail(ErrorCode::refused,
                "params.output: no agent looks for skills in `" + parent_path(path) + "`",
                "leave it out: the skill then waits in the inbox for a person");
  }
  request.output = path;
  return check_place(path);
}

} // namespace

Result<GenerateRequest> read_request(const Catalogue& catalogue,
                                     const GenerateParams& params,
                                     const FoundConfig& config,
                                     const Asker& asker) {
  GenerateRequest request;
  request.brief.task = to_valid_utf8(params.task);
  for (const std::string& example : params.example) {
    request.brief.examples.push_back(to_valid_utf8(example));
  }
  for (const std::string& tool : params.tool) {
    TRY_ASSIGN(std::vector<generate::ToolSchema> schemas, read_tools(tool, asker.cwd));
    std::ranges::move(schemas, std::back_inserter(request.brief.tools));
  }
  TRY(read_scripts(request, params, asker));
  TRY(sort_out(request, catalogue, params, asker));
  TRY(settle_output(request, catalogue, params, config, asker));
  for (std::uint32_t i = 0; i < catalogue.size(); ++i) {
    request.names.emplace(catalogue.name(catalogue.row(i)));
  }
  return request;
}

} // namespace upskill::daemon
