#include "protocol/base/bounds.h"
#include "skills/sync/merge.h"
#include "skills/sync/text_merge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace upskill;
using namespace upskill::sync;

namespace {

// Keeps the bytes of every file it makes, and counts who asks for them.
class Contents {
public:
  Entry file(std::string path, std::string bytes, EntryKind kind = EntryKind::file) {
    Entry entry{
        .path = std::move(path), .kind = kind, .content = sha256(bytes), .size = bytes.size()};
    m_bytes.insert_or_assign(entry.content, std::move(bytes));
    return entry;
  }

  Entry program(std::string path, std::string bytes) {
    return file(std::move(path), std::move(bytes), EntryKind::executable);
  }

  void keep(const std::string& bytes) { m_bytes.insert_or_assign(sha256(bytes), bytes); }

  ContentSource source() {
    return [this](const Entry& entry) -> Result<std::string> {
      m_asked.push_back(entry.path);
      auto at = m_bytes.find(entry.content);
      if (at == m_bytes.end()) {
        return fail(ErrorCode::not_found, "no content for `" + entry.path + "`");
      }
      return at->second;
    };
  }

  const std::string& bytes(const Entry& entry) const { return m_bytes.at(entry.content); }

  const std::vector<std::string>& asked() const { return m_asked; }

private:
  std::map<Digest, std::string> m_bytes;
  std::vector<std::string> m_asked;
};

Entry folder(std::string path) {
  return {.path = std::move(path), .kind = EntryKind::folder};
}

Entry link_to(std::string path, std::string target) {
  Digest content = sha256(target);
  return {.path = std::move(path),
          .kind = EntryKind::link,
          .content = content,
          .target = std::move(target)};
}

const std::string k_text = "---\nname: a\n---\n\n# A\n\nfirst\n\nsecond\n\nthird\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

// The result of every order of the versions, which must be one.
MergeResult merged(Contents& contents, const Tree& ancestor, const std::vector<Tree>& versions) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    order.push_back(i);
  }
  std::optional<MergeResult> first;
  do {
    std::vector<const Tree*> pointers;
    for (std::size_t i : order) {
      pointers.push_back(&versions[i]);
    }
    auto result = merge_trees(ancestor, pointers, contents.source());
    REQUIRE(result);
    if (first) {
      REQUIRE(result->tree == first->tree);
      REQUIRE(result->files == first->files);
      REQUIRE(result->conflicts == first->conflicts);
    }
    first = std::move(*result);
  } while (std::ranges::next_permutation(order).found);
  REQUIRE(first);
  return *first;
}

std::vector<std::string> conflict_paths(const MergeResult& result) {
  std::vector<std::string> paths;
  for (const MergeConflict& conflict : result.conflicts) {
    CHECK(conflict.reason.find("`" + conflict.path + "`") != std::string::npos);
    paths.push_back(conflict.path);
  }
  CHECK(result.clean() == paths.empty());
  if (!paths.empty()) {
    CHECK(result.tree.empty());
    CHECK(result.files.empty());
  }
  return paths;
}

using Paths = std::vector<std::string>;

} // namespace

