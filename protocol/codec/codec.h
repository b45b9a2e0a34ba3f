#pragma once
#include "protocol/base/result.h"
#include "protocol/codec/reader.h"
#include "protocol/codec/writer.h"
#include "protocol/types/describe.h"

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill {

// A place inside a message, for texts such as `params.agents[1]: expected a string`.
struct JsonPath {
  const JsonPath* up = nullptr;
  std::string_view key = {};
  std::size_t index = 0;

  std::string text() const {
    if (up == nullptr) {
      return std::string(key);
    }
    return key.empty() ? up->text() + "[" + std::to_string(index) + "]"
                       : up->text() + "." + std::string(key);
  }
};

// Keeps the first thing that was wrong.
struct DecodeProblem {
  std::string message = {};

  void report(const JsonPath& at, std::string_view what) {
    if (message.empty()) {
      message = at.text() + ": " + std::string(what);
    }
  }
};

template <class T> struct Codec;

template <class T>
void decode_value(JsonReader& in, T& out, const JsonPath& at, DecodeProblem& problem) {
  Codec<T>::decode(in, out, at, problem);
}

template <class T> void encode_value(JsonWriter& writer, const T& value) {
  Codec<T>::encode(writer, value);
}

template <class T> void write_schema(JsonWriter& writer) {
  writer.begin_object();
  Codec<T>::schema(writer);
  writer.end_object();
}

// For whom a schema is: agents are not shown every field (describe.h).
enum class Reader { people, agents };

namespace codec_detail {

// Which described fields came, and which of them with a value: a null is none.
struct SeenFields {
  std::uint64_t given = 0;
  std::uint64_t valued = 0;
};

// Gives the value of one incoming key to the described field of that name. A second one is refused:
// two readers might take different ones.
template <class T> struct FieldDecoder {
  T& out;
  std::string_view key;
  JsonReader& in;
  const JsonPath& at;
  DecodeProblem& problem;
  SeenFields& seen;
  unsigned index = 0;
  bool known = false;

  template <class M> void required(M T::*member, std::string_view name, std::string_view) {
    take(member, name, true);
  }

  template <class M> void optional(M T::*member, std::string_view name, std::string_view) {
    take(member, name, false);
  }

  template <class M> void for_people(M T::*member, std::string_view name, std::string_view) {
    take(member, name, false);
  }

private:
  template <class M> void take(M T::*member, std::string_view name, bool is_required) {
    unsigned position = index++;
    if (name != key) {
      return;
    }
    known = true;
    std::uint64_t bit = std::uint64_t{1} << position;
    if ((std::exchange(seen.given, seen.given | bit) & bit) != 0) {
      problem.report(at, "is given twice");
      return;
    }
    if (!is_required && in.kind() == JsonKind::null) {
      return;
    }
    seen.valued |= bit;
    decode_value(in, out.*member, at, problem);
  }
};

template <class T> struct RequiredCheck {
  const JsonPath& at;
  DecodeProblem& problem;
  std::uint64_t seen;
  unsigned index = 0;

  template <class M> void required(M T::*, std::string_view name, std::string_view) {
    if ((seen >> index++ & 1) == 0) {
      JsonPath here{&at, name};
      problem.report(here, "is missing");
    }
  }

  template <class M> void optional(M T::*, std::string_view, std::string_view) { ++index; }

  template <class M> void for_people(M T::*, std::string_view, std::string_view) { ++index; }
};

template <class T> struct FieldEncoder {
  const T& in;
  JsonWriter& writer;

  template <class M> void required(M T::*member, std::string_view name, std::string_view) {
    writer.key(name);
    encode_value(writer, in.*member);
  }

  template <class M> void optional(M T::*member, std::string_view name, std::string_view) {
    if (!Codec<M>::is_absent(in.*member)) {
      writer.key(name);
      encode_value(writer, in.*member);
    }
  }

  template <class M> void for_people(M T::*member, std::string_view name, std::string_view doc) {
    optional(member, name, doc);
  }
};

template <class T> struct FieldSchema {
  JsonWriter& writer;
  Reader reader = Reader::people;
  std::vector<std::string_view> names_of_required = {};

  template <class M> void required(M T::*, std::string_view name, std::string_view doc) {
    names_of_required.push_back(name);
    add<M>(name, doc);
  }

  template <class M> void optional(M T::*, std::string_view name, std::string_view doc) {
    add<M>(name, doc);
  }

  template <class M> void for_people(M T::*member, std::string_view name, std::string_view doc) {
    if (reader == Reader::people) {
      optional(member, name, doc);
    }
  }

private:
  template <class M> void add(std::string_view name, std::string_view doc) {
    writer.key(name);
    writer.begin_object();
    Codec<M>::schema(writer);
    if (!doc.empty()) {
      writer.field("description", doc);
    }
    writer.end_object();
  }
};

} // namespace codec_detail

template <Described T> struct Codec<T> {
  static void decode(JsonReader& in, T& out, const JsonPath& at, DecodeProblem& problem) {
    codec_detail::SeenFields seen;
    bool is_object = in.each_field([&](std::string_view key, JsonReader& value) {
      JsonPath here{&at, key};
      codec_detail::FieldDecoder<T> field{out, key, value, here, problem, seen};
      T::describe(field);
      if (!field.known && k_strict<T>) {
        problem.report(here, "is not a known field");
      }
    });
    if (!is_object) {
      problem.report(at, "expected an object");
      return;
    }
    codec_detail::RequiredCheck<T> check{at, problem, seen.valued};
    T::describe(check);
  }

  static void encode(JsonWriter& writer, const T& value) {
    writer.begin_object();
    codec_detail::FieldEncoder<T> field{value, writer};
    T::describe(field);
    writer.end_object();
  }

  static void schema(JsonWriter& writer, Reader reader = Reader::people) {
    writer.field("type", "object");
    codec_detail::FieldSchema<T> field{writer, reader};
    writer.key("properties");
    writer.begin_object();
    T::describe(field);
    writer.end_object();
    if (!field.names_of_required.empty()) {
      writer.key("required");
      writer.begin_array();
      for (std::string_view name : field.names_of_required) {
        writer.value(name);
      }
      writer.end_array();
    }
    writer.field("additionalProperties", false);
  }

  static bool is_absent(const T&) { return false; }
};

template <> struct Codec<std::string> {
  static void decode(JsonReader& in, std::string& out, const JsonPath& at, DecodeProblem& problem) {
    if (auto text = in.string()) {
      out = std::move(*text);
    } else {
      problem.report(at, "expected a string");
    }
  }

  static void encode(JsonWriter& writer, const std::string& text) { writer.value(text); }

  static void schema(JsonWriter& writer) { writer.field("type", "string"); }

  static bool is_absent(const std::string& text) { return text.empty(); }
};

template <> struct Codec<bool> {
  static void decode(JsonReader& in, bool& out, const JsonPath& at, DecodeProblem& problem) {
    if (auto flag = in.boolean()) {
      out = *flag;
    } else {
      problem.report(at, "expected true or false");
    }
  }

  static void encode(JsonWriter& writer, bool flag) { writer.value(flag); }

  static void schema(JsonWriter& writer) { writer.field("type", "boolean"); }

  static bool is_absent(bool flag) { return !flag; }
};

template <std::integral I>

requires(!std::same_as<I, bool>) struct Codec<I> {
  static void decode(JsonReader& in, I& out, const JsonPath& at, DecodeProblem& problem) {
    auto number = in.integer();
    if (!number) {
      problem.report(at, "expected an integer");
    } else if (!std::in_range<I>(*number)) {
      problem.report(at, "is out of range");
    } else {
      out = static_cast<I>(*number);
    }
  }

  static void encode(JsonWriter& writer, I number) {
    if constexpr (std::unsigned_integral<I>) {
      writer.value(static_cast<std::uint64_t>(number));
    } else {
      writer.value(static_cast<std::int64_t>(number));
    }
  }

  static void schema(JsonWriter& writer) {
    writer.field("type", "integer");
    if constexpr (std::unsigned_integral<I>) {
      writer.field("minimum", 0);
    }
  }

  static bool is_absent(I) { return false; }
};

template <> struct Codec<double> {
  static void decode(JsonReader& in, double& out, const JsonPath& at, DecodeProblem& problem) {
    if (auto number = in.real()) {
      out = *number;
    } else {
      problem.report(at, "expected a number");
    }
  }

  static void encode(JsonWriter& writer, double number) { writer.value(number); }

  static void schema(JsonWriter& writer) { writer.field("type", "number"); }

  static bool is_absent(double) { return false; }
};

// JSON that is carried, not understood.
template <> struct Codec<JsonText> {
  static void decode(JsonReader& in, JsonText& out, const JsonPath& at, DecodeProblem& problem) {
    if (auto text = in.raw()) {
      out.text = std::move(*text);
    } else {
      problem.report(at, "is not valid JSON");
    }
  }

  static void encode(JsonWriter& writer, const JsonText& json) {
    writer.raw(json.text.empty() ? "null" : json.text);
  }

  static void schema(JsonWriter&) {}

  static bool is_absent(const JsonText& json) { return json.text.empty(); }
};

template <DescribedEnum E> struct Codec<E> {
  static void decode(JsonReader& in, E& out, const JsonPath& at, DecodeProblem& problem) {
    auto text = in.string();
    if (text) {
      if (auto value = enum_from(*text)) {
        out = *value;
        return;
      }
    }
    std::string allowed;
    for (std::string_view name : EnumNames<E>::names) {
      allowed += allowed.empty() ? "`" : ", `";
      allowed += name;
      allowed += '`';
    }
    problem.report(at, "expected one of " + allowed);
  }

  static void encode(JsonWriter& writer, E value) { writer.value(enum_name(value)); }

  static void schema(JsonWriter& writer) {
    writer.field("type", "string");
    writer.key("enum");
    writer.begin_array();
    for (std::string_view name : EnumNames<E>::names) {
      writer.value(name);
    }
    writer.end_array();
  }

  static bool is_absent(E) { return false; }

private:
  static std::optional<E> enum_from(std::string_view text) {
    const auto& names = EnumNames<E>::names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        return static_cast<E>(i);
      }
    }
    return std::nullopt;
  }
};

