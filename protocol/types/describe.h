#pragma once
#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace upskill {

// A described type says its fields once, in `static void describe(auto& f)`, by
// `f.required(&T::member, "json_key", "What it means.")` and `f.optional(...)`. From that follow
// decoding, encoding, the JSON Schema, the command-line options and the reference (codec.h).
// `f.for_people(...)` is an optional field that agents are not shown: what only a person decides,
// and what would cost every agent's context.
struct NullVisitor {
  void required(auto, std::string_view, std::string_view) {}

  void optional(auto, std::string_view, std::string_view) {}

  void for_people(auto, std::string_view, std::string_view) {}
};

template <class T>
concept Described = requires(NullVisitor visitor) {
  T::describe(visitor);
};

// What comes in may say no more than is described, unless the type has `k_lenient`.
template <class T> inline constexpr bool k_strict = !requires {
  T::k_lenient;
};

// Specialise with `static constexpr std::array<std::string_view, N> names`, one for each enumerator
// in order from 0.
template <class E> struct EnumNames;

template <class E>
concept DescribedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::names;
};

template <DescribedEnum E> constexpr std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

// JSON that is carried without being understood; empty is null.
struct JsonText {
  std::string text = {};

  friend bool operator==(const JsonText&, const JsonText&) = default;
};

} // namespace upskill
