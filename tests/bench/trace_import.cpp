#include "skills/archive/stored_form.h"
#include "skills/redact/record_redactor.h"
#include "skills/store/trace_name.h"
#include "skills/trace/parser.h"
#include "skills/trace/record_stream.h"
#include "skills/trace/summary.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"
#include "tests/bench/trace_file.h"

#include <fmt/format.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_size = 200u << 20;
constexpr std::size_t k_store_at = 1u << 20; // bytes that the archive gathers before it stores them

// Gives the records of a file to `sink`.
void read_records(const std::string& path, trace::RecordSink& sink) {
  trace::RecordStream records(trace::make_splitter(trace::Format::claude));
  read_pieces(
      path,
      [&](std::size_t wanted) { return records.room(wanted); },
      [&](std::size_t size) { records.commit(size, sink); });
  records.finish(sink);
}

struct Split : trace::RecordSink {
  std::size_t bytes = 0;

  void take(const trace::Record& record) override { bytes += record.bytes.size(); }
};

struct Redacted : trace::RecordSink {
  explicit Redacted(const redact::RuleSet& rules)
      : redactor(rules) {}

  void take(const trace::Record& record) override { redactor.take(std::string(record.bytes)); }

  redact::RecordRedactor redactor;
};

struct Compressed : trace::RecordSink {
  explicit Compressed(store::TraceObjects& objects)
      : to(objects) {}

  void take(const trace::Record& record) override {
    archive::append_stored(text, trace::Format::claude, record.bytes);
    if (text.size() >= k_store_at) {
      store();
    }
  }

  void store() {
    auto written = to.append(name, text, size);
    require(written.has_value(), "nothing can be stored");
    size = *written;
    text.clear();
  }

  store::TraceObjects& to;
  std::string name = store::trace_object_name("claude", "session");
  std::string text = {};
  std::uint64_t size = 0;
};

double compress(const std::string& path, const std::string& folder) {
  Scratch scratch(folder);
  auto objects = store::TraceObjects::open(scratch / "objects");
  require(objects.has_value(), "no objects");
  return cpu_seconds_of([&] {
    Compressed compressed(*objects);
    read_records(path, compressed);
    compressed.store();
  });
}

double summarise(const std::string& path, trace::SessionSummary& words) {
  return cpu_seconds_of([&] {
    trace::Summary summary(trace::Format::claude);
    normalise(path, trace::Format::claude, summary);
    words = summary.summary();
  });
}

double index(const trace::SessionSummary& words, const std::string& folder) {
  Scratch scratch(folder);
  auto store = store::TraceStore::open(scratch / "traces.db");
  require(store.has_value(), "no store");
  return cpu_seconds_of([&] {
    store::SessionRow row;
    row.harness = "claude-code";
    row.session = words.session;
    store::IndexText text{
        words.index.title, words.index.prompts, words.index.answers, words.index.work};
    auto transaction = store->begin();
    require(transaction.has_value() && store->put_session(row, text).has_value()
                && transaction->commit().has_value(),
            "it is not indexed");
  });
}

double keep(const std::string& path, const std::string& folder) {
  Scratch scratch(folder);
  archive::Archive archive = open_archive(scratch.path());
  return cpu_seconds_of([&] {
    auto kept = archive.keep(path, {.is_named = true}, 1'780'000'000'000, {});
    require(kept.has_value() && kept->front().state == archive::KeepState::imported,
            "it is not kept");
  });
}

} // namespace

// What keeping a session costs beyond reading it. Each stage by itself, less what it takes to get
// the records or the events that it works on. Seconds of the processor, the file in the page cache.
void trace_import(const Settings& settings, const Report& report) {
  OneCore core;
  TraceFile file(settings.folder, k_size);
  auto rules = redact::RuleSet::built_in();
  require(rules.has_value(), "the rules cannot be read");
  trace::SessionSummary words;
  summarise(file.path(), words);
  std::vector<double> seconds =
      interleave(settings.runs,
                 {[&] {
                    return cpu_seconds_of([&] {
                      Split split;
                      read_records(file.path(), split);
                    });
                  },
                  [&] {
                    return cpu_seconds_of([&] {
                      CountEvents count;
                      normalise(file.path(), trace::Format::claude, count);
                    });
                  },
                  [&] {
                    return cpu_seconds_of([&] {
                      Redacted redacted(*rules);
                      read_records(file.path(), redacted);
                    });
                  },
                  [&] { return summarise(file.path(), words); },
                  [&] { return compress(file.path(), settings.folder); },
                  [&] { return index(words, settings.folder); },
                  [&] { return keep(file.path(), settings.folder); }});
  double gigabytes = static_cast<double>(file.size()) / 1e9;
  double split = seconds[0];
  double events = seconds[1];
  auto tell = [&](const char* name, double ours, const char* what) {
    report({std::string("trace_import.") + name,
            "s/GB",
            ours / gigabytes,
            events / gigabytes,
            Judged::nothing,
            0,
            false,
            fmt::format("{}; floor: normalising", what)});
  };
  tell("normalise", events, "reading 200 MB of Claude-like JSONL into events");
  tell("redact", seconds[2] - split, "and: secrets, in records of JSON");
  tell("summary", seconds[3] - events, "and: what a session is, and what it is found by");
  tell("compress", seconds[4] - split, "and: zstd, and writing it");
  tell("index", seconds[5], "and: the row and its words in SQLite, committed; of one session");
  tell("all", seconds[6], "keeping it, all together");
}

} // namespace upskill::bench
