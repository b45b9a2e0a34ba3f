#include "skills/agent_config/edit.h"
#include "skills/agent_config/json_tree.h"
#include "skills/agent_config/toml_tables.h"

#include <doctest/doctest.h>

#include <random>

using namespace upskill;
using namespace upskill::agent_config;

namespace {

const EntryPlace k_server{{"mcpServers"}, "upskill"};
const EntryPlace k_hook{{"hooks", "Stop"}, "", true};
const EntryPlace k_table{{"mcp_servers"}, "upskill"};
constexpr std::string_view k_value = R"({"command":"/u/upskill","args":["mcp"]})";
constexpr std::string_view k_hook_value =
    R"({"hooks":[{"type":"command","command":"/u/upskill hook Stop"}]})";

std::string put(Form form, std::string_view text, const EntryPlace& place, std::string_view value) {
  Result<PutResult> result = put_entry(form, text, place, value);
  REQUIRE(result);
  return result->text;
}

std::string error_of(Form form, std::string_view text) {
  Result<PutResult> result =
      put_entry(form, text, form == Form::json ? k_server : k_table, k_value);
  return result ? "none" : result.error().message;
}

// Puts both entries, takes both out again, and compares.
void check_round_trip(const std::string& text) {
  CAPTURE(text);
  Result<PutResult> server = put_entry(Form::json, text, k_server, k_value);
  REQUIRE(server);
  REQUIRE(server->outcome == PutOutcome::added);
  Result<PutResult> hook = put_entry(Form::json, server->text, k_hook, k_hook_value);
  REQUIRE(hook);
  CAPTURE(hook->text);
  Result<JsonNode> tree = parse_json_tree(hook->text);
  REQUIRE(tree);
  REQUIRE(tree->find("mcpServers") != nullptr);
  REQUIRE(tree->find("mcpServers")->find("upskill") != nullptr);
  Result<PutResult> again = put_entry(Form::json, hook->text, k_server, k_value);
  REQUIRE(again);
  CHECK(again->outcome == PutOutcome::present);
  Result<TakeResult> first = take_entry(Form::json, hook->text, k_hook, k_hook_value, hook->trace);
  REQUIRE(first);
  REQUIRE(first->outcome == TakeOutcome::taken);
  CHECK(first->text == server->text);
  Result<TakeResult> second = take_entry(Form::json, first->text, k_server, k_value, server->trace);
  REQUIRE(second);
  CHECK(second->text == text);
}

// JSON as people write it: blanks, comments and commas wherever they may be.
class Writer {
public:
  explicit Writer(unsigned seed)
      : m_random(seed)
      , m_newline(pick(3) == 0 ? "\r\n" : "\n")
      , m_unit(std::vector<std::string>{"  ", "    ", "\t", " "}[pick(4)])
      , m_is_line(pick(6) == 0) {}

  std::string document() {
    std::string text = pick(8) == 0 ? "\xEF\xBB\xBF" : "";
    text += pick(5) == 0 && !m_is_line ? "// mine" + m_newline : "";
    text += object(0, true);
    text += pick(3) == 0 ? "" : m_newline;
    return text + (pick(8) == 0 && !m_is_line ? "/* end */" : "");
  }

private:
  std::size_t pick(std::size_t number) { return m_random() % number; }

  std::string space(int depth) {
    if (m_is_line) {
      return pick(3) == 0 ? " " : "";
    }
    std::string indent;
    for (int i = 0; i < depth; ++i) {
      indent += m_unit;
    }
    switch (pick(7)) {
    case 0:
      return " /* c, \"x\": { */ ";
    case 1:
      return " // said: [" + m_newline + indent;
    case 2:
      return m_newline + m_newline + indent;
    default:
      return m_newline + indent;
    }
  }

  std::string value(int depth) {
    switch (pick(depth > 3 ? 4 : 6)) {
    case 0:
      return "\"a \\\" // \\u00e9 \xC3\xA9 {\"";
    case 1:
      return "-1.5e3";
    case 2:
      return "[1, \"two\"]";
    case 3:
      return "null";
    case 4:
      return "[" + object(depth + 1, false) + "]";
    default:
      return object(depth + 1, false);
    }
  }

