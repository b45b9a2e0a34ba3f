#include "skills/store/trace_name.h"
#include "skills/store/trace_objects.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <zstd.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

const std::string k_name = "claude/session.zst";

TraceObjects open(const Folder& folder) {
  auto objects = TraceObjects::open(folder / "traces");
  REQUIRE_MESSAGE(objects.has_value(), (objects ? "" : objects.error().message));
  return std::move(*objects);
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

// What is read of it, and how that ended.
struct Read {
  std::string text;
  Result<std::uint64_t> end = std::uint64_t{0};
};

Read read_from(const TraceObjects& objects,
               std::uint64_t size,
               std::uint64_t from = 0,
               const std::string& name = k_name) {
  Read read;
  read.end = objects.read(name, size, from, [&](std::string_view piece) {
    read.text += piece;
    return true;
  });
  return read;
}

// Lines that compress badly, so that frames are of some size; each says where it is.
std::string lines(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += std::to_string(text.size()) + ":";
    for (int i = 0; i < 8; ++i) {
      text += std::to_string(random());
    }
    text += '\n';
  }
  return text;
}

void append_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
}

// Each frame of the file by itself, by zstd's own means.
std::vector<std::string> frames_of(const std::string& path) {
  std::string file = store_test::read(path);
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < file.size();) {
    std::size_t size = ZSTD_findFrameCompressedSize(file.data() + at, file.size() - at);
    REQUIRE_FALSE(ZSTD_isError(size));
    std::string text(ZSTD_getFrameContentSize(file.data() + at, size), '\0');
    REQUIRE(ZSTD_decompress(text.data(), text.size(), file.data() + at, size) == text.size());
    frames.push_back(std::move(text));
    at += size;
  }
  return frames;
}

} // namespace

