#include "protocol/base/utf8.h"
#include "skills/trace/parser.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace upskill;
using namespace upskill::trace;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

struct Seen {
  std::uint64_t offset;
  std::string all; // that the event says

  friend bool operator==(const Seen&, const Seen&) = default;
};

// Writes every event down, and looks at what holds for all of them.
class WriteDown : public EventSink {
public:
  explicit WriteDown(std::uint64_t size)
      : m_size(size) {}

  std::vector<Seen> events = {};

  void take(const Event& event) override {
    const Envelope& envelope = *event.envelope;
    promise(envelope.offset >= m_last && envelope.offset <= m_size);
    promise(envelope.length <= m_size);
    m_last = m_is_ordered ? envelope.offset : 0;
    m_all.clear();
    for (std::string_view text : {envelope.id,
                                  envelope.parent,
                                  envelope.session,
                                  envelope.forked_from,
                                  envelope.agent,
                                  envelope.turn,
                                  envelope.cwd,
                                  envelope.branch,
                                  envelope.version,
                                  envelope.harness,
                                  event.name,
                                  event.call,
                                  event.message,
                                  event.model,
                                  event.skill}) {
      promise(is_utf8(text));
      add(text);
    }
    std::string text = event.text.decoded();
    promise(is_utf8(text) && is_utf8(event.text.decoded(7)) && is_utf8(event.text.decoded_end(7)));
    promise(text.size() <= 3 * event.text.raw_size() + 3);
    add(text);
    add_numbers(event);
    events.push_back({envelope.offset, m_all});
  }

  // A document's head has the place of the whole, and comes last.
  void expect_no_order() { m_is_ordered = false; }

private:
  void add(std::string_view text) {
    m_all += text;
    m_all += '\0';
  }

  void add(std::int64_t number) { add(std::to_string(number)); }

  void add_numbers(const Event& event) {
    const Envelope& envelope = *event.envelope;
    add(static_cast<std::int64_t>(envelope.length));
    add(envelope.time_ms.value_or(-1));
    add(std::int64_t{envelope.is_sidechain});
    add(static_cast<std::int64_t>(event.kind));
    add(static_cast<std::int64_t>(event.form));
    add(std::int64_t{event.part});
    add(std::int64_t{event.images});
    add(event.is_error ? std::int64_t{*event.is_error} : -1);
    add(event.exit_code ? std::int64_t{*event.exit_code} : std::int64_t{1} << 40);
    if (event.usage) {
      add(event.usage->input.value_or(-1));
      add(event.usage->output.value_or(-1));
      add(event.usage->cache_read.value_or(-1));
      add(event.usage->cache_write.value_or(-1));
      add(std::int64_t{event.usage->is_total});
    }
  }

  std::uint64_t m_size;
  std::uint64_t m_last = 0;
  bool m_is_ordered = true;
  std::string m_all = {};
};

struct Outcome {
  std::vector<Seen> events;
  std::uint64_t resume;
};

Outcome read(Format format, std::string_view bytes, std::uint64_t offset, std::size_t step) {
  TraceParser parser(format, offset);
  WriteDown sink(bytes.size());
  if (!is_line_format(format)) {
    sink.expect_no_order();
  }
  for (std::size_t at = offset; at < bytes.size(); at += step) {
    parser.take(bytes.substr(at, step), sink);
  }
  parser.finish(sink);
  promise(parser.resume_offset() >= offset && parser.resume_offset() <= bytes.size());
  return {std::move(sink.events), parser.resume_offset()};
}

} // namespace

// A byte for the format, one for where the file is cut and how large the pieces are, and a trace of
// any bytes: read in pieces, or up to the cut and on from there, it has the events of the whole.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  Format format = static_cast<Format>(data[0] % EnumNames<Format>::names.size());
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  detect_format(bytes, true);
  detect_format(bytes.substr(0, bytes.size() / 2), false);

  Outcome whole = read(format, bytes, 0, bytes.size() + 1);
  promise(read(format, bytes, 0, 1 + data[1]).events == whole.events);

  std::string_view before = bytes.substr(0, bytes.size() * data[1] / 255);
  Outcome first = read(format, before, 0, before.size() + 1);
  std::erase_if(first.events, [&](const Seen& seen) { return seen.offset >= first.resume; });
  Outcome second = read(format, bytes, first.resume, bytes.size() + 1);
  first.events.insert(first.events.end(), second.events.begin(), second.events.end());
  promise(first.events == whole.events);
  return 0;
}