TEST_SUITE("merge") {
  TEST_CASE("without a change there is nothing to do, and one change is taken as it is") {
    Contents contents;
    Tree ancestor({contents.file("SKILL.md", k_text)});
    Tree edited({contents.file("SKILL.md", "other"), folder("docs"), link_to("x", "SKILL.md")});
    CHECK(merged(contents, ancestor, {}).tree == ancestor);
    CHECK(merged(contents, ancestor, {ancestor, ancestor}).tree == ancestor);
    CHECK(merged(contents, ancestor, {ancestor, edited}).tree == edited);
    CHECK(merged(contents, ancestor, {edited, ancestor, edited}).tree == edited);
    CHECK(contents.asked().empty());
  }

  TEST_CASE("changes of different files are joined without reading any of them") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, contents.file("a", "1"), contents.file("b", "1")});
    Tree ours({skill, contents.file("a", "2"), contents.file("b", "1")});
    Tree theirs({skill, contents.file("a", "1"), contents.file("c", "3")});
    MergeResult result = merged(contents, ancestor, {ours, theirs});
    CHECK(result.clean());
    CHECK(result.tree == Tree({skill, contents.file("a", "2"), contents.file("c", "3")}));
    CHECK(result.files.empty());
    CHECK(contents.asked().empty());
  }

  TEST_CASE("a text changed in two places is joined, and only that text is read") {
    Contents contents;
    Entry other = contents.file("other", "same");
    Tree ancestor({contents.file("SKILL.md", k_text), other});
    Tree ours({contents.file("SKILL.md", replaced(k_text, "first", "1st")), other});
    Tree theirs({contents.file("SKILL.md", replaced(k_text, "third", "3rd")), other});
    auto result = merge_trees(ancestor, {&ours, &theirs}, contents.source());
    REQUIRE(result);
    std::string expected = replaced(replaced(k_text, "first", "1st"), "third", "3rd");
    CHECK(result->tree == Tree({contents.file("SKILL.md", expected), other}));
    CHECK(result->files == std::vector<MergedFile>{{"SKILL.md", expected}});
    CHECK(contents.asked() == Paths{"SKILL.md", "SKILL.md", "SKILL.md"});
  }

  TEST_CASE("three versions of a text are joined at once") {
    Contents contents;
    Tree ancestor({contents.file("SKILL.md", k_text)});
    MergeResult result =
        merged(contents,
               ancestor,
               {Tree({contents.file("SKILL.md", replaced(k_text, "first", "1"))}),
                Tree({contents.file("SKILL.md", replaced(k_text, "second", "2"))}),
                Tree({contents.file("SKILL.md", replaced(k_text, "third", "3"))})});
    REQUIRE(result.files.size() == 1);
    CHECK(result.files[0].bytes
          == replaced(replaced(replaced(k_text, "first", "1"), "second", "2"), "third", "3"));
  }

  TEST_CASE("different changes of one place are a conflict") {
    Contents contents;
    Tree ancestor({contents.file("SKILL.md", k_text), contents.file("data", std::string(1, '\0'))});
    Tree ours({contents.file("SKILL.md", replaced(k_text, "first", "x")),
               contents.file("data", std::string(2, '\0'))});
    Tree theirs({contents.file("SKILL.md", replaced(k_text, "first", "y")),
                 contents.file("data", std::string(3, '\0'))});
    CHECK(conflict_paths(merged(contents, ancestor, {ours, theirs})) == Paths{"SKILL.md", "data"});
  }

  TEST_CASE("a file that is new in two versions is taken when it is the same, else a conflict") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill});
    Tree one({skill, contents.file("new", "1\n")});
    Tree same({skill, contents.file("new", "1\n"), contents.file("more", "x")});
    Tree other({skill, contents.file("new", "2\n")});
    CHECK(merged(contents, ancestor, {one, same}).tree == same);
    CHECK(conflict_paths(merged(contents, ancestor, {one, other})) == Paths{"new"});
    CHECK(contents.asked().empty());
  }

  TEST_CASE("an edit beats a deletion, also of its folder") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, folder("x"), contents.file("x/a", "1"), contents.file("x/b", "1")});
    Tree deleted({skill});
    Tree edited({skill, folder("x"), contents.file("x/a", "2"), contents.file("x/b", "1")});
    CHECK(merged(contents, ancestor, {deleted, edited, ancestor}).tree
          == Tree({skill, folder("x"), contents.file("x/a", "2")}));
    Tree added({skill,
                folder("x"),
                contents.file("x/a", "1"),
                contents.file("x/b", "1"),
                contents.file("x/c", "new")});
    CHECK(merged(contents, ancestor, {deleted, added}).tree
          == Tree({skill, folder("x"), contents.file("x/c", "new")}));
  }

  TEST_CASE("a folder that one version deletes is gone when no other puts anything in it") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, folder("x"), contents.file("x/a", "1"), folder("empty")});
    Tree deleted({skill, folder("empty")});
    Tree other({skill, folder("x"), contents.file("x/a", "1"), contents.file("b", "1")});
    CHECK(merged(contents, ancestor, {deleted, other}).tree
          == Tree({skill, contents.file("b", "1")}));
  }

  TEST_CASE("the executable bit and the content are joined apart") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, contents.file("run", "1\n2\n3\n")});
    Tree bit({skill, contents.program("run", "1\n2\n3\n")});
    Tree content({skill, contents.file("run", "1\n2\nc\n")});
    Tree both({skill, contents.program("run", "a\n2\n3\n")});
    CHECK(merged(contents, ancestor, {bit, content}).tree
          == Tree({skill, contents.program("run", "1\n2\nc\n")}));
    CHECK(merged(contents, ancestor, {bit, content, both}).tree
          == Tree({skill, contents.program("run", "a\n2\nc\n")}));
    // Taken away: also a change, and it beats the deletion of the file.
    CHECK(merged(contents, bit, {ancestor, Tree({skill}), bit}).tree == ancestor);
    // New in two versions: not executable before, so the bit is the change.
    CHECK(merged(contents, Tree({skill}), {ancestor, bit}).tree == bit);
  }

  TEST_CASE("file, folder and link at one path are a conflict") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, contents.file("x", "1")});
    Tree file({skill, contents.file("x", "2")});
    Tree link({skill, link_to("x", "SKILL.md")});
    Tree other_link({skill, link_to("x", "y")});
    Tree directory({skill, folder("x"), contents.file("x/a", "1")});
    CHECK(conflict_paths(merged(contents, ancestor, {file, link})) == Paths{"x"});
    CHECK(conflict_paths(merged(contents, ancestor, {file, directory})) == Paths{"x"});
    CHECK(conflict_paths(merged(contents, ancestor, {link, other_link})) == Paths{"x"});
    CHECK(conflict_paths(merged(contents, ancestor, {link, other_link, directory})) == Paths{"x"});
    CHECK(merged(contents, ancestor, {ancestor, link}).tree == link);
    CHECK(merged(contents, ancestor, {directory, ancestor}).tree == directory);
  }

  TEST_CASE("a file where another version works in a folder is a conflict") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, folder("x"), folder("x/y"), contents.file("x/y/a", "1")});
    Tree file({skill, contents.file("x", "1")});
    Tree edited({skill, folder("x"), folder("x/y"), contents.file("x/y/a", "2")});
    CHECK(conflict_paths(merged(contents, ancestor, {file, edited})) == Paths{"x"});
    Tree elsewhere(
        {skill, folder("x"), folder("x/y"), contents.file("x/y/a", "1"), contents.file("z", "1")});
    CHECK(merged(contents, ancestor, {file, elsewhere}).tree
          == Tree({skill, contents.file("x", "1"), contents.file("z", "1")}));
  }

  TEST_CASE(
      "two names that differ only in case are a conflict when the merge brings them together") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill});
    Tree upper({skill, folder("Docs"), contents.file("Docs/a", "1")});
    Tree lower({skill, folder("docs"), contents.file("docs/b", "1")});
    CHECK(conflict_paths(merged(contents, ancestor, {upper, lower})) == Paths{"Docs", "docs"});
    Tree twins({skill, contents.file("A", "1"), contents.file("a", "1")});
    Tree more({skill, contents.file("b", "1")});
    CHECK(merged(contents, ancestor, {twins, more}).tree
          == Tree({skill, contents.file("A", "1"), contents.file("a", "1"), more.entries()[1]}));
    // Another idea of what one name is, as a file system with Unicode has.
    auto all_alike = [](std::string_view) { return std::string(); };
    auto result = merge_trees(ancestor, {&upper, &more}, contents.source(), all_alike);
    REQUIRE(result);
    CHECK(conflict_paths(*result) == Paths{"Docs", "Docs/a", "SKILL.md", "b"});
  }

  TEST_CASE("a rename of SKILL.md against an edit of it is a conflict") {
    Contents contents;
    Tree ancestor({contents.file("SKILL.md", k_text)});
    Tree renamed({contents.file("skill.md", k_text)});
    Tree edited({contents.file("SKILL.md", "x")});
    CHECK(conflict_paths(merged(contents, ancestor, {renamed, edited}))
          == Paths{"SKILL.md", "skill.md"});
  }

  TEST_CASE("SKILL.md cannot vanish or become empty") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, contents.file("a", "1")});
    Tree without({contents.file("a", "1")});
    Tree emptied({contents.file("SKILL.md", ""), contents.file("a", "1")});
    Tree edited({skill, contents.file("a", "2")});
    for (const Tree& bad : {without, emptied}) {
      CHECK(conflict_paths(merged(contents, ancestor, {bad, edited})) == Paths{"SKILL.md"});
      CHECK(conflict_paths(merged(contents, ancestor, {bad})) == Paths{"SKILL.md"});
    }
    // What never was a skill need not become one.
    CHECK(merged(contents, Tree(), {without}).tree == without);
  }

  TEST_CASE("a lost ancestor means a union") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree one({skill, contents.file("a", "1")});
    Tree other({skill, contents.file("b", "1")});
    CHECK(merged(contents, Tree(), {one, other}).tree
          == Tree({skill, contents.file("a", "1"), contents.file("b", "1")}));
    Tree different({contents.file("SKILL.md", k_text + "more\n")});
    CHECK(conflict_paths(merged(contents, Tree(), {one, different})) == Paths{"SKILL.md"});
  }

  TEST_CASE("a large file is a conflict and is not read") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    Tree ancestor({skill, contents.file("a", "1\n")});
    Tree large({skill, contents.file("a", std::string(k_max_merge_text + 1, 'x'))});
    Tree small({skill, contents.file("a", "2\n")});
    CHECK(conflict_paths(merged(contents, ancestor, {large, small})) == Paths{"a"});
    CHECK(contents.asked().empty());
  }

  TEST_CASE("versions that together are too large for a skill are a conflict") {
    Contents contents;
    Entry skill = contents.file("SKILL.md", k_text);
    auto with_files = [&](const std::string& prefix) {
      std::vector<Entry> entries{skill};
      for (std::size_t i = 0; i < k_max_skill_entries / 2; ++i) {
        entries.push_back(contents.file(prefix + std::to_string(i), "x"));
      }
      return Tree(std::move(entries));
    };
    MergeResult result = merged(contents, Tree({skill}), {with_files("a"), with_files("b")});
    REQUIRE(result.conflicts.size() == 1);
    CHECK(result.conflicts[0].path == ".");
  }

  TEST_CASE("content that cannot be had or is not what it was ends the merge") {
    Contents contents;
    Tree ancestor({contents.file("SKILL.md", k_text)});
    Tree ours({contents.file("SKILL.md", replaced(k_text, "first", "x"))});
    Tree theirs({contents.file("SKILL.md", replaced(k_text, "third", "y"))});
    Contents nothing;
    auto missing = merge_trees(ancestor, {&ours, &theirs}, nothing.source());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::not_found);
    // Other bytes, of another length or of the same.
    for (auto other : {+[](const Entry&) { return std::string("moved on"); },
                       +[](const Entry& entry) { return std::string(entry.size, 'x'); }}) {
      auto moved = merge_trees(ancestor, {&ours, &theirs}, [&](const Entry& entry) {
        return Result<std::string>(other(entry));
      });
      REQUIRE_FALSE(moved);
      CHECK(moved.error().code == ErrorCode::changed);
      CHECK(moved.error().message.find("`SKILL.md`") != std::string::npos);
    }
  }
}

