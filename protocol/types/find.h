#pragma once
#include "protocol/types/danger.h"
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {

struct FindParams {
  std::vector<std::string> words = {};
  std::vector<std::string> source = {};
  bool refresh = false;
  std::int64_t limit = 20;

  static void describe(auto& f) {
    f.required(&FindParams::words, "words", "Words of its name or description.");
    f.optional(&FindParams::source, "source", "Look here; the configured sources.");
    f.optional(&FindParams::refresh, "refresh", "Fetch the sources anew.");
    f.optional(&FindParams::limit, "limit", "At most this many, 20 unless told, 1000 at most.");
  }
};

struct FoundOffer {
  std::string skill;
  std::string description = {};
  std::string source = {};
  std::string install = {};
  bool installed = false;
  DangerSeverity danger = DangerSeverity::none;
  std::vector<std::string> agents = {};

  static void describe(auto& f) {
    f.required(&FoundOffer::skill, "skill", "Its name.");
    f.optional(&FoundOffer::description, "description", "From its front matter.");
    f.optional(&FoundOffer::source, "source", "Which source has it; empty: it is here.");
    f.optional(&FoundOffer::install, "install", "What `upskill install` takes.");
    f.optional(&FoundOffer::installed, "installed", "It is here already.");
    f.optional(&FoundOffer::danger, "danger", "The worst finding, where its files are at hand.");
    f.optional(&FoundOffer::agents, "agents", "Agents that see it.");
  }
};

struct FindSource {
  std::string source;
  std::int64_t skills = 0;
  std::string fetched_at = {};
  std::string problem = {};

  static void describe(auto& f) {
    f.required(&FindSource::source, "source", "As it is configured.");
    f.required(&FindSource::skills, "skills", "How many it has.");
    f.optional(&FindSource::fetched_at, "fetched_at", "When it was read (RFC 3339, UTC).");
    f.optional(&FindSource::problem, "problem", "Why it could not be read.");
  }
};

struct FindResult {
  std::vector<FoundOffer> skills = {};
  std::int64_t total = 0;
  std::vector<FindSource> sources = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&FindResult::skills, "skills", "The best first.");
    f.required(&FindResult::total, "total", "How many there are.");
    f.optional(&FindResult::sources, "sources", "Where was looked.");
    f.optional(&FindResult::warnings, "warnings", "What somebody should know.");
  }
};

struct PackParams {
  std::string skill;
  std::string output = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&PackParams::skill, "skill", "A skill's name or folder.");
    f.optional(&PackParams::output, "output", "The file; `./NAME.skill`.");
    f.optional(&PackParams::dry_run, "dry_run", "Tell what it would hold; write nothing.");
  }
};

struct PackResult {
  std::string skill;
  std::string output = {};
  std::string digest = {};
  std::int64_t bytes = 0;
  std::vector<std::string> files = {};
  std::vector<std::string> left_out = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&PackResult::skill, "skill", "The skill.");
    f.required(&PackResult::output, "output", "The file.");
    f.required(&PackResult::digest, "digest", "`sha256:` and its SHA-256.");
    f.required(&PackResult::bytes, "bytes", "Its size.");
    f.required(&PackResult::files, "files", "What it holds.");
    f.optional(&PackResult::left_out, "left_out", "What it does not.");
    f.optional(&PackResult::dry_run, "dry_run", "True when nothing was written.");
    f.optional(&PackResult::warnings, "warnings", "What somebody should know.");
  }
};

struct InitParams {
  std::string name;
  std::string description = {};
  std::string output = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InitParams::name, "name", "The skill's name.");
    f.optional(&InitParams::description, "description", "What it does and when to use it.");
    f.optional(&InitParams::output, "output", "Its folder; `skills_dir/NAME` unless told.");
    f.optional(&InitParams::dry_run, "dry_run", "Tell what would be written; write nothing.");
  }
};

struct InitResult {
  std::string skill;
  std::string folder = {};
  std::vector<std::string> files = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InitResult::skill, "skill", "The skill.");
    f.required(&InitResult::folder, "folder", "Its folder.");
    f.required(&InitResult::files, "files", "What was written.");
    f.optional(&InitResult::dry_run, "dry_run", "True when nothing was written.");
  }
};

} // namespace upskill
