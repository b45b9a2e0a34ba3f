#pragma once
#include <array>
#include <span>
#include <string_view>

namespace upskill {

struct PromptArgumentInfo {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  bool required = false;
};

// One prompt, declared once: prompts/list and the reference follow from it. What it says is made by
// daemon/handlers/prompts.cpp.
struct PromptInfo {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const PromptArgumentInfo> arguments;
};

inline constexpr std::array<PromptArgumentInfo, 2> k_review_skill_arguments{{
    {"skill", "Skill", "Name of the skill, or the path of its folder.", true},
    {"focus", "Focus", "What to look at above all, such as `description` or `safety`."},
}};

inline constexpr std::array<PromptArgumentInfo, 2> k_make_skill_arguments{{
    {"task", "Task", "What the skill is for; told from the session otherwise."},
    {"session", "Session", "Id of the session it is made from; your own otherwise."},
}};

inline constexpr std::array<PromptArgumentInfo, 2> k_improve_skill_arguments{{
    {"skill", "Skill", "Name of the skill, or the path of its folder.", true},
    {"what", "What", "What goes wrong with it, or what it lacks."},
}};

inline constexpr std::string_view k_review_skill = "review_skill";
inline constexpr std::string_view k_make_skill = "make_skill";
inline constexpr std::string_view k_improve_skill = "improve_skill";

inline constexpr std::array<PromptInfo, 3> k_prompts{{
    {k_review_skill,
     "Review a skill",
     "Reviews a skill against the Agent Skills specification: its SKILL.md, its files and what "
     "validator and loaders find, with what to look for.",
     k_review_skill_arguments},
    {k_make_skill,
     "Make a skill from this session",
     "Has a teacher model make a skill of what happened in a session, and keeps it only if test "
     "cases prove that it helps.",
     k_make_skill_arguments},
    {k_improve_skill,
     "Improve a skill",
     "Has a teacher model improve a skill, and keeps the new version only if test cases prove it "
     "better.",
     k_improve_skill_arguments},
}};

} // namespace upskill
