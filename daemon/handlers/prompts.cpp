#include "daemon/handlers/prompts.h"

#include "daemon/await.h"
#include "daemon/handlers/matches.h"
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

Result<ReviewArguments> review_arguments(const std::string& text) {
  Result<ReviewArguments> arguments = ReviewArguments();
  rpc::JsonParser parser;
  TRY(parser.read(text, "params.arguments", [&](JsonReader& reader) {
    arguments = decode<ReviewArguments>(reader, "params.arguments");
  }));
  if (arguments && arguments->skill.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.arguments.skill: is empty",
                "give the name of a skill, or the path of its folder");
  }
  return arguments;
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
  if (prompt != k_review_skill) {
    co_return fail(ErrorCode::not_found, "there is no prompt `" + prompt + "`");
  }
  CO_TRY_ASSIGN(ReviewArguments asked, review_arguments(arguments));
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto write = [&]() -> Result<mcp::PromptMessages> {
    TRY_ASSIGN(ReviewSubject subject, subject_of(**catalogue, asked.skill, context.caller.cwd));
    mcp::PromptMessages messages;
    messages.description = "Review of the skill `" + subject.skill + "`";
    messages.contents.push_back(mcp::text_block(review_request(subject, asked.focus)));
    return messages;
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
  if (prompt != k_review_skill) {
    co_return mcp::Completion();
  }
  if (argument == "focus") {
    co_return focuses_like(value);
  }
  if (argument != "skill") {
    co_return mcp::Completion();
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto look = [&] { return skills_like(**catalogue, value); };
  AWAIT(mcp::Completion names, runtime::offload(m_library.pool(context), std::move(look)));
  co_return names;
}

} // namespace upskill::daemon
