#include "skills/install/tree_hash.h"

#include <doctest/doctest.h>

using namespace upskill;

TEST_SUITE("skills/install") {
  // What `git write-tree` says of the same files (git 2.39).
  TEST_CASE("a folder's hash is git's own, with programs, links and folders in git's order") {
    sync::NewFiles files;
    files["a/x"] = {"one\n"};
    files["a.txt"] = {"dot\n"};
    files["a-b"] = {"b"};
    files["run"] = {"#!/bin/sh\n", true};
    files["link"] = {"", false, "a/x"};
    CHECK(install::git_tree_hash(files) == "c6cbb0a0a4cf1b728e29871b86045e765aaeaeeb");
  }

  TEST_CASE("nothing has the hash of git's empty tree") {
    CHECK(install::git_tree_hash({}) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  }
}
