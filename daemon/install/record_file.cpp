#include "daemon/install/record_file.h"

#include "daemon/install/file_lock.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 16u << 20; // as InstallRecord takes it

} // namespace

Result<install::InstallRecord> RecordFile::read() const {
  Result<std::string> text = read_file(m_path, k_most_bytes);
  if (!text && text.error().code == ErrorCode::not_found) {
    return install::InstallRecord();
  }
  TRY(text);
  Result<install::InstallRecord> record = install::InstallRecord::parse(*text);
  if (!record) {
    Error error = std::move(record).error();
    error.message = in_backticks(m_path) + ": " + error.message;
    error.hint = "put it right, or move it away: then upskill knows of nothing that was installed";
    return fail(std::move(error));
  }
  return record;
}

Result<install::InstallRecord>
RecordFile::change(const std::function<void(install::InstallRecord& record)>& work) const {
  TRY_ASSIGN(FileLock lock, FileLock::take(m_path));
  TRY_ASSIGN(install::InstallRecord record, read());
  std::string before = record.text();
  work(record);
  std::string after = record.text();
  if (after != before) {
    TRY(install::InstallRecord::parse(after)); // what could not be read again is not written
    TRY(write_file_atomically(m_path, after, 0600));
  }
  return record;
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