namespace {

// Random skills over a few paths, so that versions meet often.
class Model {
public:
  explicit Model(std::uint64_t seed)
      : m_random(seed) {}

  Contents contents;

  std::uint64_t below(std::uint64_t limit) { return m_random() % limit; }

  Tree skill() {
    std::map<std::string, Entry> entries;
    put(entries, text("SKILL.md"));
    for (std::uint64_t edits = below(6); edits > 0; --edits) {
      change(entries, k_paths[below(k_paths.size())]);
    }
    return tree(entries);
  }

  // `from` with a few changes at those of the paths that `only` allows.
  Tree edited(const Tree& from, const std::function<bool(std::string_view)>& only) {
    std::map<std::string, Entry> entries;
    for (const Entry& entry : from.entries()) {
      entries.emplace(entry.path, entry);
    }
    for (std::uint64_t edits = below(5); edits > 0; --edits) {
      const std::string& path = k_paths[below(2) == 0 ? 0 : below(k_paths.size())];
      if (only(path)) {
        change(entries, path);
      }
    }
    return tree(entries);
  }

private:
  using Entries = std::map<std::string, Entry>;
  const std::vector<std::string> k_paths{
      "SKILL.md", "a", "a/b", "a/b/c", "docs/x.md", "docs/y.md", "run.sh", "Docs", "z/1", "z/2"};