  std::string object(int depth, bool is_root) {
    std::size_t members = pick(4);
    std::string text = "{";
    for (std::size_t i = 0; i < members; ++i) {
      text += (i > 0 ? (pick(9) == 0 ? " ," : ",") : "") + space(depth + 1);
      text += "\"k" + std::to_string(i) + "\"" + (pick(4) == 0 ? " : " : ": ") + value(depth);
    }
    if (is_root && pick(2) == 0) {
      text += (members > 0 ? "," : "") + space(depth + 1) + "\"mcpServers\": " + object(1, false);
      ++members;
    }
    if (is_root && pick(3) == 0) {
      text += (members > 0 ? "," : "") + space(depth + 1) + "\"hooks\": "
              + (pick(2) == 0 ? object(1, false) : "{\"Stop\": [" + space(2) + "]}");
      ++members;
    }
    text += members > 0 && pick(4) == 0 ? "," : "";
    return text + (pick(5) == 0 ? "" : space(depth)) + "}";
  }

  std::mt19937 m_random;
  std::string m_newline;
  std::string m_unit;
  bool m_is_line;
};

// A text with a few bytes that are other ones, gone or doubled.
std::string spoilt(std::string text, unsigned seed) {
  std::mt19937 random(seed);
  constexpr std::string_view k_bytes = "{}[]\",:/*# \n\r\\'=.a1\t";
  for (std::size_t i = 0; i < 1 + random() % 3 && !text.empty(); ++i) {
    std::size_t at = random() % text.size();
    switch (random() % 3) {
    case 0:
      text[at] = k_bytes[random() % k_bytes.size()];
      break;
    case 1:
      text.erase(at, 1 + random() % 4);
      break;
    default:
      text.insert(at, text.substr(at, 1 + random() % 4));
    }
  }
  return text;
}

std::string generated_toml(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](std::size_t number) { return random() % number; };
  std::string newline = pick(3) == 0 ? "\r\n" : "\n";
  const std::vector<std::string> lines{
      "# mine [mcp_servers.upskill]",
      "model = \"o\" # why",
      "text = \"\"\"" + newline + "[mcp_servers.upskill]" + newline + "\"\"\"",
      "list = [" + newline + "  1, # one" + newline + "  2," + newline + "]",
      "when = 1979-05-27 07:32:00Z",
      "",
      "path = 'C:\\x'",
      "inline = { a = 1, b.c = [] }"};
  std::string text = pick(8) == 0 ? "\xEF\xBB\xBF" : "";
  for (std::size_t section = 0; section < pick(4); ++section) {
    text += section == 0 ? "" : "[s" + std::to_string(section) + ".\"x y\"]" + newline;
    for (std::size_t i = 0; i < pick(6); ++i) {
      text += lines[pick(lines.size())] + newline;
    }
  }
  if (pick(3) == 0) {
    text += "[mcp_servers.other]" + newline + "command = \"x\"" + newline;
  }
  if (pick(3) == 0 && text.ends_with(newline)) {
    text.resize(text.size() - newline.size());
  }
  return text;
}

} // namespace

