# history: the versions of a skill with their verdicts, and what differs between two of them.

. "$(dirname "${BASH_SOURCE[0]}")/watch_world.bash"

# three_versions: accepted, REGRESSED and OK; their hashes in `hashes`, the newest first.
three_versions() {
  watched auto
  accept
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  rewrite "Do say MAGIC words, and say them well." "$c"
  wait_idle
  verdict '"verdict":"OK"'
  list_hashes
  ((${#hashes[@]} == 3)) || fail "${#hashes[@]} versions: $out"
}

list_hashes() {
  run 0 upskill runs history greet --json
  mapfile -t hashes < <(grep -o '"hash":"[0-9a-f]*"' <<<"$out" | cut -d'"' -f4)
}

test_every_version_has_its_verdict() {
  three_versions
  run 0 upskill runs --history --skill greet
  has "greet  generic.m, helps when read" "Pass Rate" "Change" "Tokens" "worse than the accepted version"
  local rows
  mapfile -t rows < <(grep -E "^[0-9a-f]{8} " "$CASE_FOLDER/out")
  ((${#rows[@]} == 3)) || fail "$out"
  [[ ${rows[0]} == "${hashes[0]:0:8} "*" OK "* && ${rows[1]} == "${hashes[1]:0:8} "*" REGRESSED "* &&
    ${rows[2]} == "${hashes[2]:0:8} "*" accepted "* ]] || fail "$out"
  # The same, by other words.
  local same=$out
  run 0 upskill runs history greet
  [[ $out == "$same" ]] || fail "$out"
  run 0 upskill runs --history -s greet -n 1
  has "2 older versions" "${hashes[0]:0:8}"
  lacks "${hashes[1]:0:8}"
  run 0 upskill runs --history
  has "${hashes[2]:0:8}"
  run 0 upskill runs --history -s greet --json
  has '"verdict":"REGRESSED","reason":"dropped"' '"is_accepted":true' '"change":-' '"source":"accept"'
}

test_a_version_is_there_once() {
  three_versions
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  list_hashes
  ((${#hashes[@]} == 3)) || fail "${#hashes[@]} versions: $out"
}

test_any_two_can_be_compared() {
  three_versions
  run 0 upskill runs --history -s greet --from "${hashes[1]:0:8}" --to "${hashes[0]:0:10}"
  has "-Say some words." "+Do say MAGIC words, and say them well." "SKILL.md  changed" "REGRESSED" " OK" \
    "against the accepted" "samples" "${hashes[1]:0:8} "
  lacks "evals.json"
  run 0 upskill runs --history -s greet --from "${hashes[0]:0:8}" --to accepted
  has "-Do say MAGIC words, and say them well." "+Say MAGIC words." "OK" "accepted" "60"
  # What it is now, against the accepted one, unless told.
  run 0 env COLUMNS=120 upskill runs --history -s greet --to now
  has "- Say MAGIC words.  " "+ Do say MAGIC words, and say them well."
  lacks "Say some words."
  run 0 upskill runs --history -s greet --from now --json
  has '"from":{"skill":"greet"' '"files":[]' '"diff":{'
}

test_other_files_are_part_of_it() {
  watched ask
  mkdir "$u/greet/scripts" "$u/greet/.git"
  echo "print('one')" >"$u/greet/scripts/say.py"
  echo secret >"$u/greet/.git/config"
  head -c 300000 /dev/zero | tr '\0' x >"$u/greet/large.txt"
  wait_idle
  accept
  echo "print('two')" >"$u/greet/scripts/say.py"
  echo more >>"$u/greet/large.txt"
  wait_idle
  run 0 upskill runs --history -s greet --from accepted
  has "scripts/say.py  changed" "-print('one')" "+print('two')" \
    "large.txt  changed; its text is not kept: it has more than 256 KiB"
  lacks secret
  # A change that was not settled yet is not what was kept.
  run 0 upskill runs --history -s greet --from accepted --to accepted
  has "No file is different."
}

test_what_is_none() {
  three_versions
  run 3 upskill runs --history -s nobody
  err_has nobody
  run 3 upskill runs --history -s .
  run 3 upskill runs --history -s greet --from 0000000000000000000000000000000000000000000000000000000000000000
  err_has "no version's hash begins with" "upskill runs --history --skill NAME"
  run 2 upskill runs --history -s greet --from abc
  err_has "abc" "at least 4"
  run 2 upskill runs --history --from now
  err_has "only versions of one skill can be compared"
  run 2 upskill runs --history -n 0
  err_has "from 1 to 1,000"
}

test_what_was_only_evaluated_is_part_of_it() {
  watched ask
  run 0 upskill runs --history -s greet
  has "greet has no history." "upskill eval accept"
  run 0 upskill eval greet -m generic.m --base-url "$server/v1"
  run 0 upskill runs --history -s greet
  has "evaluated" "Lift" "+4" "generic.m"
  run 3 upskill runs --history -s greet --from accepted
  err_has "no version of" "was accepted"
  rewrite "Say some words." "$c"
  wait_idle
  list_hashes
  run 0 upskill runs --history -s greet --from "${hashes[0]:0:12}"
  has "evaluated" "not tested" "are not kept"
  # A lift that was measured belongs to the version, once it is accepted.
  rewrite "Say MAGIC words." "$c"
  wait_idle
  accept
  run 0 upskill runs --history -s greet
  has "accepted" "+4"
  lacks "evaluated"
}

test_a_skill_that_is_gone_has_a_history() {
  watched ask
  accept
  run 0 upskill sync disable --yes
  rm -r "$a/greet" "$c/greet" "$u/greet"
  wait_idle
  run 0 upskill runs --history -s greet
  has "accepted" " 60"
  run 3 upskill runs --history -s greet --to now
  err_has "is not there now"
}

test_agents_are_not_told() {
  watched ask
  accept
  tool eval_history '{"skill":"greet"}' >answer
  ! grep -q '"versions"' answer || fail "$(<answer)"
}
