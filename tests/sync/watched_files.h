#pragma once
#include "skills/sync/filesystem.h"

#include <functional>
#include <string>

namespace upskill::sync_test {

// One change that sync is about to make, or has just made.
struct FileCall {
  const char* name;       // of the function
  std::string path;       // that comes to be, changes or goes
  std::string other;      // for exchange and move: where from
  std::string_view bytes; // for write_file
  int number;             // from 1, since the last reset
};

// The real file system with somebody looking on: `before` may do something first, end the process,
// or return an error in place of the call; `after` sees calls that succeeded.
// Lifetime: outlives the engine that uses it.
class WatchedFiles : public sync::Filesystem {
public:
  std::function<Result<void>(const FileCall&)> before = {};
  std::function<void(const FileCall&)> after = {};
  bool can_exchange = true; // false: as a file system without RENAME_EXCHANGE

  void reset() { m_number = 0; }

  int count() const { return m_number; }

  Result<void> make_folder(const std::string& path, mode_t mode) override {
    return call({"make_folder", path, {}, {}, 0},
                [&] { return Filesystem::make_folder(path, mode); });
  }

  Result<void>
  write_file(const sync::FilePlace& place, std::string_view bytes, mode_t mode) override {
    return call({"write_file", place.path, {}, bytes, 0},
                [&] { return Filesystem::write_file(place, bytes, mode); });
  }

  Result<void> make_link(const std::string& target, const std::string& path) override {
    return call({"make_link", path, target, {}, 0},
                [&] { return Filesystem::make_link(target, path); });
  }

  Result<void> exchange(const std::string& a, const std::string& b) override {
    if (!can_exchange) {
      return fail(ErrorCode::unsupported, "this file system cannot swap");
    }
    return call({"exchange", b, a, {}, 0}, [&] { return Filesystem::exchange(a, b); });
  }

  Result<void> move(const std::string& from, const std::string& to) override {
    return call({"move", to, from, {}, 0}, [&] { return Filesystem::move(from, to); });
  }

  Result<void> remove_file(const std::string& path) override {
    return call({"remove_file", path, {}, {}, 0}, [&] { return Filesystem::remove_file(path); });
  }

  Result<void> remove_folder(const std::string& path) override {
    return call({"remove_folder", path, {}, {}, 0},
                [&] { return Filesystem::remove_folder(path); });
  }

  Result<void> sync_all(const std::string& folder) override {
    return call({"sync_all", folder, {}, {}, 0}, [&] { return Filesystem::sync_all(folder); });
  }

private:
  template <class Do> Result<void> call(FileCall what, Do&& make) {
    what.number = ++m_number;
    if (before) {
      TRY(before(what));
    }
    Result<void> made = make();
    if (made && after) {
      after(what);
    }
    return made;
  }

  int m_number = 0;
};

} // namespace upskill::sync_test