  Entry text(const std::string& path) {
    std::string bytes;
    for (char line = 'a'; line <= 'z'; ++line) {
      bytes += line;
      bytes += below(20) == 0 ? "!\n" : "\n";
    }
    return contents.file(path, bytes, below(5) == 0 ? EntryKind::executable : EntryKind::file);
  }

  // The same text with one line changed.
  Entry retouched(const Entry& entry) {
    std::string bytes = contents.bytes(entry);
    std::size_t line_end = bytes.find('\n', below(bytes.size()));
    bytes.insert(line_end == std::string::npos ? 0 : line_end, 1, "?!.;"[below(4)]);
    return contents.file(entry.path, bytes, entry.kind);
  }

  static void remove(Entries& entries, const std::string& path) {
    std::erase_if(entries, [&](const auto& entry) {
      return entry.first == path || entry.first.starts_with(path + "/");
    });
  }

  // Keeps the tree as a file system has it: what is above is a folder.
  static void put(Entries& entries, Entry entry) {
    for (std::size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1)) {
      std::string above = entry.path.substr(0, slash);
      if (!entries.contains(above) || entries.at(above).kind != EntryKind::folder) {
        remove(entries, above);
        entries.emplace(above, folder(above));
      }
    }
    if (entry.kind != EntryKind::folder || !entries.contains(entry.path)
        || entries.at(entry.path).kind != EntryKind::folder) {
      remove(entries, entry.path);
    }
    entries.insert_or_assign(entry.path, std::move(entry));
  }

