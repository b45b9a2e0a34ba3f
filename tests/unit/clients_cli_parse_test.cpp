#include "clients/cli/call_method.h"
#include "clients/cli/manual.h"
#include "clients/cli/parse.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

Result<Invocation> parsed(std::vector<std::string_view> words) {
  return parse(words);
}

std::string arguments(std::vector<std::string_view> words) {
  auto invocation = parse(words);
  return invocation ? invocation->arguments() : "error: " + invocation.error().message;
}

std::string hint(std::vector<std::string_view> words) {
  auto invocation = parse(words);
  REQUIRE_FALSE(invocation);
  CHECK(invocation.error().code == ErrorCode::invalid_argument);
  return invocation.error().hint;
}

Environment environment_of(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

} // namespace

TEST_SUITE("parse") {
  TEST_CASE("finds commands of one word and of two") {
    CHECK(parsed({"status"})->command.method->name == "status");
    CHECK(parsed({"sync", "undo"})->command.method->name == "sync_undo");
    CHECK(parsed({"daemon", "start"})->command.words == "daemon start");
    CHECK(parsed({})->command.words.empty());
  }

  TEST_CASE("what a command was called before is that command") {
    CHECK(parsed({"plot"})->command.words == "runs");
    CHECK(arguments({"plot", "-d", "logs", "-s", "pdf", "-s", "csv", "-m", "haiku"})
          == R"({"dir":"logs","skill":["pdf","csv"],"model":["haiku"]})");
    CHECK(arguments({"plot", "--metric", "tokens"}) == R"({"metric":"tokens"})");
    for (const Command& command : all_commands()) {
      CHECK(command_called(command.words) == command.words); // an alias hides no command
    }
  }

  TEST_CASE("a flag can make it another command, wherever it stands") {
    CHECK(parsed({"generate", "--propose"})->command.words == "propose");
    CHECK(arguments({"generate", "--since", "7d", "--propose", "-m", "haiku", "-n", "2"})
          == R"({"model":"haiku","since":"7d","limit":2})");
    CHECK(parsed({"generate", "--propose", "--help"})->command.words == "propose");
    CHECK(parsed({"generate", "kernels", "--propose"}).error().message
          == "`kernels` is one word too many for `upskill propose`");
    // After `--` it is a word like any other, and of no other command it is a flag.
    CHECK(arguments({"generate", "--", "--propose"}) == R"({"task":"--propose"})");
    CHECK(parsed({"propose", "--propose"}).error().message
          == "`upskill propose` has no option `--propose`");
    CHECK(parsed({"generate", "x", "--propose=yes"}).error().message
          == "`--propose` takes no value");
    CHECK_FALSE(has_field(parsed({"generate", "--propose"})->command, "task"));
  }

  TEST_CASE("a group that stands alone may be a command, and its slips are told all the same") {
    CHECK(parsed({"inbox"})->command.words == "inbox list");
    CHECK(arguments({"inbox", "-v"}) == R"({"verbose":true})");
    CHECK(parsed({"inbox", "--json"})->json);
    CHECK(arguments({"inbox", "list", "3f2a"}) == R"({"id":"3f2a"})");
    CHECK(parsed({"inbox", "accept", "3f2a"})->command.words == "inbox accept");
    CHECK(parsed({"inbox", "--help"})->command.words == "inbox");
    CHECK(hint({"inbox", "acept", "3f2a"}) == "did you mean `upskill inbox accept`?");
    CHECK(parsed({"sync"}).error().message == "`sync` needs a further word");
    // One that takes words itself is no group.
    CHECK(arguments({"eval", "./pdf"}) == R"({"skill":"./pdf"})");
    CHECK(parsed({"eval", "--help"})->command.words == "eval");
    CHECK(parsed({"eval", "accept", "pdf"})->command.words == "eval accept");
    CHECK(parsed({"watch"})->command.words == "watch");
    CHECK(parsed({"watch", "--help"})->command.words == "watch");
    CHECK(parsed({"watch", "run", "pdf"})->command.words == "watch run");
    CHECK(arguments({"watch", "pdf", "docx"}) == R"({"skill":["pdf","docx"]})");
    CHECK(arguments({"watch", "--", "run"}) == R"({"skill":["run"]})");
    CHECK(parsed({"watch", "--lines"})->command.words == "watch");
  }

  TEST_CASE("takes what upskill's generate takes, by its letters") {
    CHECK(arguments({"generate",
                     "parse YAML",
                     "-e",
                     "one",
                     "-e",
                     "two",
                     "-f",
                     "trace.md",
                     "-m",
                     "opus",
                     "--eval-model",
                     "haiku",
                     "--test-gen-model",
                     "kimi",
                     "-o",
                     "out",
                     "--no-eval",
                     "--no-log-runs",
                     "--runs-dir",
                     "logs",
                     "--tool",
                     "t.json#a",
                     "--max-parallel",
                     "4"})
          == R"({"task":"parse YAML","example":["one","two"],"tool":["t.json#a"],)"
             R"("from":["trace.md"],"model":"opus","test_gen_model":"kimi",)"
             R"("eval_model":["haiku"],"output":"out","no_eval":true,"jobs":4,)"
             R"("log_runs":false,"runs_dir":"logs"})");
    CHECK(parsed({"generate", "x", "--no-wait"})->moot == std::vector<std::string>{"--no-wait"});
    CHECK(parsed({"generate"}).error().message == "`upskill generate` needs `task`");
  }

  TEST_CASE("takes required fields as words in their order") {
    CHECK(arguments({"show", "pdf"}) == R"({"skill":"pdf"})");
    CHECK(arguments({"validate", "a", "b"}) == R"({"paths":["a","b"]})");
  }

  TEST_CASE("takes a loose positional with and without its name") {
    CHECK(arguments({"sync", "undo", "12"}) == R"({"id":12})");
    CHECK(arguments({"sync", "undo", "--id", "12"}) == R"({"id":12})");
    CHECK(arguments({"sync", "resolve", "pdf", "loser"}) == R"({"skill":"pdf","take":"loser"})");
    CHECK(arguments({"sync", "resolve", "--take=loser", "pdf"})
          == R"({"skill":"pdf","take":"loser"})");
  }

  TEST_CASE("takes options as their kinds say") {
    CHECK(arguments({"sync",
                     "enable",
                     "--agent",
                     "codex",
                     "--agent=cursor",
                     "--policy",
                     "mirror",
                     "--accept",
                     "--dry-run"})
          == R"({"policy":"mirror","agent":["codex","cursor"],"accept":true,"dry_run":true})");
    CHECK(arguments({"list", "-n", "5", "--replicas"}) == R"({"replicas":true,"limit":5})");
    CHECK(arguments({"list", "-n5", "-qpdf"}) == R"({"query":"pdf","limit":5})");
    CHECK(arguments({"agents", "-a"}) == R"({"all":true})");
    CHECK(arguments({"status"}) == "{}");
  }

  TEST_CASE("takes the options of every command anywhere") {
    auto invocation = parsed({"--json", "sync", "now", "-y", "--private", "--config", "c.yaml"});
    REQUIRE(invocation);
    CHECK(invocation->json);
    CHECK(invocation->yes);
    CHECK(invocation->run_private);
    CHECK(invocation->config == "c.yaml");
    CHECK(invocation->arguments() == "{}");
  }

  TEST_CASE("takes words after -- as they are") {
    CHECK(arguments({"validate", "--", "--json", "-x"}) == R"({"paths":["--json","-x"]})");
  }

  TEST_CASE("hands on what follows daemon run, but for what is its own") {
    auto invocation = parsed({"daemon", "run", "--log", "verbose", "--json", "--help", "-y"});
    REQUIRE(invocation);
    CHECK(invocation->rest == std::vector<std::string>{"--log", "verbose", "-y"});
    CHECK(invocation->json);
    CHECK(invocation->help);
  }

  TEST_CASE("keeps its own options out of the arguments") {
    auto invocation = parsed({"daemon", "logs", "-f", "-n", "3"});
    REQUIRE(invocation);
    CHECK(invocation->flag("follow"));
    CHECK(invocation->arguments() == R"({"lines":3})");
  }

  TEST_CASE("quotes hostile words for JSON") {
    CHECK(arguments({"show", "a\"\n\xFF"}) == "{\"skill\":\"a\\\"\\n\xEF\xBF\xBD\"}");
  }

  TEST_CASE("passes over what upskill has for jobs on other machines, where there are executors") {
    std::vector<std::string_view> words{
        "eval", "s", "--no-wait", "--jobs-timeout", "2h", "--jobs-flavor=cpu-basic", "--runs", "2"};
    CHECK(parsed(words)->moot
          == std::vector<std::string>{"--no-wait", "--jobs-timeout", "--jobs-flavor"});
    CHECK(arguments(words) == R"({"skill":"s","runs":2})");
    CHECK(parsed({"list", "--no-wait"}).error().message
          == "`upskill list` has no option `--no-wait`");
  }

  TEST_CASE("suggests what was probably meant") {
    CHECK(hint({"stauts"}) == "did you mean `upskill status`?");
    CHECK(hint({"sync", "enabel"}) == "did you mean `upskill sync enable`?");
    CHECK(hint({"conflicts"}) == "did you mean `upskill sync conflicts`?");
    CHECK(hint({"list", "--jsno"}) == "did you mean `--json`?");
    CHECK(hint({"sync", "plan", "--dryrun"}) == "did you mean `--dry-run`?");
    CHECK(hint({"zzzzzz"}) == "`upskill help` lists the commands");
    CHECK(hint({"list", "-x"}) == "`upskill help list` lists them");
  }

  TEST_CASE("refuses what is missing, too much, twice or of the wrong kind") {
    CHECK(parsed({"show"}).error().message == "`upskill show` needs `skill`");
    CHECK(parsed({"show", "a", "b"}).error().message
          == "`b` is one word too many for `upskill show`");
    CHECK(parsed({"list", "-n", "5", "-n", "6"}).error().message == "`-n` was given twice");
    CHECK(parsed({"list", "-n", "many"}).error().message
          == "`many` is not a whole number for `-n`");
    CHECK(parsed({"list", "--limit"}).error().message == "`--limit` needs a value");
    CHECK(parsed({"list", "--replicas=no"}).error().message == "`--replicas` takes no value");
    CHECK(parsed({"sync", "enable", "--policy", "best"}).error().message
          == "`best` is no value for `--policy`");
    CHECK(hint({"sync", "enable", "--policy", "best"}) == "one of cover, mirror");
    CHECK(parsed({"sync"}).error().message == "`sync` needs a further word");
    CHECK(parsed({"status", "--dry-run"}).error().message
          == "`upskill status` has no option `--dry-run`");
  }

  TEST_CASE("asks for nothing where help is wanted") {
    CHECK(parsed({"show", "--help"})->help);
    CHECK(parsed({"sync", "--help"})->command.words == "sync");
    CHECK(parsed({"--version"})->version);
  }

  TEST_CASE("shows no control character of a word in an error") {
    CHECK(parsed({"a\x1b[31mb"}).error().message == "there is no command `ab`");
  }
}

