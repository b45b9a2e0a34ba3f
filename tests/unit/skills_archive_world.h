#pragma once
#include "protocol/base/atomic_file.h"
#include "skills/archive/archive.h"
#include "skills/store/trace_name.h"
#include "skills/trace/byte_source.h"
#include "tests/support/claude_session.h"
#include "tests/support/planted_secrets.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <doctest/doctest.h>

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// An archive, and beside it the folder of an agent whose sessions it keeps.
namespace upskill::tests {

using archive::KeepOptions;
using archive::KeepState;
using archive::Kept;
using archive::Secrets;

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

inline const redact::RuleSet& built_in_rules() {
  static const redact::RuleSet rules = value_of(redact::RuleSet::built_in());
  return rules;
}

// A token of GitHub's form, another one for each seed; and what stands for it.
inline std::string token(std::uint64_t seed = 1) {
  return Plants(seed)
      .grow("gh"
            "p_{W36}")
      .text;
}

inline constexpr std::string_view k_mark = "[REDACTED:github-pat]";

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string compressed(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 3));
  return frame;
}

struct ArchiveWorld {
  TemporaryFolder folder;
  std::int64_t now_ms = 1'800'000'000'000;
  archive::Archive archive;

  explicit ArchiveWorld(redact::RuleSet rules = built_in_rules())
      : archive(open(std::move(rules))) {
    std::filesystem::create_directories(folder / "agent");
  }

  archive::Archive open(redact::RuleSet rules) const {
    std::filesystem::create_directories(folder / "state");
    archive::ArchiveOptions options{
        folder / "state/traces.db", folder / "state/traces", std::move(rules)};
    return value_of(archive::Archive::open(std::move(options)));
  }

  // As a later daemon has it.
  void reopen(redact::RuleSet rules = built_in_rules()) { archive = open(std::move(rules)); }

  std::string file(std::string_view name) const {
    return folder.path() + "/agent/" + std::string(name);
  }

  std::string put(std::string_view name, std::string_view bytes) const {
    std::string path = file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    put_file(path, bytes);
    return path;
  }

  Result<std::vector<Kept>> try_to_keep(const std::string& path, const KeepOptions& options = {}) {
    return archive.keep(path, options, ++now_ms, {});
  }

  // Of a file with one session.
  Kept keep(const std::string& path, const KeepOptions& options = {}) {
    std::vector<Kept> kept = value_of(try_to_keep(path, options));
    REQUIRE(kept.size() == 1);
    return std::move(kept.front());
  }

  store::SessionRow row(std::string_view key) {
    std::optional<store::SessionRow> found = value_of(archive.store().find_key(key));
    REQUIRE_MESSAGE(found, std::string(key));
    return *std::move(found);
  }

  // By our own id, in which order they came.
  std::vector<std::string> sessions() {
    std::vector<std::string> names;
    for (const store::SessionRow& row : value_of(archive.store().list({}, {}, 100))) {
      names.push_back(row.session);
    }
    std::ranges::sort(names);
    return names;
  }

  // What is kept, as it lies there.
  std::string text(const store::SessionRow& row) {
    std::string text;
    value_of(archive.objects().read(
        row.object, static_cast<std::uint64_t>(row.object_size), 0, [&](std::string_view piece) {
          text += piece;
          return true;
        }));
    return text;
  }

  std::vector<std::string> lines(const store::SessionRow& row) {
    SeenEvents seen;
    archive::Reading reading = value_of(archive.read(row, 0, seen, {}));
    CHECK_FALSE(reading.problem);
    return seen.lines();
  }

  // How often something is found by search.
  std::size_t found(std::string text) {
    return value_of(archive.store().search({.text = std::move(text)}, 100)).size();
  }

  // Whether these bytes are anywhere in what is stored, compressed or not.
  bool is_stored(const std::string& bytes) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "state")) {
      if (!entry.is_regular_file()) {
        continue;
      }
      std::string text = file_text(entry.path().string());
      if (entry.path().extension() == ".zst") {
        text += decompressed(entry.path().string());
      }
      if (text.find(bytes) != std::string::npos) {
        return true;
      }
    }
    for (const store::SessionRow& row : value_of(archive.store().list({}, {}, 100))) {
      store::IndexText index = value_of(archive.store().index_text(row.id));
      std::string all = index.title + index.prompts + index.answers + index.work;
      store::SessionRow whole = *value_of(archive.store().find(row.id));
      all += whole.title + whole.state;
      if (all.find(bytes) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  static std::string decompressed(const std::string& path) {
    auto source = value_of(trace::open_bytes(path));
    std::string text;
    std::vector<char> room(64u << 10);
    while (std::size_t got = source->read(room).value_or(0)) {
      text.append(room.data(), got);
    }
    return text;
  }
};

// Documents are kept without the line breaks between their parts, and the fixtures hold keys of
// their own: up to the first mark, the events must be the same.
inline void check_said(const std::vector<std::string>& kept,
                       const std::vector<std::string>& expected) {
  REQUIRE(kept.size() == expected.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::string_view same = std::string_view(kept[i]).substr(0, kept[i].find("[REDACTED:"));
    std::string wanted = replaced(expected[i], "\n", " ");
    CHECK(replaced(std::string(same), "\n", " ") == wanted.substr(0, same.size()));
    CHECK((same.size() < kept[i].size() || same.size() == wanted.size()));
  }
}

// All that a row tells of a session, and nothing of how it came.
inline store::SessionRow as_told(store::SessionRow row) {
  row.id = 0;
  row.source.clear();
  row.source_size = 0; // with half a line
  row.device = row.inode = 0;
  row.object.clear();
  row.object_size = 0; // frames compress as they were cut
  row.updated_ms = row.imported_ms = 0;
  row.state.clear();
  return row;
}

// A session of some lines that is about deploying, with a token in three of them; none ends a text,
// where it might go on in the next.
inline ClaudeSession deploying(const std::string& id, const std::string& secret) {
  ClaudeSession session(id);
  session.prompt("Deploy it with " + secret + " please");
  session.says("I will deploy the zeppelin.");
  session.runs("c1", "deploy --token " + secret + " now");
  session.fails("c1", "error: token " + secret + " has expired");
  session.says("The token has expired.");
  return session;
}

} // namespace upskill::tests