  void change(Entries& entries, const std::string& path) {
    std::uint64_t choice = below(10);
    auto old = entries.find(path);
    bool is_text =
        old != entries.end()
        && (old->second.kind == EntryKind::file || old->second.kind == EntryKind::executable);
    if (is_text && choice < 6) {
      put(entries, retouched(old->second));
    } else if (path == "SKILL.md" || choice < 5) {
      put(entries, text(path));
    } else if (choice < 8) {
      remove(entries, path);
    } else if (choice == 8) {
      put(entries, folder(path));
    } else {
      put(entries, link_to(path, std::string("SKILL.md").substr(below(2))));
    }
  }

  static Tree tree(const Entries& entries) {
    std::vector<Entry> list;
    for (const auto& [path, entry] : entries) {
      list.push_back(entry);
    }
    return Tree(std::move(list));
  }

  std::mt19937_64 m_random;
};

bool everywhere(std::string_view) {
  return true;
}

// What a file system can hold.
void check_valid(const Tree& tree) {
  for (const Entry& entry : tree.entries()) {
    std::size_t slash = entry.path.rfind('/');
    if (slash != std::string::npos) {
      const Entry* above = tree.find(std::string_view(entry.path).substr(0, slash));
      REQUIRE(above != nullptr);
      REQUIRE(above->kind == EntryKind::folder);
    }
  }
}

} // namespace

