#pragma once
#include "clients/cli/command.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// The value of a flag that was said with `--no-`.
inline constexpr std::string_view k_no = "no";

// What was asked for.
struct Invocation {
  Command command; // no words: `upskill` alone, or with --help or --version
  std::map<std::string, std::vector<std::string>, std::less<>> values = {}; // by field
  std::vector<std::string> rest = {}; // words handed on as they are
  std::vector<std::string> moot = {}; // options of upskill's that say nothing here, as `--wait`
  bool json = false;
  bool yes = false;
  bool run_private = false;
  bool no_color = false;
  bool help = false;
  bool version = false;
  std::string config = {};

  bool flag(std::string_view field) const;
  // The first value of a field, or nothing.
  std::optional<std::string> value(std::string_view field) const;
  // The parameters of the method as a JSON object, our own options left out.
  std::string arguments() const;
};

} // namespace upskill::cli
