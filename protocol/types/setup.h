#pragma once
#include "protocol/types/skills.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {

// What a step of setup is about. `mcp`: the server in an agent's configuration; `hooks`: what rings
// when a session has grown; `capture`: whether sessions are kept; `skill`: the one about us;
// `sync`: skills of all agents; `login`: that the daemon starts with the session.
enum class SetupPart { mcp, hooks, capture, skill, sync, login };

template <> struct EnumNames<SetupPart> {
  static constexpr std::array<std::string_view, 6> names{
      "mcp", "hooks", "capture", "skill", "sync", "login"};
};

enum class SetupState {
  planned,   // of a dry run
  done,      // it is so now
  unchanged, // it was so already
  kept,      // something of the person's stands there, and stays
  skipped,   // this agent or machine has no place for it
  failed     // it could not be done; nothing of it was written
};

template <> struct EnumNames<SetupState> {
  static constexpr std::array<std::string_view, 6> names{
      "planned", "done", "unchanged", "kept", "skipped", "failed"};
};

// One file that is edited, or one thing that is switched.
struct SetupStep {
  SetupPart part = SetupPart::mcp;
  SetupState state = SetupState::planned;
  std::vector<std::string> agents = {};
  std::string text = {};
  std::string path = {};
  std::string diff = {};
  std::string backup = {};
  std::string reason = {};
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&SetupStep::part, "part", "What it is about.");
    f.required(&SetupStep::state, "state", "What became of it.");
    f.optional(&SetupStep::agents, "agents", "Whose it is.");
    f.required(&SetupStep::text, "text", "What is done, in a few words.");
    f.optional(&SetupStep::path, "path", "The file, where it really is.");
    f.optional(&SetupStep::diff, "diff", "What changes in it, as `diff -u` writes it.");
    f.optional(&SetupStep::backup, "backup", "Where the file as it was is kept.");
    f.optional(&SetupStep::reason, "reason", "Why it was left as it is.");
    f.optional(&SetupStep::hint, "hint", "What to do about that.");
  }
};

// A coding agent that setup can connect.
struct SetupAgent {
  std::string agent;
  std::string title;
  std::string evidence = {};

  static void describe(auto& f) {
    f.required(&SetupAgent::agent, "agent", "Its id.");
    f.required(&SetupAgent::title, "title", "Its name.");
    f.optional(&SetupAgent::evidence, "evidence", "How it was found; absent where it was not.");
  }
};

struct SetupParams {
  std::vector<std::string> agent = {};
  bool no_hooks = false;
  bool no_mcp = false;
  Scope scope = Scope::user;
  std::string project = {};
  std::string plan = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SetupParams::agent, "agent", "Only these agents, found or not; else all found.");
    f.optional(&SetupParams::no_hooks, "no_hooks", "No capture hooks, and no capture.");
    f.optional(&SetupParams::no_mcp, "no_mcp", "Register no MCP server.");
    f.optional(&SetupParams::scope,
               "scope",
               "`user`: your own files; `project`: the MCP files of a project, and nothing else.");
    f.optional(&SetupParams::project, "project", "The project's folder; the caller's.");
    f.optional(&SetupParams::plan, "plan", "Of a dry run: change no file that is not as it was.");
    f.optional(&SetupParams::dry_run, "dry_run", "Only tell what would change.");
  }
};

struct SetupResult {
  std::string program = {};
  std::vector<SetupAgent> agents = {};
  std::vector<SetupStep> steps = {};
  std::vector<SetupStep> others = {};
  std::string plan = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.optional(&SetupResult::program, "program", "The `upskill` that agents start.");
    f.required(&SetupResult::agents, "agents", "Agents that it is about.");
    f.required(&SetupResult::steps, "steps", "What is changed, or would be.");
    f.optional(&SetupResult::others, "others", "What stays as it is, and what failed.");
    f.optional(&SetupResult::plan, "plan", "Names the files as they were looked at.");
    f.optional(&SetupResult::dry_run, "dry_run", "Nothing was done.");
    f.optional(&SetupResult::warnings, "warnings", "What a person should know.");
  }
};

struct SetupRemoveParams {
  std::vector<std::string> agent = {};
  Scope scope = Scope::user;
  std::string project = {};
  std::string plan = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SetupRemoveParams::agent, "agent", "Only what was written for these agents.");
    f.optional(&SetupRemoveParams::scope, "scope", "What was written with this scope.");
    f.optional(&SetupRemoveParams::project, "project", "The project's folder; the caller's.");
    f.optional(&SetupRemoveParams::plan, "plan", "Of a dry run: change no other file.");
    f.optional(&SetupRemoveParams::dry_run, "dry_run", "Only tell what would change.");
  }
};

} // namespace upskill
