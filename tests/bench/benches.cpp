#include "tests/bench/bench.h"

namespace upskill::bench {

const std::vector<Bench>& benches() {
  static const std::vector<Bench> all = {
      {"first_sync", first_sync, "1,000 skills of one root into three more"},
      {"install", install, "1,000 skills of a folder into three agents"},
      {"update_check", update_check, "whether there is anything new of 1,000 local skills"},
      {"rescan", rescan, "the same with nothing changed"},
      {"install_place", install_place, "1,000 skills of a folder into three roots"},
      {"save_to_swapped", save_to_swapped, "an edit until the last copy is swapped in"},
      {"torn_reads", torn_reads, "100,000 reads while versions come and go"},
      {"watch", watch, "10,000 skill folders: ready, memory, wake-ups, events"},
      {"watch_save", watch_save, "a save of a watched skill until it was looked at"},
      {"watch_cached", watch_cached, "the same of a version that has its verdict"},
      {"watch_many", watch_many, "300 watched skills saved at once until all are planned"},
      {"watch_idle", watch_idle, "300 watched skills in quiet: wake-ups, processor"},
      {"socket_call", socket_call, "one `status` call over the socket and through `upskill mcp`"},
      {"first_answer", first_answer, "from spawning `upskill mcp` to its first answer"},
      {"fifty", fifty, "fifty agents with twenty calls each"},
      {"commands", commands, "commands, spawn to exit"},
      {"hook", hook, "what an agent waits for at every tool use, spawn to exit"},
      {"mcp_call", mcp_call, "calls of an agent over stdio, one by one and 64 at once"},
      {"mcp_http", mcp_http, "calls over HTTP, one connection and sixteen"},
      {"mcp_clients", mcp_clients, "memory with 100 clients connected"},
      {"mcp_beside", mcp_beside, "a fast call while another client has 64 slow ones running"},
      {"eval_replay", eval_replay, "an evaluation of 10,000 samples that were answered before"},
      {"eval_calls", eval_calls, "cases against a model that answers after 50 ms"},
      {"eval_report", eval_report, "the report of 100,000 samples"},
      {"generate",
       generate,
       "a skill written and proven, against a model that answers after 50 ms"},
      {"trace_normalise", trace_normalise, "1 GB of sessions into events"},
      {"trace_distill", trace_distill, "1 GB of sessions into evidence"},
      {"trace_import", trace_import, "200 MB of sessions kept, stage by stage"},
      {"trace_usage", trace_usage, "what 1 GB of sessions used"},
      {"trace_memory", trace_memory, "memory while sessions of 2 GB are read and kept"},
      {"trace_follow", trace_follow, "a line that an agent writes until it can be read"},
      {"hook_events", hook_events, "the daemon's end of the hooks' spool"},
      {"trace_search", trace_search, "search in 10,000 sessions"},
      {"redact", redact, "secrets in what a distilled trace is made of"},
  };
  return all;
}

} // namespace upskill::bench
