#include "skills/install/tree_hash.h"

#include <openssl/evp.h>

#include <array>
#include <map>
#include <string_view>

namespace upskill::install {
namespace {

using Sha1 = std::array<unsigned char, 20>;

// An object of git: what it is, its size, its bytes.
Sha1 object_hash(std::string_view kind, std::string_view bytes) {
  std::string text(kind);
  text += ' ';
  text += std::to_string(bytes.size());
  text += '\0';
  text += bytes;
  Sha1 hash{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha1(), nullptr);
  return hash;
}

struct Folder {
  std::map<std::string, const sync::NewFile*> files = {};
  std::map<std::string, Folder> folders = {};
};

void add(Folder& folder, std::string_view path, const sync::NewFile& file) {
  std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) {
    folder.files[std::string(path)] = &file;
  } else {
    add(folder.folders[std::string(path.substr(0, slash))], path.substr(slash + 1), file);
  }
}

std::string entry(std::string_view mode, const std::string& name, const Sha1& hash) {
  std::string text(mode);
  text += ' ';
  text += name;
  text += '\0';
  text.append(reinterpret_cast<const char*>(hash.data()), hash.size());
  return text;
}

// Folders are sorted as if their names ended in a slash.
Sha1 hash_of(const Folder& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& [name, file] : folder.files) {
    bool is_link = !file->target.empty();
    std::string_view mode = is_link ? "120000" : file->is_program ? "100755" : "100644";
    entries[name] = entry(mode, name, object_hash("blob", is_link ? file->target : file->bytes));
  }
  for (const auto& [name, below] : folder.folders) {
    entries[name + "/"] = entry("40000", name, hash_of(below));
  }
  std::string text;
  for (const auto& [name, one] : entries) {
    text += one;
  }
  return object_hash("tree", text);
}

} // namespace

std::string git_tree_hash(const sync::NewFiles& files) {
  Folder root;
  for (const auto& [path, file] : files) {
    add(root, path, file);
  }
  std::string text;
  for (unsigned char byte : hash_of(root)) {
    constexpr std::string_view k_digits = "0123456789abcdef";
    text += k_digits[byte >> 4];
    text += k_digits[byte & 15];
  }
  return text;
}

} // namespace upskill::install