template <class E> struct Codec<std::vector<E>> {
  static void
  decode(JsonReader& in, std::vector<E>& out, const JsonPath& at, DecodeProblem& problem) {
    bool is_array = in.each_element([&](std::size_t index, JsonReader& value) {
      JsonPath here{&at, {}, index};
      decode_value(value, out.emplace_back(), here, problem);
    });
    if (!is_array) {
      problem.report(at, "expected an array");
    }
  }

  static void encode(JsonWriter& writer, const std::vector<E>& values) {
    writer.begin_array();
    for (const E& value : values) {
      encode_value(writer, value);
    }
    writer.end_array();
  }

  static void schema(JsonWriter& writer) {
    writer.field("type", "array");
    writer.key("items");
    write_schema<E>(writer);
  }

  static bool is_absent(const std::vector<E>& values) { return values.empty(); }
};

template <class E> struct Codec<std::map<std::string, E>> {
  static void decode(JsonReader& in,
                     std::map<std::string, E>& out,
                     const JsonPath& at,
                     DecodeProblem& problem) {
    bool is_object = in.each_field([&](std::string_view key, JsonReader& value) {
      JsonPath here{&at, key};
      auto [place, is_new] = out.try_emplace(std::string(key));
      if (!is_new) {
        problem.report(here, "is given twice");
        return;
      }
      decode_value(value, place->second, here, problem);
    });
    if (!is_object) {
      problem.report(at, "expected an object");
    }
  }

  static void encode(JsonWriter& writer, const std::map<std::string, E>& values) {
    writer.begin_object();
    for (const auto& [key, value] : values) {
      writer.key(key);
      encode_value(writer, value);
    }
    writer.end_object();
  }

  static void schema(JsonWriter& writer) {
    writer.field("type", "object");
    writer.key("additionalProperties");
    write_schema<E>(writer);
  }

  static bool is_absent(const std::map<std::string, E>& values) { return values.empty(); }
};