TEST_SUITE("installing") {
  TEST_CASE("is said as people know it") {
    CHECK(arguments({"install", "o/r", "-s", "pdf", "-s", "csv", "-a", "codex"})
          == R"({"source":"o/r","skill":["pdf","csv"],"agent":["codex"]})");
    CHECK(parsed({"add", "o/r"})->command.words == "install");
    CHECK(parsed({"rm", "pdf"})->command.words == "remove");
    CHECK(parsed({"uninstall", "pdf"})->command.words == "remove");
    CHECK(arguments({"update", "pdf", "csv"}) == R"({"skill":["pdf","csv"]})");
    CHECK(arguments({"outdated", "pdf"}) == R"({"skill":["pdf"]})");
    CHECK(arguments({"remove", "pdf", "csv", "-a", "cursor"})
          == R"({"skill":["pdf","csv"],"agent":["cursor"]})");
    CHECK(arguments({"find", "pdf", "forms"}) == R"({"words":["pdf","forms"]})");
    CHECK(arguments({"scan", "a", "b", "-o", "x"}) == R"({"path":["a","b"],"output":"x"})");
    CHECK(arguments({"rollback", "pdf", "3"}) == R"({"skill":"pdf","version":"3"})");
    CHECK(arguments({"rollback", "pdf", "--to", "3"}) == R"({"skill":"pdf","version":"3"})");
    CHECK(parsed({"rollback", "pdf", "--version"})->version);
  }

  TEST_CASE("--project is this folder or another, and means its skills") {
    CHECK(arguments({"install", "o/r", "--project"})
          == R"({"source":"o/r","scope":"project","project":"."})");
    CHECK(arguments({"update", "--project", "/p"}) == R"({"scope":"project","project":"/p"})");
    CHECK(arguments({"remove", "pdf", "--project", "--yes"})
          == R"({"skill":["pdf"],"scope":"project","project":"."})");
    CHECK(arguments({"update", "--project", "/p", "--scope", "user"})
          == R"({"scope":"user","project":"/p"})");
    CHECK(arguments({"sync", "enable", "--project", "/p"}) == R"({"project":"/p"})");
  }

  TEST_CASE("what is only about showing is not told to the daemon") {
    CHECK(arguments({"scan", "x", "-v"}) == R"({"path":["x"]})");
    CHECK(parsed({"scan", "x", "-v"})->flag("verbose"));
    CHECK(arguments({"install", "o/r", "--verbose"}) == R"({"source":"o/r"})");
  }

  TEST_CASE("asks where it changes something, and not where it only tells") {
    for (std::string_view word : {"install", "remove", "rollback", "pack", "init"}) {
      CHECK(asks_first(*parsed({word, "x"})));
      CHECK_FALSE(asks_first(*parsed({word, "x", "--yes"})));
      CHECK_FALSE(needs_a_word(*parsed({word, "x"}))); // it can be taken back
    }
    CHECK(asks_first(*parsed({"update"})));
    CHECK_FALSE(asks_first(*parsed({"update", "--check"})));
    CHECK_FALSE(asks_first(*parsed({"rollback", "x", "--list"})));
    CHECK_FALSE(asks_first(*parsed({"outdated"})));
    CHECK_FALSE(asks_first(*parsed({"scan", "x"})));
  }

  TEST_CASE("a plan that would change nothing is not asked about") {
    auto nothing = [](std::vector<std::string_view> words, std::string_view plan) {
      auto reader = connect::TextReader::open(plan, "the plan");
      REQUIRE(reader);
      return plans_nothing(*parsed(std::move(words)), *reader);
    };
    CHECK(nothing({"update"}, R"({"skills":[],"current":3})"));
    CHECK(nothing({"update"}, R"({"skills":[{"skill":"a","state":"dangerous"}]})"));
    CHECK_FALSE(nothing({"update"}, R"({"skills":[{"skill":"a","state":"available"}]})"));
    CHECK(nothing({"remove", "a"}, R"({"skills":[{"skill":"a","paths":[]}]})"));
    CHECK_FALSE(nothing({"remove", "a"}, R"({"skills":[{"skill":"a","paths":["/p"]}]})"));
  }

  TEST_CASE("in CI what would be forgotten is refused, and what only tells is not") {
    Environment ci = environment_of({{"CI", "true"}});
    CHECK(would_be_forgotten(*parsed({"install", "o/r"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"install", "o/r", "--dry-run"}), ci));
    CHECK(would_be_forgotten(*parsed({"update"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"update", "--check"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"rollback", "x", "--list"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"pack", "x"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"init", "x"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"scan", "x"}), ci));
  }
}

