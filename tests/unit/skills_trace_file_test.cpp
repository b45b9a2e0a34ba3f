#include "skills/trace/byte_source.h"
#include "skills/trace/read_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <random>

using namespace upskill;
using namespace upskill::tests;
using trace::FileRead;
using trace::Format;

namespace {

std::string rollout() {
  return file_text(std::string(UPSKILL_FIXTURES) + "/traces/codex.jsonl");
}

std::string packed(std::string_view bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  frame.resize(size);
  return frame;
}

std::string skippable(std::string_view content) {
  std::string frame("\x50\x2A\x4D\x18", 4);
  for (int shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(content.size() >> shift);
  }
  frame += content;
  return frame;
}

// Words that do not compress to nothing, so that a frame has several blocks.
std::string many_prompts(std::size_t count) {
  std::mt19937 random(7);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += R"({"timestamp":"2026-07-01T10:00:00Z","type":"event_msg","payload":)"
             R"({"type":"user_message","message":")";
    for (int letter = 0; letter < 400; ++letter) {
      bytes += static_cast<char>('a' + random() % 26);
    }
    bytes += "\"}}\n";
  }
  return bytes;
}

struct Seen {
  FileRead read;
  std::vector<SeenEvent> events;
};

Seen read(const std::string& path, std::uint64_t offset = 0, std::optional<Format> format = {}) {
  SeenEvents seen;
  Result<FileRead> result = trace::read_trace_file(path, format, offset, seen);
  REQUIRE(result);
  return {*result, seen.events};
}

ErrorCode failure(const std::string& path, std::uint64_t offset = 0) {
  SeenEvents seen;
  Result<FileRead> result = trace::read_trace_file(path, {}, offset, seen);
  REQUIRE(!result);
  CHECK(seen.events.empty());
  return result.error().code;
}

} // namespace

TEST_CASE("a plain file is read with its format found") {
  TemporaryFolder folder;
  std::string bytes = rollout();
  put_file(folder / "any.name", bytes);
  Seen seen = read(folder / "any.name");
  CHECK(seen.read.format == Format::codex);
  CHECK(!seen.read.is_compressed);
  CHECK(seen.read.stored_size == bytes.size());
  CHECK(seen.read.size == bytes.size());
  CHECK(seen.read.resume_offset == bytes.size());
  CHECK(seen.read.problems.empty());
  CHECK(seen.events == read_events(Format::codex, bytes));
}

TEST_CASE("a compressed file is known by its bytes and read alike, in one frame or several") {
  TemporaryFolder folder;
  std::string bytes = rollout();
  std::vector<SeenEvent> expected = read_events(Format::codex, bytes);
  std::size_t middle = bytes.size() / 2; // within a line
  for (const std::string& file : {packed(bytes),
                                  packed(bytes.substr(0, middle)) + packed(bytes.substr(middle)),
                                  skippable("a note") + packed(bytes) + skippable("")}) {
    put_file(folder / "rollout.jsonl", file);
    Seen seen = read(folder / "rollout.jsonl");
    CHECK(seen.read.is_compressed);
    CHECK(seen.read.format == Format::codex);
    CHECK(seen.read.stored_size == file.size());
    CHECK(seen.read.size == bytes.size());
    CHECK(seen.read.problems.empty());
    CHECK(seen.events == expected);
  }
  put_file(folder / "plain.jsonl.zst", bytes);
  CHECK(!read(folder / "plain.jsonl.zst").read.is_compressed);
}

TEST_CASE("reading goes on where it stopped, though the file was compressed since") {
  TemporaryFolder folder;
  std::string bytes = many_prompts(400); // more than what a format is found by
  std::string path = folder / "rollout.jsonl";
  for (std::size_t cut :
       {std::size_t{0}, std::size_t{5}, std::size_t{40'000}, std::size_t{150'000}}) {
    CAPTURE(cut);
    put_file(path, std::string_view(bytes).substr(0, cut));
    Seen before = read(path, 0, Format::codex);
    CHECK(before.read.resume_offset <= cut);
    for (bool is_packed : {false, true}) {
      for (bool is_told : {false, true}) {
        put_file(path, is_packed ? packed(bytes) : bytes);
        Seen after = read(
            path, before.read.resume_offset, is_told ? std::optional(Format::codex) : std::nullopt);
        std::vector<SeenEvent> all = before.events;
        std::erase_if(
            all, [&](const SeenEvent& event) { return event.offset >= before.read.resume_offset; });
        all.insert(all.end(), after.events.begin(), after.events.end());
        CHECK(after.read.size == bytes.size());
        REQUIRE(all == read_events(Format::codex, bytes));
      }
    }
  }
}

