#pragma once
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::bench {

struct Settings {
  std::size_t runs = 5;
  std::string folder = "/var/tmp"; // on a disk; each bench makes a folder of its own in it
  std::string programs = {};       // where `upskill` and `upskilld` lie
};

// What makes a bench end without a figure; `main` prints it and goes on with the next.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool fact, std::string_view otherwise);

enum class Judged {
  ratio,  // ours / floor at most the bound
  value,  // ours at most the bound
  nothing // for the record
};

// One figure. Times are in `unit`, all other things too.
struct Line {
  std::string name;
  std::string unit;
  double ours = 0;
  double floor = 0; // 0: there is none
  Judged judged = Judged::nothing;
  double bound = 0;
  bool aim = false; // an aim (G1 to G12) and no bound that must be met
  std::string what; // ours and the floor, in words

  double ratio() const { return floor > 0 ? ours / floor : 0; }

  bool met() const {
    return judged == Judged::nothing || (judged == Judged::ratio ? ratio() : ours) <= bound;
  }
};

using Report = std::function<void(const Line&)>;

struct Bench {
  std::string_view name;
  void (*run)(const Settings&, const Report&);
  std::string_view what;
};

const std::vector<Bench>& benches();

void first_sync(const Settings&, const Report&);
void install_place(const Settings&, const Report&);
void install(const Settings&, const Report&);
void update_check(const Settings&, const Report&);
void rescan(const Settings&, const Report&);
void save_to_swapped(const Settings&, const Report&);
void torn_reads(const Settings&, const Report&);
void watch(const Settings&, const Report&);
void watch_save(const Settings&, const Report&);
void watch_cached(const Settings&, const Report&);
void watch_many(const Settings&, const Report&);
void watch_idle(const Settings&, const Report&);
void socket_call(const Settings&, const Report&);
void first_answer(const Settings&, const Report&);
void fifty(const Settings&, const Report&);
void commands(const Settings&, const Report&);
void hook(const Settings&, const Report&);
void mcp_call(const Settings&, const Report&);
void mcp_http(const Settings&, const Report&);
void mcp_clients(const Settings&, const Report&);
void mcp_beside(const Settings&, const Report&);
void eval_replay(const Settings&, const Report&);
void eval_calls(const Settings&, const Report&);
void eval_report(const Settings&, const Report&);
void generate(const Settings&, const Report&);
void trace_normalise(const Settings&, const Report&);
void trace_distill(const Settings&, const Report&);
void trace_import(const Settings&, const Report&);
void trace_usage(const Settings&, const Report&);
void trace_memory(const Settings&, const Report&);
void trace_follow(const Settings&, const Report&);
void hook_events(const Settings&, const Report&);
void trace_search(const Settings&, const Report&);
void redact(const Settings&, const Report&);

} // namespace upskill::bench
