#pragma once
#include "daemon/fetch/fetcher.h"
#include "protocol/base/result.h"
#include "skills/install/discover.h"

#include <string>
#include <string_view>

// What lies in a folder, as skills that are offered. All of it blocks.
namespace upskill::fetch {

// The skills below `folder` / `source.folder` of the offer. Errors: not_found where there is none.
Result<void> find_skills(Offer& offer,
                         const std::string& folder,
                         std::string_view base_name,
                         install::Depth depth);

// A file of this machine or one that was fetched, unpacked into the offer's folder, and the skills
// in it. `name`: what it is called, for a skill that has no name itself.
Result<void>
find_in_archive(Offer& offer, const std::string& file, std::string_view name, install::Depth depth);

// The same for a SKILL.md that is alone. Errors: corrupt for what is none.
Result<void>
find_in_document(Offer& offer, std::string_view bytes, std::string_view name, install::Depth depth);

inline constexpr std::size_t k_most_document = 1u << 20; // bytes

// Where in an unpacked archive its content begins: in the only folder, where there is only one.
std::string content_of(const std::string& unpacked);

// Corrupt unless it may be a SKILL.md: text, and no web page.
Result<void> check_document(std::string_view bytes, std::string_view where);

// The name of a file without what says that it is an archive or a document.
std::string name_of_file(std::string_view path);

// Has what was fetched removed on the pool where the offer comes to nothing: a repository may have
// 100,000 files, for which the loop must not stand still. Owner: the coroutine that makes the
// offer, declared after it. Thread: that of its executor.
class RemovedUnlessOffered {
public:
  RemovedUnlessOffered(Offer& offer, runtime::Pool::Share pool)
      : m_offer(offer)
      , m_pool(pool) {}

  RemovedUnlessOffered(const RemovedUnlessOffered&) = delete;
  RemovedUnlessOffered& operator=(const RemovedUnlessOffered&) = delete;
  ~RemovedUnlessOffered();

private:
  Offer& m_offer;
  runtime::Pool::Share m_pool;
};

// The folder of what was fetched, made below `scratch` at the first time.
Result<std::string> folder_of(Offer& offer, const std::string& scratch);

} // namespace upskill::fetch
