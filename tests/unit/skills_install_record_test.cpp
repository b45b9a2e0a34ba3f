#include "skills/install/record.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::install;

namespace {

InstallRow full_row() {
  InstallRow row;
  row.skill = "pdf";
  row.scope = "/home/me/project";
  row.source = {.kind = SourceKind::git,
                .name = "owner/repo",
                .type = "github",
                .address = "https://github.com/owner/repo.git",
                .ref = "v1",
                .folder = "skills"};
  row.from = "skills/pdf";
  row.commit = std::string(40, 'a');
  row.digest = "sha256:" + std::string(64, 'b');
  row.base = sha256("base");
  row.renamed_from = "PDF \"tools\"\n";
  row.agents = {"claude-code", "codex"};
  row.links = true;
  row.allowed = {sha256("x").hex()};
  row.held = sha256("held");
  row.installed_ms = 1'700'000'000'000;
  row.updated_ms = 1'700'000'000'001;
  return row;
}

InstallRow small_row(std::string skill, SourceKind kind = SourceKind::folder) {
  InstallRow row;
  row.skill = std::move(skill);
  row.source.kind = kind;
  row.base = sha256("base");
  return row;
}

Result<InstallRecord> record_of(const std::string& rows) {
  return InstallRecord::parse("{\"version\": 1, \"installed\": [" + rows + "]}");
}

std::string row_with(const std::string& more) {
  return R"({"skill": "pdf", "kind": "git", "base": ")" + std::string(64, '0') + "\"" + more + "}";
}

} // namespace

