# What the cases of watch and watch_trouble may use: three agents, a skill with test cases, and a model whose answers
# hang on one word of it.

a=~/.agents/skills
c=~/.claude/skills
u=~/.cursor/skills

# watched MODE [OPTION]...: three agents in sync, a skill with 20 test cases, and a model that passes 95 %
# of them where the skill has the word, 55 % where it has not. All questions are noted in `asked`.
watched() {
  local mode=$1
  shift
  three_agents
  mkdir -p ~/.config/upskill
  printf 'watch:\n  mode: %s\n' "$mode" >~/.config/upskill/config.yaml
  serve --base 0.55 --skill 0.95 --marker MAGIC --requests asked "$@"
  skill "$u" greet "Say MAGIC words."
  mkdir "$u/greet/evals"
  local i cases=
  for i in {1..20}; do
    cases+=${cases:+,}'{"id":"q'$i'","input":"Question '$i'","expected":"pass"}'
  done
  printf '{"cases":[%s]}\n' "$cases" >"$u/greet/evals/evals.json"
  run 0 upskill sync enable --yes
  wait_idle
}

accept() {
  run 0 upskill eval accept greet -m generic.m --base-url "$server/v1" "$@"
}

rewrite() {
  printf -- '---\nname: greet\ndescription: What greet does and when to use it.\n---\n\n%s\n' "$1" >"$2/greet/SKILL.md"
}

asked() { wc -l <asked; }

# settled WORD: whether the skill is at rest with it.
settled() {
  upskill watch status --json >status.json
  [[ $(<status.json) == *'"state":"idle"'*"$1"* || $(<status.json) == *'"state":"waiting"'*"$1"* ]]
}

verdict() {
  becomes_true settled "$1" || fail "no $1: $(<status.json)"
}
