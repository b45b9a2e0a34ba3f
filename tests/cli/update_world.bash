# What suites about installed skills share: a folder as their source, three agents, and what became of
# a skill. Sourced after support.bash.

s=~/src a=~/.agents/skills c=~/.claude/skills

# a_source NAME...: three agents and a source with these skills, all of them installed.
a_source() {
  three_agents
  local name
  for name in "$@"; do
    skill "$s" "$name" $'One.\n\nTwo.\n\nThree.'
  done
  run 0 upskill install "$s" --all --yes
}

# edit FILE OLD NEW: one line of a file.
edit() {
  grep -qxF -- "$2" "$1" || fail "$1 lacks the line: $2"
  sed -i "s/^$2\$/$3/" "$1"
}

# state_of NAME: of the last command's JSON.
state_of() {
  grep -o "\"skill\":\"$1\"[^{}]*\"state\":\"[a-z]*\"" <<<"$out" | sed 's/.*"state":"//; s/"$//' | head -n 1
}

# is_state NAME STATE
is_state() {
  [[ $(state_of "$1") == "$2" ]] || fail "$1 is $(state_of "$1"), not $2"$'\n'"$out"
}

# everywhere NAME LINE...: every copy has each of these lines.
everywhere() {
  local name=$1 line folder
  shift
  for folder in "$a" "$c"; do
    for line in "$@"; do
      grep -qxF -- "$line" "$folder/$name/SKILL.md" || fail "$folder/$name lacks: $line"$'\n'"$(cat "$folder/$name/SKILL.md")"
    done
  done
}
