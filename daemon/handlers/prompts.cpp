#include "daemon/handlers/prompts.h"

#include "daemon/await.h"
#include "daemon/handlers/matches.h"
#include "daemon/handlers/prompts_generate.h"
#include "daemon/handlers/prompts_review.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/bounds.h"
#include "protocol/prompts.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/document/inspect.h"

#include <fcntl.h>

#include <utility>

namespace upskill::daemon {
namespace {

struct ReviewArguments {
  static constexpr bool k_lenient = true;
  std::string skill = {};
  std::string focus = {};

  static void describe(auto& f) {
    f.required(&ReviewArguments::skill, "skill", "");
    f.optional(&ReviewArguments::focus, "focus", "");
  }
};

struct ImproveArguments {
  static constexpr bool k_lenient = true;
  std::string skill = {};
  std::string what = {};

  static void describe(auto& f) {
    f.required(&ImproveArguments::skill, "skill", "");
    f.optional(&ImproveArguments::what, "what", "");
  }
};

struct MakeArguments {
  static constexpr bool k_lenient = true;
  std::string task = {};
  std::string session = {};

  static void describe(auto& f) {
    f.optional(&MakeArguments::task, "task", "");
    f.optional(&MakeArguments::session, "session", "");
  }
};

template <class T> Result<T> read_arguments(const std::string& text) {
  Result<T> arguments = T();
  rpc::JsonParser parser;
  TRY(parser.read(text, "params.arguments", [&](JsonReader& reader) {
    arguments = decode<T>(reader, "params.arguments");
  }));
  return arguments;
}

Result<void> check_named(const std::string& skill) {
  if (skill.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.arguments.skill: is empty",
                "give the name of a skill, or the path of its folder");
  }
  return {};
}

mcp::PromptMessages one_message(std::string description, const std::string& text) {
  mcp::PromptMessages messages;
  messages.description = std::move(description);
  messages.contents.push_back(mcp::text_block(text));
  return messages;
}

Result<ReviewSubject>
subject_of(const Catalogue& catalogue, const std::string& asked, const std::string& cwd) {
  TRY_ASSIGN(SkillPlace place, find_skill_anywhere(catalogue, asked, cwd));
  TRY_ASSIGN(UniqueFd folder, open_skill(place));
  ReviewSubject subject{place.name, place.folder, document_name(folder.get())};
  if (subject.document.empty()) {
    return fail(ErrorCode::not_found, "`" + place.folder + "` has no `SKILL.md`");
  }
  // All of it is judged, though only its beginning is shown.
  TRY_ASSIGN(FilePart part, read_part(folder.get(), subject.document, 0, k_max_skill_file));
  FileList files = list_files(folder.get());
  document::SkillFolder about;
  about.name = place.name;
  about.files = files.files.size();
  about.bytes = files.bytes;
  about.exists = [&folder](std::string_view path) {
    return open_inside(folder.get(), std::string(path), O_PATH).has_value();
  };
  subject.findings = document::inspect(part.bytes, about);
  subject.text = std::move(part.bytes);
  subject.size = part.size;
  subject.files = std::move(files.files);
  subject.all_files = files.complete;
  return subject;
}

mcp::Completion skills_like(const Catalogue& catalogue, const std::string& value) {
  Matches matches(value);
  std::string_view before;
  for (std::uint32_t i = 0; i < catalogue.size(); ++i) {
    std::string_view name = catalogue.name(catalogue.row(i));
    if (i == 0 || name != before) { // of several scopes, once
      matches.offer(name);
    }
    before = name;
  }
  return std::move(matches).finish();
}

mcp::Completion focuses_like(const std::string& value) {
  Matches matches(value);
  for (std::string_view focus : review_focuses()) {
    matches.offer(focus);
  }
  return std::move(matches).finish();
}

} // namespace

std::vector<mcp::Prompt> SkillPrompts::prompts() const {
  std::vector<mcp::Prompt> prompts;
  for (const PromptInfo& info : k_prompts) {
    mcp::Prompt& prompt = prompts.emplace_back();
    prompt.name = info.name;
    prompt.title = info.title;
    prompt.description = info.description;
    for (const PromptArgumentInfo& argument : info.arguments) {
      prompt.arguments.push_back({std::string(argument.name),
                                  std::string(argument.title),
                                  std::string(argument.description),
                                  argument.required});
    }
  }
  return prompts;
}

asio::awaitable<Result<mcp::Answer>>
SkillPrompts::get(std::string prompt, std::string arguments, RequestContext context) {
  if (prompt == k_make_skill) {
    CO_TRY_ASSIGN(MakeArguments asked, read_arguments<MakeArguments>(arguments));
    co_return mcp::Answer(
        one_message("A skill from a session", make_request(asked.task, asked.session)));
  }
  if (prompt == k_improve_skill) {
    AWAIT(Result<mcp::Answer> answer, improve(std::move(arguments), std::move(context)));
    co_return answer;
  }
  if (prompt != k_review_skill) {
    co_return fail(ErrorCode::not_found, "there is no prompt `" + prompt + "`");
  }
  CO_TRY_ASSIGN(ReviewArguments asked, read_arguments<ReviewArguments>(arguments));
  CO_TRY(check_named(asked.skill));
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto write = [&]() -> Result<mcp::PromptMessages> {
    TRY_ASSIGN(ReviewSubject subject, subject_of(**catalogue, asked.skill, context.caller.cwd));
    return one_message("Review of the skill `" + subject.skill + "`",
                       review_request(subject, asked.focus));
  };
  AWAIT(Result<mcp::PromptMessages> messages,
        runtime::offload(m_library.pool(context), std::move(write)));
  CO_TRY(messages);
  co_return mcp::Answer(std::move(*messages));
}

asio::awaitable<Result<mcp::Answer>> SkillPrompts::improve(std::string arguments,
                                                           RequestContext context) {
  CO_TRY_ASSIGN(ImproveArguments asked, read_arguments<ImproveArguments>(arguments));
  CO_TRY(check_named(asked.skill));
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto write = [&]() -> Result<mcp::PromptMessages> {
    TRY_ASSIGN(SkillPlace place, find_skill_anywhere(**catalogue, asked.skill, context.caller.cwd));
    return one_message("Improving the skill `" + place.name + "`",
                       improve_request(place.name, place.folder, asked.what));
  };
  AWAIT(Result<mcp::PromptMessages> messages,
        runtime::offload(m_library.pool(context), std::move(write)));
  CO_TRY(messages);
  co_return mcp::Answer(std::move(*messages));
}

asio::awaitable<Result<mcp::Completion>> SkillPrompts::complete(std::string prompt,
                                                                std::string argument,
                                                                std::string value,
                                                                std::string,
                                                                RequestContext context) {
  if (prompt == k_review_skill && argument == "focus") {
    co_return focuses_like(value);
  }
  if ((prompt != k_review_skill && prompt != k_improve_skill) || argument != "skill") {
    co_return mcp::Completion();
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto look = [&] { return skills_like(**catalogue, value); };
  AWAIT(mcp::Completion names, runtime::offload(m_library.pool(context), std::move(look)));
  co_return names;
}

} // namespace upskill::daemon
