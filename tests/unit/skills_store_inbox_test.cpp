#include "protocol/base/hash.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/inbox.h"
#include "skills/store/inner_path.h"
#include "skills_store_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000; // 2026-11-21 05:56:10 UTC

InboxOrigin origin_of(const std::string& skill, std::int64_t created_ms = k_now) {
  return {.skill = skill,
          .reason = "comes up in 4 sessions",
          .sessions = {"s1", "s2"},
          .model = "sonnet",
          .created_ms = created_ms,
          .fingerprint = "chang notes relea versi",
          .warnings = {"look at scripts/run"}};
}

InboxFiles files_of(const std::string& skill) {
  return {{"SKILL.md", {"---\nname: " + skill + "\ndescription: d\n---\nBody.\n"}},
          {"scripts/run", {"#!/bin/sh\n", true}}};
}

InboxEntry add(Inbox& inbox, const std::string& skill, std::int64_t created_ms = k_now) {
  Result<InboxEntry> entry = inbox.add(origin_of(skill, created_ms), files_of(skill));
  REQUIRE_MESSAGE(entry.has_value(), (entry ? "" : entry.error().message));
  return *entry;
}

std::vector<InboxEntry> list(const Inbox& inbox) {
  Result<std::vector<InboxEntry>> entries = inbox.list();
  REQUIRE(entries);
  return *entries;
}

} // namespace