TEST_SUITE("merge of random skills") {
  TEST_CASE("any versions give a valid tree or conflicts, the same in every order") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    Model model(seed);
    int clean = 0;
    int joined = 0;
    for (int round = 0; round < 1500; ++round) {
      CAPTURE(round);
      Tree ancestor = model.below(8) == 0 ? Tree() : model.skill();
      std::vector<Tree> versions;
      for (std::uint64_t count = 1 + model.below(3); count > 0; --count) {
        versions.push_back(model.edited(ancestor.empty() ? model.skill() : ancestor, everywhere));
      }
      MergeResult result = merged(model.contents, ancestor, versions);
      if (!result.clean()) {
        REQUIRE(versions.size() > 1);
        continue;
      }
      ++clean;
      check_valid(result.tree);
      REQUIRE(result.tree.is_complete());
      // No version's bytes are lost: a file that a version changed is there as that version has it,
      // or as another changed it too and the texts were joined.
      for (const Tree& version : versions) {
        for (const Entry& entry : version.entries()) {
          const Entry* before = ancestor.find(entry.path);
          const Entry* after = result.tree.find(entry.path);
          if (before != nullptr && *before == entry) {
            continue;
          }
          REQUIRE(after != nullptr);
          bool from_join = std::ranges::any_of(
              result.files, [&](const MergedFile& file) { return file.path == entry.path; });
          bool changed_content = before == nullptr || before->content != entry.content;
          REQUIRE((from_join || !changed_content || after->content == entry.content));
        }
      }
      for (const MergedFile& file : result.files) {
        ++joined;
        const Entry* entry = result.tree.find(file.path);
        REQUIRE(entry != nullptr);
        REQUIRE(entry->content == sha256(file.bytes));
        REQUIRE(entry->size == file.bytes.size());
      }
    }
    CHECK(clean > 300);
    CHECK(joined > 20);
  }

  TEST_CASE("a repeated version, the ancestor and the result itself change nothing") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    Model model(seed);
    for (int round = 0; round < 800; ++round) {
      Tree ancestor = model.skill();
      Tree ours = model.edited(ancestor, everywhere);
      Tree theirs = model.edited(ancestor, everywhere);
      REQUIRE(merged(model.contents, ancestor, {ancestor, ours}).tree == ours);
      MergeResult result = merged(model.contents, ancestor, {ours, theirs});
      MergeResult again = merged(model.contents, ancestor, {ours, ancestor, theirs, ours});
      REQUIRE(again.tree == result.tree);
      REQUIRE(again.conflicts == result.conflicts);
      if (result.clean()) {
        // A replica that has taken the result while another still holds its own version.
        for (const MergedFile& file : result.files) {
          model.contents.keep(file.bytes);
        }
        REQUIRE(merged(model.contents, result.tree, {result.tree}).tree == result.tree);
        MergeResult late = merged(model.contents, ours, {ours, result.tree});
        REQUIRE(late.tree == result.tree);
      }
    }
  }

  TEST_CASE("edits of different parts join, and one after the other gives the same") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    Model model(seed);
    auto left = [](std::string_view path) { return path.starts_with("a") || path == "SKILL.md"; };
    auto right = [](std::string_view path) {
      return path.starts_with("z") || path == "run.sh" || path.starts_with("docs");
    };
    for (int round = 0; round < 800; ++round) {
      CAPTURE(round);
      Tree ancestor =
          model.edited(model.skill(), [](std::string_view path) { return path != "Docs"; });
      if (ancestor.find("Docs") != nullptr) {
        continue; // would meet `docs` where case does not count
      }
      Tree ours = model.edited(ancestor, left);
      Tree theirs = model.edited(ancestor, right);
      MergeResult result = merged(model.contents, ancestor, {ours, theirs});
      REQUIRE(result.clean());
      REQUIRE(result.files.empty());
      for (const Entry& entry : result.tree.entries()) {
        const Tree& owner = left(entry.path) ? ours : theirs;
        REQUIRE(owner.find(entry.path) != nullptr);
        REQUIRE(*owner.find(entry.path) == entry);
      }
      for (const Tree* side : {&ours, &theirs}) {
        for (const Entry& entry : side->entries()) {
          if (left(entry.path) == (side == &ours)) {
            REQUIRE(result.tree.find(entry.path) != nullptr);
          }
        }
      }
    }
  }
}
