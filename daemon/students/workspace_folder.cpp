#include "daemon/students/workspace_folder.h"

#include "daemon/sandbox/confined_files.h"

#include <optional>

namespace upskill::students {

Result<std::shared_ptr<WorkspaceFolder>>
WorkspaceFolder::make(runtime::Pool& pool, const std::map<std::string, std::string>& files) {
  TRY_ASSIGN(sandbox::PrivateFolder folder, sandbox::PrivateFolder::make());
  for (const auto& [path, bytes] : files) {
    TRY(sandbox::write_confined(folder.fd(), path, bytes));
  }
  return std::make_shared<WorkspaceFolder>(pool, std::move(folder));
}

WorkspaceFolder::~WorkspaceFolder() {
  m_pool.leave([folder = std::make_optional(std::move(m_folder))]() mutable { folder.reset(); });
}

} // namespace upskill::students