TEST_SUITE("TraceObjects") {
  TEST_CASE("what was appended is read, whole and from any offset, and is nobody else's") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::string text = lines(700'000, 1);
    std::uint64_t size = 0;
    for (int i = 0; i < 7; ++i) {
      std::string_view piece = std::string_view(text).substr(static_cast<std::size_t>(i) * 100'000,
                                                             i < 6 ? 100'000 : std::string::npos);
      std::uint64_t grown = value_of(objects.append(k_name, piece, size));
      CHECK(grown > size);
      size = grown;
    }

    struct stat status {};

    REQUIRE(::stat(objects.path_of(k_name).c_str(), &status) == 0);
    CHECK(static_cast<std::uint64_t>(status.st_size) == size);
    CHECK((status.st_mode & 0777) == 0600);
    REQUIRE(::stat((folder / "traces/claude").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    for (std::size_t from : {0ul, 1ul, 99'999ul, 100'000ul, 100'001ul, 650'000ul, text.size()}) {
      CAPTURE(from);
      Read read = read_from(objects, size, from);
      CHECK(read.text == text.substr(from));
      CHECK(value_of(read.end) == text.size());
    }
    CHECK(read_from(objects, size, text.size() + 5).text.empty());
    CHECK(value_of(objects.total_bytes()) == size);
  }

  TEST_CASE("frames are of whole lines, and none is much over a mebibyte") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::string text = lines(3'000'000, 2);
    text += std::string(2'500'000, 'x') + "\nlast\n";
    std::uint64_t size = value_of(objects.append(k_name, text, 0));
    CHECK(read_from(objects, size).text == text);
    std::vector<std::string> frames = frames_of(objects.path_of(k_name));
    REQUIRE(frames.size() >= 4);
    std::string whole;
    for (const std::string& frame : frames) {
      CHECK(frame.ends_with('\n'));
      whole += frame;
    }
    CHECK(whole == text);
    CHECK(frames[0].size() <= (1u << 20));
    CHECK(frames[0].size() > (1u << 20) - 200);
  }

  TEST_CASE("frames before an offset are not decompressed") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::string first = lines(50'000, 3);
    std::uint64_t middle = value_of(objects.append(k_name, first, 0));
    std::uint64_t size = value_of(objects.append(k_name, "behind\n", middle));
    // Broken in the middle of the first frame: only who decompresses it can see that.
    std::string file = store_test::read(objects.path_of(k_name));
    file[middle / 2] = static_cast<char>(~file[middle / 2]);
    store_test::write(objects.path_of(k_name), file);
    Read read = read_from(objects, size, first.size());
    CHECK(read.end.has_value());
    CHECK(read.text == "behind\n");
    CHECK_FALSE(read_from(objects, size, first.size() - 1).end.has_value());
  }

  TEST_CASE("whoever has read enough says so") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::uint64_t size = value_of(objects.append(k_name, lines(3'000'000, 4), 0));
    std::size_t taken = 0;
    auto end = objects.read(k_name, size, 0, [&](std::string_view piece) {
      taken += piece.size();
      return taken < 300'000;
    });
    CHECK(value_of(std::move(end)) == taken);
    CHECK(taken < 600'000);
  }

  TEST_CASE("what was written and never committed is not read, and cut off by the next") {
    Folder folder;
    std::uint64_t committed = 0;
    {
      TraceObjects objects = open(folder);
      committed = value_of(objects.append(k_name, "one\n", 0));
      value_of(objects.append(k_name, "lost\n", committed)); // killed before its row was put
    }
    TraceObjects objects = open(folder);
    CHECK(read_from(objects, committed).text == "one\n");
    append_bytes(objects.path_of(k_name), "half a fra");
    std::uint64_t size = value_of(objects.append(k_name, "two\n", committed));
    CHECK(read_from(objects, size).text == "one\ntwo\n");
    CHECK(store_test::read(objects.path_of(k_name)).size() == size);
    // One that was never committed at all begins anew.
    CHECK(read_from(objects, value_of(objects.append(k_name, "new\n", 0))).text == "new\n");
  }

  TEST_CASE("a file that lost its end is told, with what is left of it") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::uint64_t first = value_of(objects.append(k_name, "one\n", 0));
    std::uint64_t size = value_of(objects.append(k_name, lines(5000, 5), first));
    // The same where the row itself names a place within a frame.
    CHECK(read_from(objects, size - 3).end.error().code == ErrorCode::corrupt);
    REQUIRE(::truncate(objects.path_of(k_name).c_str(), static_cast<off_t>(size - 3)) == 0);
    Read read = read_from(objects, size);
    CHECK(read.text.starts_with("one\n"));
    REQUIRE_FALSE(read.end);
    CHECK(read.end.error().code == ErrorCode::corrupt);
    CHECK(read.end.error().message.find("claude/session.zst") != std::string::npos);
    REQUIRE(::truncate(objects.path_of(k_name).c_str(), static_cast<off_t>(first)) == 0);
    read = read_from(objects, size);
    CHECK(read.text == "one\n");
    CHECK(read.end.error().code == ErrorCode::corrupt);
    CHECK(objects.append(k_name, "x\n", size).error().code == ErrorCode::corrupt);
    // What counts was not touched by the attempt.
    CHECK(read_from(objects, first).text == "one\n");
  }

  TEST_CASE("any damage is an error or does not matter, and never text that was not written") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::string text = lines(4000, 6);
    std::uint64_t first = value_of(objects.append(k_name, text, 0));
    std::uint64_t size = value_of(objects.append(k_name, text, first));
    std::string whole = text + text;
    const std::string sound = store_test::read(objects.path_of(k_name));
    unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    int errors = 0;
    for (int i = 0; i < 300; ++i) {
      std::string file = sound;
      std::size_t at = random() % file.size();
      file[at] = static_cast<char>(file[at] ^ (1 << random() % 8));
      store_test::write(objects.path_of(k_name), file);
      for (std::uint64_t from : {std::uint64_t{0}, std::uint64_t{text.size()}}) {
        Read read = read_from(objects, size, from);
        errors += read.end ? 0 : 1;
        if (read.end && from == 0) {
          CAPTURE(at);
          CHECK(read.text == whole);
        }
      }
    }
    CHECK(errors > 100);
  }

  TEST_CASE("a frame that demands more memory than ours ever do is refused") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::string text(40u << 20, 'a');
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    ZSTD_outBuffer out{frame.data(), frame.size(), 0};
    while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0) {
    }
    ZSTD_freeCCtx(context);
    frame.resize(out.pos);
    store_test::write(objects.path_of(k_name), frame);
    Read read = read_from(objects, frame.size());
    CHECK(read.end.error().code == ErrorCode::corrupt);
  }

  TEST_CASE("a file that somebody packed anew is read, offsets and all") {
    Folder folder;
    TraceObjects objects = open(folder);
    // As `zstd` writes what comes through a pipe: without a length; and a frame that is no text.
    std::string text = lines(30'000, 7);
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    ZSTD_outBuffer out{frame.data(), frame.size(), 0};
    while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0) {
    }
    ZSTD_freeCCtx(context);
    frame.resize(out.pos);
    std::string file = std::string("\x50\x2A\x4D\x18\x03\x00\x00\x00"
                                   "abc",
                                   11)
                       + frame + frame;
    store_test::write(objects.path_of(k_name), file);
    CHECK(read_from(objects, file.size()).text == text + text);
    CHECK(read_from(objects, file.size(), text.size() + 7).text == text.substr(7));
  }

  TEST_CASE("a rewritten object has another name, and the old one counts until it is removed") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::uint64_t size = 0;
    std::string text;
    for (int i = 0; i < 50; ++i) {
      std::string line = "{\"secret\":\"" + std::to_string(i) + "\"}\n";
      size = value_of(objects.append(k_name, line, size));
      text += line;
    }
    auto rewritten = value_of(objects.rewrite(k_name, [&](const auto& write) -> Result<void> {
      Result<void> written{};
      TRY(objects.read(k_name, size, 0, [&](std::string_view piece) {
        written = write(piece);
        return written.has_value();
      }));
      return written;
    }));
    CHECK(rewritten.name == "claude/session+2.zst");
    CHECK(rewritten.text_size == text.size());
    CHECK(rewritten.size < size / 4); // one frame in place of fifty
    CHECK(read_from(objects, rewritten.size, 0, rewritten.name).text == text);
    CHECK(read_from(objects, size).text == text);
    REQUIRE(objects.remove(k_name));
    CHECK(read_from(objects, size).end.error().code == ErrorCode::not_found);
    std::uint64_t grown = value_of(objects.append(rewritten.name, "more\n", rewritten.size));
    CHECK(read_from(objects, grown, 0, rewritten.name).text == text + "more\n");
  }

  TEST_CASE("a rewriting that fails leaves nothing new") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::uint64_t size = value_of(objects.append(k_name, "one\n", 0));
    auto failed = objects.rewrite(k_name, [&](const auto& write) -> Result<void> {
      TRY(write("half\n"));
      return fail(ErrorCode::cancelled, "enough");
    });
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::cancelled);
    CHECK(value_of(objects.total_bytes()) == size);
  }

  TEST_CASE("what no session names goes, what is young or named stays") {
    Folder folder;
    TraceObjects objects = open(folder);
    std::uint64_t size = value_of(objects.append(k_name, "one\n", 0));
    value_of(objects.append("codex/gone.zst", "two\n", 0));
    store_test::write(folder / "traces/codex/.new-half.zst", "x");
    store_test::write(folder / "traces/codex/notes.txt", "a person's");
    CHECK(objects.contains("codex/gone.zst"));
    CHECK(value_of(objects.remove_unreferenced({}, 0, 0)).count == 0); // nothing is that old
    std::int64_t future = std::int64_t{1} << 50;
    CHECK(value_of(objects.remove_unreferenced({}, future, 2 * future)).count
          == 0); // nor that young
    CHECK(value_of(objects.remove_unreferenced({k_name}, 0, future)).count == 2);
    CHECK_FALSE(objects.contains("codex/gone.zst"));
    CHECK_FALSE(objects.contains("codex/notes.txt"));
    CHECK(read_from(objects, size).text == "one\n");
    CHECK(store_test::exists(folder / "traces/codex/notes.txt"));
    REQUIRE(objects.remove(k_name));
    CHECK_FALSE(store_test::exists(folder / "traces/claude"));
    REQUIRE(objects.remove(k_name));
  }

  TEST_CASE("names lead nowhere else, whatever a session calls itself") {
    Folder folder;
    TraceObjects objects = open(folder);
    for (const char* name : {"",
                             "a.zst",
                             "../a.zst",
                             "a/../b.zst",
                             "a/b/c.zst",
                             "/a.zst",
                             "a/.zst",
                             ".a/b.zst",
                             "a/b",
                             "a/b c.zst",
                             "a/\n.zst"}) {
      CAPTURE(name);
      CHECK(objects.append(name, "x\n", 0).error().code == ErrorCode::invalid_argument);
      CHECK(objects.remove(name).error().code == ErrorCode::invalid_argument);
    }
    store_test::write(folder / "victim", "mine");
    std::filesystem::create_directories(folder / "traces/claude");
    REQUIRE(::symlink((folder / "victim").c_str(), objects.path_of(k_name).c_str()) == 0);
    CHECK_FALSE(objects.append(k_name, "x\n", 0));
    CHECK(store_test::read(folder / "victim") == "mine");
    const std::string hostile[] = {"../../etc/passwd",
                                   std::string(5000, '/'),
                                   std::string(5000, '/') + "x",
                                   std::string("\0", 1),
                                   "..",
                                   ".",
                                   "~",
                                   "a~b",
                                   "\xFF\xFE",
                                   "a b\n",
                                   "%",
                                   ""};
    std::unordered_set<std::string> names;
    for (const std::string& session : hostile) {
      for (const std::string& agent : hostile) {
        std::string name = trace_object_name("claude", session, agent);
        CHECK(is_object_name(name));
        CHECK(is_object_name(next_object_name(name)));
        CHECK(names.insert(name).second);
        CHECK(names.insert(next_object_name(name)).second);
        value_of(objects.append(name, "x\n", 0));
      }
    }
    CHECK(trace_object_name("claude", "0b5e-4f", "agent-7") == "claude/0b5e-4f~agent-7.zst");
    CHECK(next_object_name("claude/a+9.zst") == "claude/a+10.zst");
    CHECK(session_key("claude", "a/b") == "claude/a%2Fb");
    CHECK(session_key("claude", "a", "b") == "claude/a/b");
  }
}
