#include "clients/cli/completion.h"
#include "clients/cli/daemon_commands.h"
#include "clients/cli/log_follower.h"
#include "clients/cli/man_page.h"
#include "clients/cli/reference.h"
#include "protocol/catalog.h"
#include "tests/unit/clients_folder.h"

using namespace upskill;
using namespace upskill::cli;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("generated documents") {
  TEST_CASE("name every method and every command") {
    std::string methods = method_reference();
    std::string commands = command_reference();
    std::string page = man_page();
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(has(methods, "\n## " + std::string(method.name) + "\n"));
      if (!method.command.empty()) {
        CHECK(has(commands, "\n## upskill " + std::string(method.command) + "\n"));
        CHECK(has(page, ".B upskill " + std::string(method.command)));
      }
    }
  }

  TEST_CASE("are accepted by the shells that are here") {
    clients_test::Folder folder;
    std::string script = folder / "upskill.bash";
    REQUIRE(write_file_atomically(script, bash_completion(), 0644, Durability::process_crash));
    std::string trial =
        "bash -c '. " + script
        + "; COMP_WORDS=(upskill sync en); COMP_CWORD=2; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill sync enable --policy m); COMP_CWORD=4; _upskill; echo "
          "${COMPREPLY[*]}; COMP_WORDS=(upskill st); COMP_CWORD=1; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill list --rep); COMP_CWORD=2; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill --j); COMP_CWORD=1; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill help sync un); COMP_CWORD=3; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill watch st); COMP_CWORD=2; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill watch --l); COMP_CWORD=2; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill list --scope u); COMP_CWORD=3; _upskill; echo ${COMPREPLY[*]}"
          "; COMP_WORDS=(upskill sync resolve pdf \"\"); COMP_CWORD=4; _upskill; echo "
          "${COMPREPLY[*]}"
          "; upskill() { [[ $* == daemon* ]] || printf \"AGENT NAME\\ncodex Codex\\ncursor C\\n\"; "
          "}"
          "; COMP_WORDS=(upskill sync enable --link co); COMP_CWORD=4; _upskill; echo "
          "${COMPREPLY[*]}' > "
        + (folder / "out");
    REQUIRE(std::system(trial.c_str()) == 0); // NOLINT(cert-env33-c): a command of this test
    auto out = read_file(folder / "out", 1000);
    REQUIRE(out);
    const std::string wanted =
        "enable\nmirror\nstatus\n--replicas\n--json\nundo\nstatus\n--lines\nuser\n"
        "winner loser delete restore\ncodex\n";
    CHECK(*out == wanted);
    folder.passed(*out == wanted);
  }

  TEST_CASE("keep a man page free of stray requests") {
    std::string page = man_page();
    for (std::size_t at = 0; at < page.size();) {
      std::size_t end = page.find('\n', at);
      std::string line = page.substr(at, end - at);
      CAPTURE(line);
      if (line.starts_with('.')) {
        bool known = false;
        for (std::string_view request :
             {".TH", ".SH", ".SS", ".TP", ".B ", ".BR", ".I ", ".RI", ".RS", ".RE"}) {
          known = known || line.starts_with(request);
        }
        CHECK(known);
      }
      at = end + 1;
    }
  }
}

TEST_SUITE("daemon commands") {
  TEST_CASE("quote the program for systemd") {
    CHECK(has(unit_text("/usr/bin/upskilld"), "ExecStart=\"/usr/bin/upskilld\"\n"));
    CHECK(has(unit_text("/a b/50%/x\"y"), "ExecStart=\"/a b/50%%/x\\\"y\"\n"));
  }

  TEST_CASE("take the last lines of a log") {
    CHECK(last_lines("a\nb\nc\n", 2) == "b\nc");
    CHECK(last_lines("a\nb\nc", 9) == "a\nb\nc");
    CHECK(last_lines("a\n\nc\n", 2) == "\nc");
    CHECK(last_lines("a\n", 0).empty());
    CHECK(last_lines("", 3).empty());
  }

  TEST_CASE("read a log of a daemon that is gone") {
    clients_test::Folder folder;
    REQUIRE(write_file_atomically(
        folder / "log", "one\ntwo\nthree\n", 0600, Durability::process_crash));
    auto log = read_log(folder / "log", 2);
    REQUIRE(log);
    CHECK(log->lines == std::vector<std::string>{"two", "three"});
    auto none = read_log(folder / "none", 2);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    folder.passed(log->lines.size() == 2);
  }
}
