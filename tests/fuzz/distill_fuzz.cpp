#include "protocol/base/utf8.h"
#include "skills/distill/distiller.h"
#include "skills/trace/parser.h"
#include "skills/trace_export/exporter.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

using namespace upskill;
using trace_export::ExportFormat;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

void read(trace::Format format, std::string_view bytes, trace::EventSink& sink) {
  trace::TraceParser parser(format);
  parser.take(bytes, sink);
  parser.finish(sink);
}

void check_distilled(const distill::Distiller& distiller, std::size_t tokens) {
  distill::Distilled result = distiller.distilled({tokens, {2}});
  std::uint64_t sum = result.kept;
  for (std::uint64_t count : result.left_out) {
    sum += count;
  }
  promise(sum == result.events);
  promise(result.text.size() <= 4 * tokens);
  promise(is_utf8(result.text));
}

void check_summary(trace::Format format, std::string_view bytes) {
  trace::Summary summary(format);
  read(format, bytes, summary);
  Result<trace::Summary> again = trace::Summary::restored(summary.saved(), format);
  promise(again && again->summary() == summary.summary());
}

void check_exports(trace::Format format, std::string_view bytes) {
  for (ExportFormat to : {ExportFormat::sts, ExportFormat::atif, ExportFormat::markdown}) {
    auto exporter = trace_export::make_exporter(to, format);
    read(format, bytes, *exporter);
    exporter->finish();
    std::string text = exporter->take_output();
    promise(is_utf8(text));
    if (to == ExportFormat::atif) {
      promise(nlohmann::json::accept(text));
    } else if (to == ExportFormat::sts) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        promise(nlohmann::json::accept(line));
      }
    }
  }
}

} // namespace

// As trace_fuzz.cpp: a byte for the format, one for the budget, and a trace of any bytes. What is
// made of it is within its bounds, adds up, and is what it says it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  trace::Format format =
      static_cast<trace::Format>(data[0] % EnumNames<trace::Format>::names.size());
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  // So little memory that something has to go.
  distill::Distiller distiller(format, nullptr, 4096);
  read(format, bytes, distiller);
  promise(distiller.memory() <= 4096);
  check_distilled(distiller, distill::k_least_tokens + data[1]);
  check_distilled(distiller, distill::k_default_tokens);
  check_summary(format, bytes);
  check_exports(format, bytes);
  return 0;
}