TEST_SUITE("command_of") {
  TEST_CASE("makes a command of every method that has one") {
    for (const MethodInfo& method : catalog()) {
      if (method.command.empty()) {
        continue;
      }
      CAPTURE(method.name);
      Command command = command_of(method);
      for (const Option& option : command.options) {
        CHECK_FALSE(option.doc.empty());
        // A flag that must be given, or a list before another positional, cannot be said.
        CHECK_FALSE((option.required && option.kind == ValueKind::flag));
        CHECK((!option.many || option.position < 0
               || option.position + 1
                      == static_cast<int>(std::count_if(
                          command.options.begin(), command.options.end(), [](const Option& other) {
                            return other.position >= 0;
                          }))));
        for (const Option& global : global_options()) {
          CHECK(option.name != global.name);
          CHECK((option.letter == 0 || option.letter != global.letter));
        }
      }
    }
  }
}

TEST_SUITE("asks_first") {
  TEST_CASE("asks where something changes, unless told to go on or only to show") {
    CHECK(asks_first(*parsed({"sync", "now"})));
    CHECK(asks_first(*parsed({"sync", "undo"})));
    CHECK_FALSE(asks_first(*parsed({"sync", "now", "--yes"})));
    CHECK_FALSE(asks_first(*parsed({"sync", "now", "--dry-run"})));
    CHECK_FALSE(asks_first(*parsed({"sync", "plan"})));
    CHECK_FALSE(asks_first(*parsed({"daemon", "stop"})));
  }

  TEST_CASE("does not go on alone where sync is switched on") {
    CHECK(needs_a_word(*parsed({"sync", "enable"})));
    CHECK(needs_a_word(*parsed({"trace", "purge", "--all"})));
    CHECK_FALSE(needs_a_word(*parsed({"trace", "purge", "--all", "--yes"})));
    CHECK_FALSE(needs_a_word(*parsed({"trace", "import"})));
    CHECK_FALSE(asks_first(*parsed({"trace", "import"})));
    CHECK_FALSE(needs_a_word(*parsed({"sync", "enable", "--yes"})));
    CHECK_FALSE(needs_a_word(*parsed({"sync", "enable", "--dry-run"})));
    CHECK_FALSE(needs_a_word(*parsed({"sync", "undo"})));
    CHECK(needs_a_word(*parsed({"trace", "purge", "--all"})));
    CHECK_FALSE(needs_a_word(*parsed({"trace", "purge", "--all", "--yes"})));
    CHECK_FALSE(needs_a_word(*parsed({"trace", "import"})));
  }
}

