#pragma once
#include "protocol/base/guarded.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/object_entry.h"
#include "skills/store/object_reader.h"
#include "skills/store/object_writer.h"
#include "skills/store/put_folder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace upskill::store {

struct RemovedObjects {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Versions of skills by the hash of their tree. One object is one version as a plain tar,
// `<aa>/<rest of hash>.tar`, so that a person gets at it without us: `tar xf`. Deterministic: equal
// versions give equal bytes. Several processes may use one folder.
class Objects {
public:
  // Makes the folder (0700) where there is none, and removes what interrupted puts left.
  static Result<Objects> open(const std::string& folder);

  // Keeps a version; nothing happens when it is there. `entries` come sorted by path, bytewise, as
  // a Tree has them. A file whose `bytes` are not given is read from `open_entry`, once, in order.
  // changed: a file does not have the size, or the content, that its entry says.
  // invalid_argument: a path or a link's target leads out, or entries are out of order.
  // Not durable before flush(). May be called by several threads.
  Result<void> put(const Digest& tree_hash,
                   std::span<const ObjectEntry> entries,
                   const OpenEntry& open_entry = {});
  // Everything put so far survives power loss: one syncfs for a whole batch, before the rows that
  // name the objects are committed.
  Result<void> flush();

  // Looks at the name and at the end, which says how long the whole is: one that was cut off is not
  // contained, and put() writes it anew.
  bool contains(const Digest& tree_hash) const;
  // not_found, or corrupt when it cannot be an object at all. The content is checked as it is read,
  // for form; whether it is the content of that hash only rehashing tells (ObjectReader).
  Result<ObjectReader> open_object(const Digest& tree_hash) const;
  // One file's bytes. not_found when the version has no such file.
  Result<std::string> read_file(const Digest& tree_hash, std::string_view path) const;
  // Writes the version to `into`, which must not exist; its parent must. On failure nothing stays.
  Result<void> extract(const Digest& tree_hash, const std::string& into) const;
  // Where the object lies or would lie, for people.
  std::string path_of(const Digest& tree_hash) const;
  // Takes a damaged object out of the way, as `<name>.damaged`, so that put() can replace it.
  Result<void> set_aside(const Digest& tree_hash);

  // Removes what is not in `live` and was last put before `before_ms` (Unix time).
  Result<RemovedObjects> remove_unreferenced(const std::unordered_set<Digest>& live,
                                             std::int64_t before_ms);

private:
  Objects(std::string folder, UniqueFd fd)
      : m_folder(std::move(folder))
      , m_fd(std::move(fd)) {}

  std::optional<std::uint64_t> whole_size(const std::string& name) const;

  // Where something is about to be written.
  struct Place {
    std::shared_ptr<PutFolder> folder = {};
    std::string name = {};
  };

  // Anew where the folder that was here is `gone`.
  Result<Place> new_place(const PutFolder* gone = nullptr);
  Result<Place> write_new(std::span<const ObjectEntry> entries, const OpenEntry& open_entry);
  Result<void> give_name(const Place& place, const std::string& name);
  tl::unexpected<Error> cannot_keep() const; // by errno

  std::string m_folder;
  UniqueFd m_fd;
  Guarded<std::shared_ptr<PutFolder>> m_put_folder = {}; // made by the first put
};

} // namespace upskill::store