TEST_SUITE("InstallRecord") {
  TEST_CASE("nothing is an empty record, which is written as one") {
    Result<InstallRecord> record = InstallRecord::parse("");
    REQUIRE(record);
    CHECK(record->rows().empty());
    CHECK(record->text() == "{\n  \"version\": 1,\n  \"installed\": []\n}\n");
    CHECK(InstallRecord::parse(record->text())->rows().empty());
  }

  TEST_CASE("every field comes back") {
    InstallRecord record;
    record.put(full_row());
    record.put(small_row("a", SourceKind::archive));
    record.put(small_row("b", SourceKind::document));
    record.put(small_row("c", SourceKind::archive_at));
    record.put(small_row("d", SourceKind::document_at));
    record.put(small_row("e", SourceKind::well_known));
    record.put(small_row("f", SourceKind::mcp));
    Result<InstallRecord> again = InstallRecord::parse(record.text());
    REQUIRE(again);
    CHECK(again->rows() == record.rows());
    CHECK(again->text() == record.text());
    REQUIRE(again->find("/home/me/project", "pdf") != nullptr);
    CHECK(*again->find("/home/me/project", "pdf") == full_row());
    CHECK(again->find("", "pdf") == nullptr);
  }

  TEST_CASE("rows are written in one order, and what is empty is not") {
    InstallRecord one;
    InstallRecord other;
    one.put(small_row("b"));
    one.put(small_row("a"));
    one.put(full_row());
    other.put(full_row());
    other.put(small_row("a"));
    other.put(small_row("b"));
    CHECK(one.text() == other.text());
    CHECK(one.text().find("\"a\"") < one.text().find("\"b\""));
    InstallRecord small;
    small.put(small_row("a"));
    CHECK(small.text().find("\"\"") == std::string::npos);
    CHECK(small.text().find("held") == std::string::npos);
  }

  TEST_CASE("a row that is set aside is none until it is taken back") {
    Result<InstallRecord> record = record_of(row_with(R"(, "pinned": 2.50)"));
    REQUIRE(record);
    record->put(full_row());
    const std::string before = record->text();
    const InstallKey key{full_row().scope, full_row().skill};
    record->set_aside(key, {{}, sha256("left"), "PDF", R"({"source": "a/b"})", 5});
    record->set_aside({"", "pdf"}, {{}, sha256("left"), "", "", 6});
    record->set_aside({"", "nothing"}, {});
    CHECK(record->rows().empty());
    Result<InstallRecord> again = InstallRecord::parse(record->text());
    REQUIRE_MESSAGE(again, again.error().message);
    CHECK(again->rows().empty());
    CHECK(again->removed() == record->removed());
    REQUIRE(again->removed().size() == 2);
    CHECK(again->removed().at(key).row == full_row());
    CHECK(again->removed().at(key).left == sha256("left"));
    CHECK(again->removed().at(key).lock_entry == R"({"source": "a/b"})");
    again->take_back(key);
    again->take_back({"", "pdf"});
    again->take_back({"", "nothing"});
    CHECK(again->text() == before);
    record->put(full_row()); // installed anew
    CHECK(record->removed().size() == 1);
    record->remove("", "pdf");
    CHECK(record->removed().empty());
  }

  TEST_CASE("the newest of those that are set aside are kept") {
    InstallRecord record;
    for (std::size_t i = 0; i < k_most_removed + 2; ++i) {
      std::string skill = "s" + std::to_string(i);
      record.put(small_row(skill));
      record.set_aside({"", skill}, {{}, {}, "", "", static_cast<std::int64_t>(5000 - i)});
    }
    CHECK(record.removed().size() == k_most_removed);
    CHECK(record.removed().contains({"", "s0"}));
    CHECK_FALSE(record.removed().contains({"", "s" + std::to_string(k_most_removed)}));
  }

  TEST_CASE("a damaged row that was set aside is damage") {
    std::string good = row_with(", \"left\": \"" + std::string(64, '1') + "\"");
    auto parse = [](const std::string& installed, const std::string& removed) {
      return InstallRecord::parse("{\"version\": 1, \"installed\": [" + installed
                                  + "], \"removed\": " + removed + "}");
    };
    CHECK(parse("", "[" + good + "]"));
    for (const std::string& removed :
         {std::string("{}"), "[" + row_with("") + "]", "[" + good + "," + good + "]"}) {
      CAPTURE(removed);
      REQUIRE_FALSE(parse("", removed));
      CHECK(parse("", removed).error().code == ErrorCode::corrupt);
    }
    CHECK_FALSE(parse(row_with(""), "[" + good + "]"));
  }

  TEST_CASE("puts and removes") {
    InstallRecord record;
    record.put(small_row("a"));
    InstallRow changed = small_row("a");
    changed.commit = "1234";
    record.put(changed);
    CHECK(record.rows().size() == 1);
    CHECK(record.find("", "a")->commit == "1234");
    CHECK_FALSE(record.remove("/p", "a"));
    CHECK(record.remove("", "a"));
    CHECK_FALSE(record.remove("", "a"));
    CHECK(record.rows().empty());
  }

  TEST_CASE("fields of a newer version stay, and go with their row") {
    Result<InstallRecord> record = record_of(row_with(R"(, "pinned": {"why": [1, 2.50]})"));
    REQUIRE(record);
    CHECK(record->text().find("2.50") != std::string::npos);
    record->put(small_row("pdf"));
    Result<InstallRecord> again = InstallRecord::parse(record->text());
    REQUIRE(again);
    CHECK(again->text().find("\"pinned\"") != std::string::npos);
    again->remove("", "pdf");
    again->put(small_row("pdf"));
    CHECK(again->text().find("\"pinned\"") == std::string::npos);
  }

  TEST_CASE("what is damaged is never an empty record") {
    for (std::string_view text : {"{",
                                  "[]",
                                  "null",
                                  "{}",
                                  " ",
                                  "{\"version\": 1}",
                                  "{\"installed\": []}",
                                  "{\"version\": 2, \"installed\": []}",
                                  "{\"version\": 1, \"installed\": {}}",
                                  "{\"version\": 1, \"installed\": [1]}",
                                  "{\"version\": 1, \"installed\": [{}]}",
                                  "<<<<<<< HEAD\n"}) {
      CAPTURE(text);
      Result<InstallRecord> record = InstallRecord::parse(text);
      REQUIRE_FALSE(record);
      CHECK(record.error().code == ErrorCode::corrupt);
      CHECK_FALSE(record.error().hint.empty());
    }
    REQUIRE(record_of(row_with("")).has_value());
    CHECK_FALSE(record_of(row_with("") + "," + row_with("")).has_value());
    for (std::string_view more : {R"(, "skill": "../x")",
                                  R"(, "skill": "nul")",
                                  R"(, "skill": 1)",
                                  R"(, "scope": "relative")",
                                  R"(, "scope": "/a/../b")",
                                  R"(, "kind": "ftp")",
                                  R"(, "base": "0")",
                                  R"(, "base": "")",
                                  R"(, "held": "x")",
                                  R"(, "folder": "../x")",
                                  R"(, "folder": "/x")",
                                  R"(, "from": "a/../../x")",
                                  R"(, "agents": "codex")",
                                  R"(, "agents": [1])",
                                  R"(, "links": 1)",
                                  R"(, "installed_ms": 1.5)",
                                  R"(, "installed_ms": "1")",
                                  R"(, "updated_ms": 18446744073709551615)"}) {
      CAPTURE(more);
      Result<InstallRecord> record = record_of(row_with(std::string(more)));
      REQUIRE_FALSE(record);
      CHECK(record.error().code == ErrorCode::corrupt);
    }
  }

  TEST_CASE("what a server calls its skill is no path") {
    InstallRecord record;
    InstallRow row = small_row("pdf", SourceKind::mcp);
    row.from = "skill://acme/../pdf/SKILL.md";
    record.put(row);
    Result<InstallRecord> again = InstallRecord::parse(record.text());
    REQUIRE(again);
    CHECK(again->find("", "pdf")->from == row.from);
  }

  TEST_CASE("hostile sizes are refused") {
    Result<InstallRecord> large = InstallRecord::parse(std::string(17u << 20, ' '));
    REQUIRE_FALSE(large);
    CHECK(large.error().code == ErrorCode::too_large);
    std::string many;
    for (int i = 0; i < 1'100'000; ++i) {
      many += "0,";
    }
    Result<InstallRecord> values = record_of(row_with(", \"x\": [" + many + "0]"));
    REQUIRE_FALSE(values);
    CHECK(values.error().code == ErrorCode::too_large);
    std::string deep(100'000, '[');
    CHECK(record_of(row_with(", \"x\": " + deep)).error().code == ErrorCode::corrupt);
    CHECK_FALSE(record_of(row_with(", \"commit\": \"" + std::string(10'000, 'a') + "\"")));
  }

  TEST_CASE("what could not be read again is not written") {
    auto written = [](auto change) {
      InstallRow row = full_row();
      change(row);
      InstallRecord record;
      record.put(row);
      Result<std::string> text = record.checked_text();
      CHECK(text.has_value() == InstallRecord::parse(record.text()).has_value());
      return text.has_value();
    };
    CHECK(written([](InstallRow&) {}));
    CHECK_FALSE(written([](InstallRow& row) { row.skill = "../x"; }));
    CHECK_FALSE(written([](InstallRow& row) { row.scope = "/home/../me"; }));
    CHECK_FALSE(written([](InstallRow& row) { row.from = "/etc"; }));
    CHECK_FALSE(written([](InstallRow& row) { row.source.folder = "a/../.."; }));
    CHECK_FALSE(written([](InstallRow& row) { row.source.name = std::string(8193, 'x'); }));
    CHECK_FALSE(written([](InstallRow& row) { row.agents.assign(1001, "a"); }));
    CHECK_FALSE(written([](InstallRow& row) { row.allowed = {std::string(8193, 'x')}; }));
    CHECK_FALSE(written([](InstallRow& row) { row.commit = "\xFF"; }));
  }

  TEST_CASE("many skills are read again") {
    InstallRecord record;
    for (int i = 0; i < 30'000; ++i) {
      record.put(small_row("skill-" + std::to_string(i)));
    }
    Result<InstallRecord> again = InstallRecord::parse(record.text());
    REQUIRE(again);
    CHECK(again->rows().size() == 30'000);
  }
}
