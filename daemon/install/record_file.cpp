#include "daemon/install/record_file.h"

#include "daemon/install/file_lock.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 16u << 20; // as InstallRecord takes it

} // namespace

Result<RecordNow> RecordFile::read() const {
  const std::optional<FileMark> mark = FileMark::of(m_path);
  if (auto known = m_known.record(m_path, mark)) {
    return known;
  }
  Result<std::string> text = read_file(m_path, k_most_bytes);
  if (!text && text.error().code == ErrorCode::not_found) {
    return std::make_shared<const install::InstallRecord>();
  }
  TRY(text);
  Result<install::InstallRecord> record = install::InstallRecord::parse(*text);
  if (!record) {
    Error error = std::move(record).error();
    error.message = in_backticks(m_path) + ": " + error.message;
    error.hint = "put it right, or move it away: then upskill knows of nothing that was installed";
    return fail(std::move(error));
  }
  RecordNow now = std::make_shared<const install::InstallRecord>(std::move(*record));
  if (mark == FileMark::of(m_path)) {
    m_known.keep(m_path, mark, now);
  }
  return now;
}

Result<RecordNow>
RecordFile::change(const std::function<void(install::InstallRecord& record)>& work) const {
  TRY_ASSIGN(FileLock lock, FileLock::take(m_path));
  TRY_ASSIGN(RecordNow before, read());
  auto record = std::make_shared<install::InstallRecord>(*before);
  work(*record);
  if (*record == *before) {
    return before;
  }
  TRY_ASSIGN(std::string text, record->checked_text());
  TRY(write_file_atomically(m_path, text, 0600));
  return RecordNow(std::move(record));
}

std::set<Digest> bases_of(const install::InstallRecord& record) {
  std::set<Digest> bases;
  for (const auto& [key, row] : record.rows()) {
    bases.insert(row.base);
    if (row.held) {
      bases.insert(*row.held);
    }
  }
  for (const auto& [key, removed] : record.removed()) {
    bases.insert(removed.row.base);
  }
  return bases;
}

} // namespace upskill::daemon