TEST_SUITE("Inbox") {
  TEST_CASE("what is put in can be read without us, and comes back as it was") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    CHECK(list(inbox).empty());
    CHECK_FALSE(exists(folder / "inbox"));
    InboxEntry entry = add(inbox, "release-notes");
    CHECK(entry.id.size() == 12);
    CHECK(entry.folder == folder / ("inbox/" + entry.id + "/skill/release-notes"));
    CHECK(read(entry.folder + "/SKILL.md") == files_of("release-notes")["SKILL.md"].bytes);
    CHECK(read(folder / ("inbox/" + entry.id + "/origin.json")).find("2026-11-21T05:56:10")
          != std::string::npos);
    std::vector<InboxEntry> entries = list(Inbox(folder / "inbox"));
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].id == entry.id);
    CHECK(entries[0].folder == entry.folder);
    CHECK(entries[0].origin == origin_of("release-notes"));
    CHECK(entries[0].problem.empty());
    CHECK(inbox.files(entries[0]).value() == files_of("release-notes"));

    struct stat status {};

    REQUIRE(::stat((folder / "inbox").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }

  TEST_CASE("the newest comes first, and one is found by id, its beginning or its skill") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    InboxEntry first = add(inbox, "alpha", k_now);
    InboxEntry second = add(inbox, "beta", k_now + 1);
    CHECK(list(inbox)[0].id == second.id);
    CHECK(inbox.find(first.id)->id == first.id);
    CHECK(inbox.find(first.id.substr(0, 4))->id == first.id);
    CHECK(inbox.find("beta")->id == second.id);
    CHECK(inbox.find("gamma").error().code == ErrorCode::not_found);
    CHECK(inbox.find(first.id.substr(0, 3)).error().code == ErrorCode::not_found);
    CHECK(inbox.find("").error().code == ErrorCode::not_found);
    InboxEntry again = add(inbox, "alpha", k_now + 2);
    CHECK(inbox.find("alpha").error().code == ErrorCode::invalid_argument);
    CHECK(inbox.find(again.id)->id == again.id);
    CHECK(inbox.add(origin_of("alpha"), files_of("alpha")).error().code
          == ErrorCode::already_exists);
  }

  TEST_CASE("what is no skill, leads out or is too much is refused and leaves nothing") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    for (std::string name : {"", ".", "..", "a/b", ".hidden", "a\nb"}) {
      CAPTURE(name);
      CHECK_FALSE(inbox.add(origin_of(name), files_of("x")));
    }
    for (std::string path : {"../out", "/etc/passwd", "a//b", "a/../../b", "a/", "a\\\n"}) {
      CAPTURE(path);
      InboxFiles files = files_of("x");
      files[path] = {"text"};
      CHECK(inbox.add(origin_of("x"), files).error().code == ErrorCode::invalid_argument);
    }
    CHECK(inbox.add(origin_of("x"), {{"README.md", {"text"}}}).error().code
          == ErrorCode::invalid_argument);
    InboxFiles files = files_of("x");
    files["big"] = {std::string(k_max_inbox_bytes, 'x')};
    CHECK(inbox.add(origin_of("x"), files).error().code == ErrorCode::too_large);
    files["big"] = {""};
    files["big/inner"] = {"a file cannot be a folder"};
    CHECK_FALSE(inbox.add(origin_of("x"), files));
    CHECK(list(inbox).empty());
    CHECK(fs::is_empty(folder / "inbox"));
  }

  TEST_CASE("a full inbox takes no more") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    for (std::size_t i = 0; i < k_max_inbox_items; ++i) {
      fs::create_directories(folder
                             / ("inbox/" + sha256(std::to_string(i)).brief(12) + "/skill/x"));
    }
    CHECK(inbox.add(origin_of("x"), files_of("x")).error().code == ErrorCode::busy);
  }

  TEST_CASE("what a killed one left is no item, and goes with the next change") {
    Folder folder;
    write(folder / "inbox/.new-0123456789ab/skill/x/SKILL.md", "half");
    write(folder / "inbox/.gone-0123456789ab/origin.json", "half");
    write(folder / "inbox/notes.txt", "mine");
    Inbox inbox(folder / "inbox");
    CHECK(list(inbox).empty());
    add(inbox, "x");
    CHECK_FALSE(exists(folder / "inbox/.new-0123456789ab"));
    CHECK_FALSE(exists(folder / "inbox/.gone-0123456789ab"));
    CHECK(read(folder / "inbox/notes.txt") == "mine");
  }

  TEST_CASE("links lead nowhere") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    write(folder / "secret/SKILL.md", "secret");
    InboxEntry entry = add(inbox, "x");
    SUBCASE("a file") {
      fs::create_symlink(folder / "secret/SKILL.md", entry.folder + "/more.md");
    }
    SUBCASE("a folder") {
      fs::create_symlink(folder / "secret", entry.folder + "/more");
    }
    SUBCASE("a pipe") {
      REQUIRE(::mkfifo((entry.folder + "/more").c_str(), 0600) == 0);
    }
    CHECK(inbox.files(entry).error().code == ErrorCode::unsupported);
    fs::remove_all(entry.folder);
    fs::create_symlink(folder / "secret", entry.folder);
    CHECK_FALSE(inbox.files(entry));
    CHECK(list(inbox).empty());
    // The whole item, as well.
    fs::create_symlink(folder / ("inbox/" + entry.id), folder / "inbox/0123456789ab");
    CHECK(list(inbox).empty());
    CHECK(exists(folder / "secret/SKILL.md"));
  }

  TEST_CASE("too much in a folder is told and not read") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    InboxEntry entry = add(inbox, "x");
    SUBCASE("bytes") {
      write(entry.folder + "/big", std::string(k_max_inbox_bytes, 'x'));
    }
    SUBCASE("files") {
      for (std::size_t i = 0; i < k_max_inbox_files; ++i) {
        write(entry.folder + "/" + std::to_string(i), "");
      }
    }
    CHECK(inbox.files(entry).error().code == ErrorCode::too_large);
  }

  TEST_CASE("an item whose origin is damaged is there all the same, and says so") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    InboxEntry entry = add(inbox, "x");
    std::string origin = folder / ("inbox/" + entry.id + "/origin.json");
    for (std::string text : {"", "{", "[]", "{\"skill\":\"y\",\"created_ms\":1}"}) {
      CAPTURE(text);
      write(origin, text);
      std::vector<InboxEntry> entries = list(inbox);
      REQUIRE(entries.size() == 1);
      CHECK(entries[0].origin.skill == "x");
      CHECK_FALSE(entries[0].problem.empty());
      CHECK(inbox.files(entries[0]));
    }
    REQUIRE(inbox.settle(list(inbox)[0], Settled::declined, k_now));
    CHECK(list(inbox).empty());
  }
}

