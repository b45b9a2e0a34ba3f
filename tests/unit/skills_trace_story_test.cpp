#include "tests/support/temporary_folder.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::EventForm;
using trace::EventKind;
using trace::Format;

// One session in the form of each program: Ada asks for a failing build to be repaired, the agent
// takes the wrong tool, is corrected, and recovers (tests/fixtures/traces).
namespace {

struct Story {
  Format format;
  std::string file;
  std::string session;
  std::string cwd;
  std::size_t results = 11;
};

const std::vector<Story> k_stories{
    {Format::opencode, "opencode.json", "ses_3f9a1c77dffeKq2mXv8TzBnLw0", "/home/ada/kernels"},
    {Format::cursor, "cursor.jsonl", "", "", 0},
    {Format::pi, "pi.jsonl", "0197c5d2-4b1e-7a60-9c3f-5d8e2a7b4c11", "/home/ada/kernels"},
    {Format::fast_agent, "fast_agent.json", "", ""},
    {Format::specstory, "specstory.md", "5c5c2876-febd-4c87-b80c-d0655f1cd3fd", ""},
    {Format::sts, "sts.jsonl", "2f6d7a0e-93b4-4d27-8f5e-6b1c0a9d3e44", ""},
    {Format::atif, "atif.json", "7b0e4c19-5a3d-4f86-b2d1-c94a8e6f0573", "/home/ada/kernels"}};

const std::vector<std::string> k_prompts{
    "The build of this project has failed since yesterday. Please fix it.",
    "No, we never use make here. Use `cmake --preset debug` and ninja.",
    "Leave upload_test out, it needs the network. And never print that file again.",
    "Thanks, that works."};

std::string story_text(const Story& story) {
  return file_text(std::string(UPSKILL_FIXTURES) + "/traces/" + story.file);
}

} // namespace

TEST_CASE("the format of each story is told by its content, also by its beginning alone") {
  for (const Story& story : k_stories) {
    CAPTURE(story.file);
    std::string bytes = story_text(story);
    CHECK(trace::detect_format(bytes, true) == story.format);
    CHECK(trace::detect_format(std::string_view(bytes).substr(0, 600), false) == story.format);
  }
}

TEST_CASE("each story has the same prompts, calls, results and failures") {
  for (const Story& story : k_stories) {
    CAPTURE(story.file);
    std::vector<std::string> prompts;
    std::vector<std::string> calls;
    std::vector<std::string> answered;
    std::vector<int> codes;
    std::size_t thoughts = 0;
    std::size_t secrets = 0;
    std::string last_words;
    for (const SeenEvent& event : read_events(story.format, story_text(story))) {
      CHECK(event.form != EventForm::unknown);
      CHECK(event.form != EventForm::unreadable);
      secrets += event.text.find("AKIAQ7X2MZ4RT9WB6KDL") == std::string::npos ? 0 : 1;
      thoughts += event.form == EventForm::thinking ? 1 : 0;
      if (event.form == EventForm::prompt) {
        prompts.push_back(event.text);
      } else if (event.kind == EventKind::tool_call) {
        CHECK(!event.name.empty());
        CHECK(!event.text.empty());
        calls.push_back(event.call);
      } else if (event.kind == EventKind::tool_result) {
        answered.push_back(event.call);
        if (event.exit_code.value_or(0) != 0) {
          codes.push_back(*event.exit_code);
        }
      } else if (event.kind == EventKind::assistant && event.form != EventForm::thinking) {
        last_words = event.text;
      }
    }
    CHECK(prompts == k_prompts);
    CHECK(calls.size() == 11);
    CHECK(answered.size() == story.results);
    CHECK(thoughts == (story.format == Format::cursor ? 0 : 3));
    CHECK(secrets == 1);
    CHECK(last_words.starts_with("The build works again"));
    if (story.results > 0) {
      CHECK(answered == calls);
      CHECK(codes == std::vector<int>{2, 1, 8});
    }
  }
}

TEST_CASE("each story says whose it is, where its format does") {
  for (const Story& story : k_stories) {
    CAPTURE(story.file);
    std::string session;
    std::string cwd;
    for (const SeenEvent& event : read_events(story.format, story_text(story))) {
      if (event.form == EventForm::session) {
        CHECK(session.empty());
        session = event.session;
        cwd = event.cwd;
      }
    }
    CHECK(session == story.session);
    CHECK(cwd == story.cwd);
  }
}

TEST_CASE("each story is the same when it is read in two goes") {
  for (const Story& story : k_stories) {
    CAPTURE(story.file);
    check_prefixes(story.format, story_text(story), 211);
  }
}