// An absent optional field is left out; an absent required one is null (unknown, never 0).
template <class E> struct Codec<std::optional<E>> {
  static void
  decode(JsonReader& in, std::optional<E>& out, const JsonPath& at, DecodeProblem& problem) {
    if (in.kind() == JsonKind::null) {
      out.reset();
    } else {
      decode_value(in, out.emplace(), at, problem);
    }
  }

  static void encode(JsonWriter& writer, const std::optional<E>& value) {
    if (value) {
      encode_value(writer, *value);
    } else {
      writer.null();
    }
  }

  static void schema(JsonWriter& writer) { Codec<E>::schema(writer); }

  static bool is_absent(const std::optional<E>& value) { return !value; }
};

// Decodes one value; the error says where: `params.agents[1]: expected a string`.
template <class T> Result<T> decode(JsonReader& in, std::string_view root = "params") {
  T out{};
  DecodeProblem problem;
  JsonPath at{nullptr, root};
  decode_value(in, out, at, problem);
  if (!problem.message.empty()) {
    return fail(ErrorCode::invalid_argument, std::move(problem.message));
  }
  return out;
}

template <class T> std::string encode(const T& value) {
  std::string text;
  JsonWriter writer(text);
  encode_value(writer, value);
  return text;
}

template <class T> std::string json_schema() {
  std::string text;
  JsonWriter writer(text);
  write_schema<T>(writer);
  return text;
}

// As agents are shown it.
template <Described T> std::string tool_schema() {
  std::string text;
  JsonWriter writer(text);
  writer.begin_object();
  Codec<T>::schema(writer, Reader::agents);
  writer.end_object();
  return text;
}

} // namespace upskill