TEST_SUITE("settled topics") {
  TEST_CASE("what is declined or accepted is gone, and its topic does not come back") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    CHECK_FALSE(inbox.is_declined("chang notes relea versi").value());
    InboxEntry entry = add(inbox, "release-notes");
    Settled how = Settled::declined;
    SUBCASE("declined") {}
    SUBCASE("accepted") {
      how = Settled::accepted;
    }
    REQUIRE(inbox.settle(entry, how, k_now + 5));
    CHECK(list(inbox).empty());
    CHECK_FALSE(exists(folder / ("inbox/" + entry.id)));
    Inbox later(folder / "inbox");
    SettledTopics topics = later.settled().value();
    REQUIRE(topics.topics.size() == 1);
    CHECK(topics.topics[0]
          == SettledTopic{"chang notes relea versi", "release-notes", how, k_now + 5});
    CHECK(later.is_declined("chang notes relea versi").value());
    CHECK(later.is_declined("draft notes relea versi").value()); // in slightly other words
    CHECK_FALSE(later.is_declined("datab migra rollb").value());
  }

  TEST_CASE("topics are one by their words, in whatever order") {
    CHECK(is_same_topic("a b c d", "d c b a"));
    CHECK(is_same_topic("a b c d", "a b c x"));
    CHECK(is_same_topic("a b c", "a b c x y z"));
    CHECK(is_same_topic("a", "a"));
    CHECK_FALSE(is_same_topic("a", "a b"));
    CHECK_FALSE(is_same_topic("a b c d", "a b x y"));
    CHECK_FALSE(is_same_topic("", ""));
    CHECK_FALSE(is_same_topic("a", ""));
  }

  TEST_CASE("a file that cannot be understood is set aside and told as long as it lies there") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    std::string file = folder / "inbox/declined.json";
    for (std::string text : {"", "{\"version\":1", "[]", R"({"version":1,"topics":[{}]})"}) {
      CAPTURE(text);
      fs::remove_all(folder / "inbox");
      write(file, text);
      for (int time = 0; time < 2; ++time) {
        SettledTopics settled = inbox.settled().value();
        CHECK(settled.topics.empty());
        REQUIRE(settled.problems.size() == 1);
        CHECK(settled.problems[0].find("declined-damaged-1.json") != std::string::npos);
      }
      CHECK(read(folder / "inbox/declined-damaged-1.json") == text);
      CHECK_FALSE(exists(file));
    }
    // What is declined from then on is kept, and the next damaged one takes no other's place.
    REQUIRE(inbox.settle(add(inbox, "x"), Settled::declined, k_now));
    CHECK(inbox.settled()->topics.size() == 1);
    write(file, "{");
    CHECK(inbox.settled()->problems.size() == 2);
    fs::remove(folder / "inbox/declined-damaged-1.json");
    fs::remove(folder / "inbox/declined-damaged-2.json");
    CHECK(inbox.settled()->problems.empty());
  }

  TEST_CASE("a link in its place is no list of ours") {
    Folder folder;
    write(folder / "elsewhere.json", R"({"version":1,"topics":[{"fingerprint":"a b"}]})");
    fs::create_directories(folder / "inbox");
    fs::create_symlink(folder / "elsewhere.json", folder / "inbox/declined.json");
    Inbox inbox(folder / "inbox");
    CHECK(inbox.settled()->topics.empty());
    CHECK(inbox.settled()->problems.size() == 1);
  }

  TEST_CASE("a list of a newer version is an error and stays") {
    Folder folder;
    std::string text = R"({"version":2,"topics":[]})";
    write(folder / "inbox/declined.json", text);
    Inbox inbox(folder / "inbox");
    CHECK(inbox.settled().error().code == ErrorCode::unsupported);
    InboxEntry entry = add(inbox, "x");
    CHECK(inbox.settle(entry, Settled::declined, k_now).error().code == ErrorCode::unsupported);
    CHECK(list(inbox).size() == 1);
    CHECK(read(folder / "inbox/declined.json") == text);
  }

  TEST_CASE("the oldest go when there are too many") {
    Folder folder;
    fs::create_directories(folder / "inbox");
    std::vector<SettledTopic> topics;
    for (std::size_t i = 0; i < k_max_settled + 2; ++i) {
      topics.push_back({"topic" + std::to_string(i), "x", Settled::declined, k_now});
    }
    REQUIRE(keep_settled(folder / "inbox", topics));
    Inbox inbox(folder / "inbox");
    CHECK(inbox.settled()->topics.size() == k_max_settled);
    CHECK_FALSE(inbox.is_declined("topic1").value());
    CHECK(inbox.is_declined("topic2").value());
  }

  TEST_CASE("looking waits for nobody who changes it") {
    Folder folder;
    Inbox inbox(folder / "inbox");
    add(inbox, "x");
    UniqueFd held(::open((folder / "inbox").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    CHECK(list(inbox).size() == 1);
  }
}

TEST_SUITE("check_inner_path") {
  TEST_CASE("as deep as a skill may be, and no deeper") {
    std::string path = "f";
    for (int i = 0; i < 32; ++i) {
      path = "d/" + path;
    }
    CHECK(check_inner_path(path));
    CHECK_FALSE(check_inner_path("d/" + path));
    CHECK(check_inner_path(std::string(255, 'n')));
    CHECK_FALSE(check_inner_path(std::string(256, 'n')));
    CHECK_FALSE(check_inner_path("\xFF"));
  }
}