TEST_SUITE("generation and its inbox") {
  TEST_CASE("writing a skill asks nobody, taking one out of the inbox does") {
    CHECK_FALSE(asks_first(*parsed({"generate", "x"})));
    CHECK_FALSE(asks_first(*parsed({"generate", "--propose"})));
    CHECK(asks_first(*parsed({"inbox", "accept", "x"})));
    CHECK(asks_first(*parsed({"inbox", "decline", "x"})));
    CHECK_FALSE(asks_first(*parsed({"inbox", "decline", "x", "--yes"})));
    CHECK_FALSE(asks_first(*parsed({"inbox"})));
    CHECK(needs_a_word(*parsed({"inbox", "decline", "x"}))); // nothing takes it back
    CHECK_FALSE(needs_a_word(*parsed({"inbox", "accept", "x"})));
  }

  TEST_CASE("a plan without a list of steps is asked about, an empty list is not") {
    auto nothing = [](std::vector<std::string_view> words, std::string_view plan) {
      auto reader = connect::TextReader::open(plan, "the plan");
      REQUIRE(reader);
      return plans_nothing(*parsed(std::move(words)), *reader);
    };
    CHECK_FALSE(nothing({"inbox", "accept", "x"}, R"({"id":"1","skill":"x","saved":"/s/x"})"));
    CHECK(nothing({"sync", "now"}, R"({"steps":[]})"));
    CHECK_FALSE(nothing({"sync", "now"}, R"({"steps":[{}]})"));
    CHECK_FALSE(nothing({"sync", "undo"}, R"({"steps":[]})")); // it may act without one
  }

  TEST_CASE("a daemon for this command alone may generate, for what it leaves is files") {
    Environment ci = environment_of({{"CI", "true"}});
    CHECK_FALSE(would_be_forgotten(*parsed({"generate", "x"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"generate", "x", "--private"}), environment_of({})));
    CHECK(would_be_forgotten(*parsed({"inbox", "accept", "x"}), ci));
    CHECK(would_be_forgotten(*parsed({"propose"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"propose"}), environment_of({})));
    CHECK_FALSE(would_be_forgotten(*parsed({"propose", "--dry-run"}), ci));
    CHECK_FALSE(would_be_forgotten(*parsed({"propose"}),
                                   environment_of({{"CI", "true"}, {"XDG_STATE_HOME", "/state"}})));
  }
}

TEST_SUITE("manual") {
  TEST_CASE("shows only examples that are right") {
    for (const Example& example : examples()) {
      std::string line(example.line);
      CAPTURE(line);
      std::size_t start = line.find("upskill ");
      if (start != 0) {
        continue; // another program's command
      }
      line.resize(std::min(line.find(" > "), line.size()));
      std::vector<std::string_view> words;
      for (std::size_t at = 8; at < line.size();) {
        bool is_quoted = line[at] == '"';
        at += is_quoted ? 1 : 0;
        std::size_t end = std::min(line.find(is_quoted ? '"' : ' ', at), line.size());
        words.push_back(std::string_view(line).substr(at, end - at));
        at = end + (is_quoted ? 2 : 1);
      }
      auto invocation = parse(words);
      REQUIRE(invocation);
      CHECK(invocation->command.words == example.command);
    }
  }
}