TEST_CASE("what stands before a broken frame is read, and the result says so") {
  TemporaryFolder folder;
  std::string bytes = many_prompts(2000); // several blocks of 128 KiB
  std::string frame = packed(bytes);
  std::vector<SeenEvent> expected = read_events(Format::codex, bytes);
  std::string path = folder / "rollout.jsonl.zst";

  put_file(path, frame.substr(0, frame.size() - frame.size() / 4));
  Seen cut = read(path);
  REQUIRE(cut.read.problems.size() == 1);
  CHECK(cut.read.problems[0].code == ErrorCode::corrupt);
  CHECK(cut.read.problems[0].message == "`" + path + "` ends in the middle of a zstd frame");
  CHECK(cut.events.size() > 1000);
  CHECK(cut.events.size() < 1600);
  CHECK(cut.read.resume_offset > 0);
  std::vector<SeenEvent> settled = cut.events;
  std::erase_if(settled,
                [&](const SeenEvent& event) { return event.offset >= cut.read.resume_offset; });
  CHECK(std::equal(settled.begin(), settled.end(), expected.begin()));

  put_file(path, frame + "rubbish!");
  Seen rubbish = read(path);
  REQUIRE(rubbish.read.problems.size() == 1);
  CHECK(rubbish.read.problems[0].message.starts_with("`" + path + "` has a broken zstd frame after "
                                                     + std::to_string(bytes.size()) + " bytes"));
  CHECK(rubbish.events == expected);

  std::string two = frame + packed(bytes);
  two[frame.size()] = 'x'; // the second frame's first byte
  put_file(path, two);
  CHECK(read(path).events == expected);
}

TEST_CASE("a block that is broken in the middle of a frame costs only what follows") {
  TemporaryFolder folder;
  std::string bytes = many_prompts(2000);
  std::string frame = packed(bytes);
  // Magic, a descriptor of a single segment, and its size in four bytes; then a block's header of
  // three bytes: whether it is the last, its type, and its size (RFC 8878, 3.1.1).
  std::size_t header = 9;
  REQUIRE((static_cast<unsigned char>(frame[4]) >> 5) == 0b101);
  REQUIRE((frame[header] & 7) == 0b100); // not the last, compressed
  auto byte = [&](std::size_t at) { return static_cast<std::size_t>(frame[at] & 0xFF); };
  header += 3 + ((byte(header) | (byte(header + 1) << 8) | (byte(header + 2) << 16)) >> 3);
  REQUIRE(header < frame.size());
  frame[header] = static_cast<char>(frame[header] | 6); // the type that is reserved
  put_file(folder / "a", frame);
  Seen seen = read(folder / "a");
  REQUIRE(seen.read.problems.size() == 1);
  CHECK(seen.read.size == 128 * 1024);
  CHECK(seen.events.size() > 200);
}

TEST_CASE("a window over 128 MiB is a broken frame, not as much memory") {
  TemporaryFolder folder;
  std::string bytes = many_prompts(10);
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 28);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush); // of a size that is not told
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
  frame.resize(out.pos);
  put_file(folder / "a", frame);
  Seen seen = read(folder / "a");
  CHECK(seen.read.problems.size() == 1);
  CHECK(seen.events.empty());
}

TEST_CASE("what is no regular file, not there or shorter than before is named") {
  TemporaryFolder folder;
  CHECK(failure(folder / "none") == ErrorCode::not_found);
  CHECK(failure(folder.path()) == ErrorCode::invalid_argument);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(failure(folder / "pipe") == ErrorCode::invalid_argument); // and does not wait for a writer
  put_file(folder / "short", "words\n");
  CHECK(failure(folder / "short", 7) == ErrorCode::changed);
  CHECK(read(folder / "short", 6).events.empty());
  put_file(folder / "packed", packed(many_prompts(400)));
  CHECK(failure(folder / "packed", 10'000'000) == ErrorCode::changed);
}

TEST_CASE("an empty file, one of three bytes and a database have no events or few") {
  TemporaryFolder folder;
  put_file(folder / "empty", "");
  CHECK(read(folder / "empty").events.empty());
  put_file(folder / "three", "\x28\xB5\x2F");
  CHECK(read(folder / "three").read.format == Format::text);
  put_file(folder / "db", std::string("SQLite format 3\0", 16) + std::string(100, '\1'));
  Seen database = read(folder / "db");
  CHECK(database.read.format == Format::opencode_database);
  CHECK(database.events.empty());
}

TEST_CASE("reading stops when it is asked to") {
  TemporaryFolder folder;
  put_file(folder / "a", many_prompts(2000));
  std::stop_source stop;
  stop.request_stop();
  SeenEvents seen;
  Result<FileRead> result = trace::read_trace_file(folder / "a", {}, 0, seen, stop.get_token());
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::cancelled);
}

TEST_CASE("bytes are the same read in pieces of any size, and passed over") {
  TemporaryFolder folder;
  std::string bytes = many_prompts(1000);
  put_file(folder / "plain", bytes);
  put_file(folder / "packed", packed(bytes));
  std::random_device device;
  unsigned seed = device();
  std::mt19937 random(seed);
  CAPTURE(seed);
  for (const char* name : {"plain", "packed"}) {
    Result<std::unique_ptr<trace::ByteSource>> source = trace::open_bytes(folder / name);
    REQUIRE(source);
    std::string read;
    std::string room(100'000, '\0');
    while (true) {
      if (random() % 4 == 0) {
        std::uint64_t count = random() % 50'000;
        Result<std::uint64_t> passed = (*source)->skip(count);
        REQUIRE(passed);
        CHECK(*passed == std::min<std::uint64_t>(count, bytes.size() - read.size()));
        read += bytes.substr(read.size(), *passed);
      }
      Result<std::size_t> got = (*source)->read(std::span(room).first(1 + random() % room.size()));
      REQUIRE(got);
      if (*got == 0) {
        break;
      }
      read.append(room, 0, *got);
    }
    CHECK(read == bytes);
  }
}
