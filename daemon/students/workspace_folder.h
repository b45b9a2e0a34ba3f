#pragma once
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/students/student.h"
#include "protocol/base/result.h"

#include <map>
#include <memory>
#include <string>

namespace upskill::students {

// A workspace that is a private folder. The last who holds it gives it to the pool, which removes
// it: what a student left there may take long.
class WorkspaceFolder : public Workspace {
public:
  // With the task's files in it. Blocks. invalid_argument names a path that leads out; no_space,
  // io. `pool` outlives it.
  static Result<std::shared_ptr<WorkspaceFolder>>
  make(runtime::Pool& pool, const std::map<std::string, std::string>& files);

  WorkspaceFolder(runtime::Pool& pool, sandbox::PrivateFolder folder)
      : m_pool(pool)
      , m_folder(std::move(folder)) {}

  ~WorkspaceFolder() override;

  const std::string& folder() const override { return m_folder.path(); }

  int fd() const { return m_folder.fd(); } // of the folder

private:
  runtime::Pool& m_pool;
  sandbox::PrivateFolder m_folder;
};

} // namespace upskill::students
