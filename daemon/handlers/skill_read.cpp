#include "daemon/await.h"
#include "daemon/handlers/nearest_words.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_max_part = 1 << 20; // bytes
constexpr std::size_t k_longest_code_point = 4;
constexpr std::size_t k_listed_files = 8'000; // bytes of JSON of the files in one answer

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Cuts a part that was read with some bytes to spare on both sides so that no code point is cut:
// from `wanted` on, or up to three bytes before it, at most `limit` bytes unless one code point
// alone takes more.
void cut_at_code_points(FilePart& part, std::int64_t wanted, std::size_t limit) {
  auto begin = static_cast<std::size_t>(wanted - part.offset);
  begin = std::min(begin, part.bytes.size());
  std::size_t start = begin;
  while (start > 0 && start < part.bytes.size() && is_continuation(part.bytes[start])
         && begin - start < k_longest_code_point - 1) {
    --start;
  }
  if (start < part.bytes.size() && is_continuation(part.bytes[start])) {
    start = begin; // no text there: nothing to be kept whole
  }
  part.bytes.erase(0, start);
  part.offset += static_cast<std::int64_t>(start);
  if (part.bytes.size() <= limit) {
    return;
  }
  std::size_t end = utf8_prefix(part.bytes, limit).size();
  if (end == 0) {
    end = 1;
    while (end < part.bytes.size() && end < k_longest_code_point
           && is_continuation(part.bytes[end])) {
      ++end;
    }
  }
  part.bytes.resize(end);
}

tl::unexpected<Error>
missing_file(const SkillPlace& place, const std::string& file, const FileList& files) {
  std::vector<std::string_view> names;
  for (const SkillFile& one : files.files) {
    names.push_back(one.path);
  }
  std::string hint;
  for (const std::string& near : nearest_words(file, names, 3)) {
    hint += (hint.empty() ? "did you mean `" : "` or `") + near;
  }
  return fail(ErrorCode::not_found,
              "skill `" + place.name + "` has no file `" + to_valid_utf8(utf8_prefix(file, 256))
                  + "`",
              hint.empty() ? "reading the skill without `file` lists its files" : hint + "`?");
}

// Those after `after`, as many as go into one answer.
void add_files(SkillReadResult& result, std::vector<SkillFile> files, const std::string& after) {
  std::erase_if(files, [&](const SkillFile& file) { return file.path <= after; });
  if (std::size_t more = keep_fitting(files, k_listed_files); more > 0) {
    result.more_files = static_cast<std::int64_t>(more);
  }
  result.files = std::move(files);
}

Result<SkillReadResult>
read(const Catalogue& catalogue, const SkillReadParams& params, const std::string& cwd) {
  TRY_ASSIGN(SkillPlace place, find_skill(catalogue, params.skill, cwd));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  SkillReadResult result;
  result.skill = place.name;
  result.folder = place.folder;
  result.file = params.file;
  bool is_document = params.file.empty() || params.file == "SKILL.md" || params.file == "skill.md";
  if (is_document) {
    result.file = document_name(skill.get());
    if (result.file.empty()) {
      return fail(ErrorCode::not_found, "skill `" + place.name + "` has no `SKILL.md`");
    }
  }
  auto limit = static_cast<std::size_t>(params.limit);
  std::int64_t from = std::max<std::int64_t>(params.offset - 3, 0);
  std::size_t room = limit + static_cast<std::size_t>(params.offset - from) + k_longest_code_point;
  Result<FilePart> part = read_part(skill.get(), result.file, from, room);
  if (!part && part.error().code == ErrorCode::not_found) {
    return missing_file(place, params.file, list_files(skill.get()));
  }
  TRY(part);
  if (!is_document && part->bytes.find('\0') != std::string::npos) {
    return fail(ErrorCode::unsupported,
                "`" + result.file + "` of skill `" + place.name + "` is not text",
                "it lies in `" + join_path(place.folder, result.file) + "`");
  }
  if (!params.files_after.empty()) {
    result.size = part->size;
    add_files(result, list_files(skill.get()).files, params.files_after);
    return result;
  }
  cut_at_code_points(*part, params.offset, limit);
  std::int64_t end = part->offset + static_cast<std::int64_t>(part->bytes.size());
  result.text = to_valid_utf8(part->bytes);
  result.size = part->size;
  if (end < part->size && !part->bytes.empty()) {
    result.next_offset = end;
  }
  if (is_document && params.offset == 0) {
    add_files(result, list_files(skill.get()).files, {});
  }
  return result;
}

} // namespace

Awaitable<SkillReadResult>
read_skill_file(SkillLibrary& library, SkillReadParams params, RequestContext context) {
  if (params.limit < 1 || params.limit > k_max_part) {
    co_return fail(ErrorCode::invalid_argument, "params.limit: must be from 1 to 1048576");
  }
  if (params.offset < 0) {
    co_return fail(ErrorCode::invalid_argument, "params.offset: is negative");
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto job = [&] { return read(**catalogue, params, context.caller.cwd); };
  AWAIT(Result<SkillReadResult> result, runtime::offload(library.pool(context), std::move(job)));
  co_return result;
}

} // namespace upskill::daemon
