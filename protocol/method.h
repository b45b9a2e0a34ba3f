#pragma once
#include <string_view>

namespace upskill {

// What a call changes. `destructive`: it may overwrite or delete what a user wrote (undoable all
// the same).
enum class Effect { reads, writes, destructive };
// Whether agents are shown the method as a tool. Of people's methods they can call those that read,
// a courtesy, but not `people_only`: what they tell is of other clients too. A client is of
// `agents` or of `people`.
enum class Audience { agents, people, people_only };
enum class Pace { quick, slow };

// One method, declared once. From this line follow decoding, schemas, the MCP tool with its
// annotations, the command with its help and completions, and the reference (protocol/README.md).
template <class P, class R> struct Method {
  using Params = P;
  using Reply = R;
  std::string_view name;        // of the method and of the MCP tool
  std::string_view command;     // words after `upskill`; empty where people have no command
  std::string_view summary;     // one line, for people
  std::string_view description; // for the reader that is a model: when to use it, what it changes
  Effect effect = Effect::reads;
  Audience audience = Audience::people;
  Pace pace = Pace::quick;
};

} // namespace upskill