TEST_SUITE("put_entry in JSON") {
  TEST_CASE("behind its siblings, in their layout") {
    CHECK(put(Form::json, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n", k_server, k_value)
          == "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"upskill\": {\n      \"command\": "
             "\"/u/upskill\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n");
    CHECK(put(Form::json, "{\"a\":1}", k_server, k_value)
          == "{\"a\":1,\"mcpServers\":{\"upskill\":{\"command\":\"/u/"
             "upskill\",\"args\":[\"mcp\"]}}}");
    CHECK(put(Form::json, "", k_server, "1")
          == "{\n  \"mcpServers\": {\n    \"upskill\": 1\n  }\n}\n");
  }

  TEST_CASE("comments and commas stay where they are") {
    CHECK(put(Form::json,
              "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1, // one\r\n\t\t// two\r\n\t},\r\n}",
              k_server,
              "2")
          == "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1, // one\r\n\t\t\"upskill\": 2,\r\n\t\t// "
             "two\r\n\t},\r\n}");
    CHECK(put(Form::json, "{\n  \"mcpServers\": {\n    \"a\": 1 // one\n  }\n}", k_server, "2")
          == "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"upskill\": 2\n  }\n}");
  }

  TEST_CASE("one that is there stays, ours or not") {
    std::string text =
        R"({"mcpServers": {"upskill": {"args": [ "mcp" ], "command": "/u/upskill"}}})";
    CHECK(put_entry(Form::json, text, k_server, k_value)->outcome == PutOutcome::present);
    Result<PutResult> other = put_entry(Form::json, text, k_server, "{}");
    CHECK(other->outcome == PutOutcome::foreign);
    CHECK(other->text == text);
  }

  TEST_CASE("what is not JSON is told with its place") {
    CHECK(error_of(Form::json, "{\n  \"a\": 1\n  \"b\": 2\n}")
          == "line 3, column 3: `,` or `}` is missing");
    CHECK(error_of(Form::json, "{\"mcpServers\": []}") == "`mcpServers` in it is no object");
    CHECK(error_of(Form::json, "[]") == "it is no object");
    CHECK(error_of(Form::json, "{\"a\": 01}") == "line 1, column 7: this is no JSON value");
    CHECK(error_of(Form::json, "{} {}") == "line 1, column 4: something follows the value");
    CHECK(error_of(Form::json, "{\"a\": \"\xFF\"}") == "it is not UTF-8 text");
    CHECK(error_of(Form::json, "/* x") == "line 1, column 1: a comment is not closed");
    CHECK(error_of(Form::json, std::string(100, '[')) == "it is nested deeper than 64 levels");
    CHECK(error_of(Form::json, std::string((4u << 20) + 1, ' ')) == "it is larger than 4 MiB");
  }

  TEST_CASE("put in and taken out, a text is what it was") {
    for (const char* text : {"",
                             " \n",
                             "// c\n",
                             "{}",
                             "{ }\n",
                             "{\n}",
                             "{ // c\n}",
                             "{ /* c */ }",
                             "{\"mcpServers\":{}}",
                             "{\n \"a\":1}",
                             "{\"hooks\": {\"Stop\": [\n]}}",
                             "{\"a\":1 /*x*/ , // c\n}"}) {
      check_round_trip(text);
    }
    for (unsigned seed = 0; seed < 5000; ++seed) {
      check_round_trip(Writer(seed).document());
    }
  }
}

TEST_SUITE("texts that somebody spoilt") {
  TEST_CASE("are refused, or what was put in comes out again") {
    int refused = 0;
    int added = 0;
    for (unsigned seed = 0; seed < 20'000; ++seed) {
      bool is_json = seed % 2 == 0;
      Form form = is_json ? Form::json : Form::toml;
      std::string text = spoilt(is_json ? Writer(seed).document() : generated_toml(seed), seed + 1);
      const EntryPlace& place = is_json ? k_server : k_table;
      CAPTURE(text);
      Result<PutResult> put_in = put_entry(form, text, place, k_value);
      refused += put_in ? 0 : 1;
      if (!put_in || put_in->outcome != PutOutcome::added) {
        continue;
      }
      ++added;
      CAPTURE(put_in->text);
      REQUIRE(put_entry(form, put_in->text, place, k_value)->outcome == PutOutcome::present);
      Result<TakeResult> taken = take_entry(form, put_in->text, place, k_value, put_in->trace);
      REQUIRE(taken);
      REQUIRE(taken->outcome == TakeOutcome::taken);
      REQUIRE(taken->text == text);
    }
    CHECK(refused > 2000);
    CHECK(added > 2000);
  }
}

TEST_SUITE("take_entry in JSON") {
  TEST_CASE("what somebody added since stays") {
    Result<PutResult> put_in = put_entry(Form::json, "{}\n", k_server, "1");
    REQUIRE(put_in);
    std::string edited = put_in->text;
    edited.replace(edited.find("1\n"), 2, "1, // theirs\n    \"b\": 2\n");
    Result<TakeResult> taken = take_entry(Form::json, edited, k_server, "1", put_in->trace);
    REQUIRE(taken);
    CHECK(taken->outcome == TakeOutcome::taken);
    Result<JsonNode> tree = parse_json_tree(taken->text);
    REQUIRE(tree);
    CHECK(tree->find("mcpServers")->children.size() == 1);
    CHECK(taken->text.find("// theirs") != std::string::npos);
  }

  TEST_CASE("one that was edited stays, one that is gone is gone") {
    CHECK(take_entry(Form::json, R"({"mcpServers": {"upskill": 2}})", k_server, "1", {})->outcome
          == TakeOutcome::edited);
    CHECK(take_entry(Form::json, R"({"mcpServers": {}})", k_server, "1", {})->outcome
          == TakeOutcome::gone);
    CHECK(take_entry(Form::json, "", k_server, "1", {})->outcome == TakeOutcome::gone);
  }

  TEST_CASE("nothing that follows ends up in a comment") {
    std::string text = "{\"mcpServers\": { // c\n \"upskill\": 1, \"b\": 2}}";
    Result<TakeResult> taken = take_entry(Form::json, text, k_server, "1", {});
    REQUIRE(taken);
    Result<JsonNode> tree = parse_json_tree(taken->text);
    REQUIRE(tree);
    CHECK(tree->find("mcpServers")->find("b") != nullptr);
  }
}

TEST_SUITE("entries in TOML") {
  TEST_CASE("a table at the end") {
    CHECK(put(Form::toml, "model = \"o\"\n", k_table, k_value)
          == "model = \"o\"\n\n[mcp_servers.upskill]\ncommand = \"/u/upskill\"\nargs = "
             "[\"mcp\"]\n");
    CHECK(put(Form::toml, "", k_table, k_value)
          == "[mcp_servers.upskill]\ncommand = \"/u/upskill\"\nargs = [\"mcp\"]\n");
  }

  TEST_CASE("one that is there stays, however it is written") {
    auto outcome = [](std::string_view text) {
      Result<PutResult> result = put_entry(Form::toml, text, k_table, k_value);
      return result ? static_cast<int>(result->outcome) : -1;
    };
    int foreign = static_cast<int>(PutOutcome::foreign);
    CHECK(outcome("[ mcp_servers . \"upskill\" ] # c\nargs = [ 'mcp', ]\ncommand = '/u/upskill'")
          == static_cast<int>(PutOutcome::present));
    CHECK(outcome("[mcp_servers.upskill]\ncommand = \"x\"\n") == foreign);
    CHECK(outcome("[mcp_servers]\nupskill.command = \"x\"\n") == foreign);
    CHECK(outcome("mcp_servers.upskill = {}\n") == foreign);
    CHECK(outcome("[mcp_servers.upskill.env]\nA = \"1\"\n") == foreign);
    CHECK(outcome("mcp_servers = { a = {} }\n") == -1);
  }

  TEST_CASE("what is not TOML is told with its line") {
    CHECK(error_of(Form::toml, "a = 1\nb = \n") == "line 2: this is no TOML value");
    CHECK(error_of(Form::toml, "[a]\n[a]\n") == "line 2: this table is there twice");
    CHECK(error_of(Form::toml, "[a\n") == "line 1: `]` is missing");
    CHECK(error_of(Form::toml, "a = \"x\n") == "line 1: a string is not closed");
    CHECK(error_of(Form::toml, "a = 1 b = 2\n") == "line 1: something follows here");
    CHECK(error_of(Form::toml, "{\"a\": 1}") == "line 1: a key is missing");
  }

  TEST_CASE("put in and taken out, a text is what it was") {
    for (unsigned seed = 0; seed < 5000; ++seed) {
      std::string text = generated_toml(seed);
      CAPTURE(text);
      Result<PutResult> put_in = put_entry(Form::toml, text, k_table, k_value);
      if (!put_in) { // keys of one table twice are no matter of ours; a table twice is
        REQUIRE(put_in.error().message.find("twice") != std::string::npos);
        continue;
      }
      REQUIRE(put_in->outcome == PutOutcome::added);
      CHECK(put_entry(Form::toml, put_in->text, k_table, k_value)->outcome == PutOutcome::present);
      Result<TakeResult> taken =
          take_entry(Form::toml, put_in->text, k_table, k_value, put_in->trace);
      REQUIRE(taken);
      CHECK(taken->text == text);
    }
  }

  TEST_CASE("what somebody wrote around it stays") {
    Result<PutResult> put_in = put_entry(Form::toml, "a = 1", k_table, k_value);
    REQUIRE(put_in);
    std::string edited = put_in->text + "\n# theirs\n[mcp_servers.b]\ncommand = \"b\"\n";
    Result<TakeResult> taken = take_entry(Form::toml, edited, k_table, k_value, put_in->trace);
    REQUIRE(taken);
    CHECK(taken->text == "a = 1\n\n# theirs\n[mcp_servers.b]\ncommand = \"b\"\n");
    CHECK(
        take_entry(Form::toml, put_in->text + "enabled = false\n", k_table, k_value, put_in->trace)
            ->outcome
        == TakeOutcome::edited);
  }
}
