#include "skills_store_sessions.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;

namespace {

std::string listed(TraceStore& store, const SessionFilter& filter) {
  return names_of(value_of(store.list(filter, std::nullopt, 100)));
}

std::string removed_keys(const std::vector<RemovedSession>& removed) {
  std::string keys;
  for (const RemovedSession& one : removed) {
    keys += one.key + " ";
  }
  return keys;
}

} // namespace

TEST_SUITE("TraceStore search") {
  TEST_CASE("every filter leaves out what it must, alone and together") {
    Folder folder;
    TraceStore store = open_store(folder);
    SessionRow a = session("a", 200);
    a.started_ms = 100;
    a.project = "/home/p";
    a.tools = {{"Bash", 1, 0}};
    a.outcome = "success";
    SessionRow b = session("b", 400);
    b.started_ms = 300;
    b.project = "/home/p/sub";
    b.skills = {{"git", 1}};
    b.counts.errors = 1;
    SessionRow c = session("c", 600);
    c.harness = "codex";
    c.project = "/home/pp";
    SessionRow helper = session("a", 150);
    helper.agent = "h";
    for (const SessionRow& row : {a, b, c, helper}) {
      value_of(store.put_session(row, IndexText{.prompts = "word of " + row.session}));
    }
    CHECK(listed(store, {}) == "c b a a ");
    CHECK(listed(store, {.harness = "codex"}) == "c ");
    CHECK(listed(store, {.session = "a"}) == "a a ");
    CHECK(listed(store, {.project = "/home/p"}) == "b a ");
    CHECK(listed(store, {.project = "/home/p/"}) == "b a ");
    CHECK(listed(store, {.project = "/home/p%"}) == "");
    CHECK(listed(store, {.since_ms = 200}) == "c b a ");
    CHECK(listed(store, {.since_ms = 201}) == "c b ");
    CHECK(listed(store, {.until_ms = 300}) == "a a ");
    CHECK(listed(store, {.until_ms = 301}) == "b a a ");
    CHECK(listed(store, {.tool = "Bash"}) == "a ");
    CHECK(listed(store, {.skill = "git"}) == "b ");
    CHECK(listed(store, {.outcome = "success"}) == "a ");
    CHECK(listed(store, {.text = "b"}) == "b ");
    CHECK(listed(store, {.text = "-b"}) == "c a a ");
    CHECK(listed(store, {.text = "?"}) == "");
    for (SessionFilter filter : {SessionFilter{.text = "word", .harness = "codex"},
                                 SessionFilter{.text = "word", .project = "/home/pp"},
                                 SessionFilter{.text = "word", .since_ms = 500}}) {
      auto hits = value_of(store.search(filter, 9));
      REQUIRE(hits.size() == 1);
      CHECK(hits[0].session.session == "c");
    }
    CHECK(value_of(store.search({.text = "word", .skill = "pdf"}, 9)).empty());
    CHECK(value_of(store.search({.harness = "codex"}, 9)).size() == 1); // nothing to rank by
  }

  TEST_CASE("pages go on where the last one ended, also among sessions of one time") {
    Folder folder;
    TraceStore store = open_store(folder);
    for (int i = 0; i < 10; ++i) {
      value_of(store.put_session(session(std::to_string(i), i / 5)));
    }
    std::string all;
    std::optional<SessionPosition> after;
    for (;;) {
      auto page = value_of(store.list({}, after, 3));
      if (page.empty()) {
        break;
      }
      all += names_of(page);
      after = SessionPosition{page.back().active_ms(), page.back().id};
    }
    CHECK(all == "9 8 7 6 5 4 3 2 1 0 ");
  }

  TEST_CASE("the best comes first: in the title, then in prompts, then often") {
    Folder folder;
    TraceStore store = open_store(folder);
    std::string filler = "some other words that fill a session up ";
    value_of(store.put_session(session("once", 1), IndexText{.answers = filler + "tensor"}));
    value_of(
        store.put_session(session("often", 2), IndexText{.answers = "tensor tensor " + filler}));
    value_of(store.put_session(session("prompt", 3), IndexText{.prompts = filler + "tensor"}));
    value_of(
        store.put_session(session("title", 4), IndexText{.title = "tensor", .answers = filler}));
    value_of(store.put_session(session("none", 5), IndexText{.answers = filler}));
    auto hits = value_of(store.search({.text = "tensor"}, 9));
    std::string order;
    for (const SearchHit& hit : hits) {
      order += hit.session.session + " ";
    }
    CHECK(order == "title prompt often once ");
    CHECK(hits[0].score < hits[3].score);
    CHECK(hits[1].snippet.text == filler + "tensor");
    CHECK(hits[1].snippet.marks == std::vector<SnippetMark>{{filler.size(), 6}});
    CHECK(value_of(store.search({.text = "tensor"}, 2)).size() == 2);
  }

  TEST_CASE("of a word that is nearly everywhere, the sessions that came last are compared") {
    Folder folder;
    TraceStore store = open_store(folder);
    Transaction transaction = value_of(store.begin());
    for (int i = 0; i <= 2000; ++i) {
      SessionRow row = session(std::to_string(i), i);
      row.harness = i < 2 ? "codex" : "claude";
      value_of(store.put_session(
          row, IndexText{.title = i < 2 ? "tensor" : "", .answers = "tensor and more"}));
    }
    REQUIRE(transaction.commit());
    // The first is the 2,001st from the end; the second is as good, and compared.
    auto hits = value_of(store.search({.text = "tensor"}, 2));
    REQUIRE(hits.size() == 2);
    CHECK(hits[0].session.session == "1");
    CHECK(hits[1].session.session == "2000");
    // Where the filter leaves few of them, all are.
    CHECK(value_of(store.search({.text = "tensor", .harness = "codex"}, 9)).size() == 2);
    CHECK(value_of(store.list({.text = "tensor", .until_ms = 1}, std::nullopt, 9)).size() == 1);
  }

  TEST_CASE("words as people write them are found") {
    Folder folder;
    TraceStore store = open_store(folder);
    value_of(store.put_session(
        session("a", 1),
        IndexText{.prompts = "Fix kernel_launch.cu, it says \u201cinvalid device function\u201d",
                  .answers = "Caf\u00e9 \u7f16\u8bd1\u5185\u6838\u6a21\u5757",
                  .work = "nvcc -O3 --max-jobs=4\nerror: expected ';'"}));
    for (const char* text : {"nvcc",
                             "NVCC",
                             "kernel_launch.cu",
                             "launch",
                             "kern*",
                             "\"invalid device\"",
                             "cafe",
                             "caf\u00c9",
                             "\u5185\u6838",
                             "\u6838",
                             "--max-jobs",
                             "max-jobs=4",
                             "\"-O3\"",
                             "expected ';'",
                             "invalid -missing",
                             "\"device func\"*"}) {
      CAPTURE(text);
      CHECK(found(store, text) == "a ");
    }
    for (const char* text :
         {"kern", "\"device invalid\"", "\u6838\u5185", "nvcc -error", "nvcc missing"}) {
      CAPTURE(text);
      CHECK(found(store, text) == "");
    }
  }

  TEST_CASE("no query is an error, whatever is typed") {
    Folder folder;
    TraceStore store = open_store(folder);
    value_of(store.put_session(session("a", 1), IndexText{.prompts = "one two three"}));
    unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::vector<std::string> pieces{
        "one",       "two",  "\"",   "'",      "*",      "-",
        "+",         "(",    ")",    "{",      "}",      ":",
        "^",         ",",    " ",    " ",      "\n",     "AND",
        "OR",        "NOT",  "NEAR", "NEAR(",  "title:", "\\",
        ";",         "--",   "\xFF", "\u5185", "\u0301", std::string("\0", 1),
        "%",         "rank", "-\"",  "\"*",    "9",      "\u2014",
        "\U0001F600"};
    for (int i = 0; i < 3000; ++i) {
      std::string text;
      for (unsigned n = random() % 12; n > 0; --n) {
        text += random() % 8 == 0 ? std::string(1, static_cast<char>(random()))
                                  : pieces[random() % pieces.size()];
      }
      CAPTURE(text);
      auto searched = store.search({.text = text}, 3);
      REQUIRE_MESSAGE(searched.has_value(), (searched ? "" : searched.error().message));
      for (const SearchHit& hit : *searched) {
        for (const SnippetMark& mark : hit.snippet.marks) {
          REQUIRE(mark.begin + mark.length <= hit.snippet.text.size());
        }
      }
      REQUIRE(store.list({.text = text}, std::nullopt, 3));
      // A word that is typed plainly among all of it is still looked for.
      auto with_missing = store.search({.text = "missing " + text}, 3);
      REQUIRE(with_missing);
      REQUIRE(with_missing->empty());
    }
  }

  TEST_CASE("random sessions are found by every word they have, and by none they lost") {
    Folder folder;
    TraceStore store = open_store(folder);
    unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::vector<std::string> words{"al", "be", "ga", "de", "ep", "\u00e9t", "\u5185", "x_y"};
    std::vector<std::string> texts(6);
    for (int round = 0; round < 150; ++round) {
      std::size_t at = random() % texts.size();
      std::string name = std::to_string(at);
      if (random() % 5 == 0) {
        if (auto row = value_of(store.find_key("claude/" + name))) {
          value_of(store.remove(row->id, round));
        }
        texts[at].clear();
      } else {
        texts[at].clear();
        for (unsigned n = random() % 6; n > 0; --n) {
          texts[at] += words[random() % words.size()] + " ";
        }
        value_of(store.put_session(session(name, round), IndexText{.work = texts[at]}));
      }
      const std::string& word = words[random() % words.size()];
      std::string expected;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        expected += texts[i].find(word) != std::string::npos ? std::to_string(i) + " " : "";
      }
      CAPTURE(word);
      REQUIRE(found(store, word) == expected);
    }
    check_index(folder);
  }

  TEST_CASE("what a person purges goes with its words, and is known to have gone") {
    Folder folder;
    TraceStore store = open_store(folder);
    for (int i = 0; i < 4; ++i) {
      SessionRow row = session(std::to_string(i), 100 * i);
      row.harness = i == 3 ? "codex" : "claude";
      row.project = i == 2 ? "/home/q" : "/home/p";
      row.object = row.harness + "/" + row.session + ".zst";
      row.object_size = 10 + i;
      row.source = "/s/" + row.session;
      row.source_size = 50;
      value_of(store.put_session(row, IndexText{.prompts = "secretword"}));
    }
    auto removed = value_of(
        store.remove_where({.harness = "claude", .project = "/home/p", .before_ms = 100}, 7));
    REQUIRE(removed.size() == 1);
    CHECK(removed[0].key == "claude/0");
    CHECK(removed[0].object == "claude/0.zst");
    CHECK(removed[0].object_size == 10);
    CHECK(value_of(store.was_purged("claude/0")) == PurgedMark{"claude/0", "/s/0", 50, 7});
    CHECK(value_of(store.was_source_purged("/s/0"))->key == "claude/0");
    CHECK_FALSE(value_of(store.was_purged("claude/1")));
    CHECK(found(store, "secretword") == "1 2 3 ");
    CHECK(removed_keys(value_of(store.remove_where({.project = "/home/q"}, 8))) == "claude/2 ");
    CHECK(removed_keys(value_of(store.remove_where({}, 9))) == "claude/1 codex/3 ");
    CHECK(value_of(store.remove_where({}, 9)).empty());
    CHECK(value_of(store.totals()).sessions == 0);
    // Who imports it on purpose has it again.
    value_of(store.put_session(session("0", 1)));
    CHECK_FALSE(value_of(store.was_purged("claude/0")));
  }

  TEST_CASE("a removed row is overwritten, not only forgotten") {
    Folder folder;
    {
      TraceStore store = open_store(folder);
      SessionRow row = session("a", 1);
      row.title = "hush-title";
      row.state = std::string(20'000, 's') + "hush-state";
      std::int64_t id = value_of(store.put_session(row));
      REQUIRE(store.remove(id, 2));
    }
    CHECK(read(folder / "traces.db").find("hush") == std::string::npos);
  }

  TEST_CASE("after a purge, nothing of it is left in the file") {
    Folder folder;
    {
      TraceStore store = open_store(folder);
      SessionRow row = session("a", 1);
      row.title = "hush-title";
      row.state = "hush-state";
      value_of(store.put_session(row, IndexText{.prompts = "hushword"}));
      value_of(store.put_session(session("b", 1), IndexText{.prompts = "stays"}));
      CHECK(value_of(store.remove_where({}, 2)).size() == 2);
      value_of(store.put_session(session("b", 1), IndexText{.prompts = "stays"}));
      REQUIRE(store.compact());
      CHECK(found(store, "stays") == "b ");
    }
    std::string bytes = read(folder / "traces.db");
    CHECK(bytes.find("stays") != std::string::npos); // as it would be found
    CHECK(bytes.find("hush") == std::string::npos);
  }

  TEST_CASE("too old or too much goes, oldest first, and the newest stays") {
    Folder folder;
    TraceStore store = open_store(folder);
    for (int i = 0; i < 5; ++i) {
      SessionRow row = session(std::to_string(i), 100 * i);
      row.object_size = 10;
      row.is_raw = i % 2 == 0;
      row.imported_ms = i == 0 ? 250 : 0; // an old one that was imported late
      value_of(store.put_session(row));
    }
    auto excess = [&store](const TraceLimits& limits) {
      return removed_keys(value_of(store.find_excess(limits)));
    };
    CHECK(excess({}) == "");
    CHECK(excess({.before_ms = 250}) == "claude/1 claude/2 ");
    CHECK(excess({.before_ms = 251}) == "claude/1 claude/2 claude/0 ");
    CHECK(excess({.bytes = 50}) == "");
    CHECK(excess({.bytes = 49}) == "claude/1 ");
    CHECK(excess({.bytes = 20}) == "claude/1 claude/2 claude/0 ");
    CHECK(excess({.bytes = 1}) == "claude/1 claude/2 claude/0 claude/3 ");
    CHECK(excess({.raw_bytes = 20}) == "claude/2 ");
    TraceTotals totals = value_of(store.totals());
    CHECK(totals.sessions == 5);
    CHECK(totals.object_bytes == 50);
    CHECK(totals.raw_bytes == 30);
    CHECK(totals.database_bytes > 4096);
  }
}
