# What the cases of install may use: repositories, archives and hosts of this machine, and the life of a
# skill that came from one of them.

agents=~/.agents/skills
claude=~/.claude/skills
repositories=$PWD/repositories
files=$PWD/files
export GIT_AUTHOR_NAME=ada GIT_AUTHOR_EMAIL=ada@example.test
export GIT_COMMITTER_NAME=ada GIT_COMMITTER_EMAIL=ada@example.test
mkdir -p "$repositories" "$files"
three_agents

# commit REPOSITORY: all that lies in its work tree.
commit() {
  git -C "$repositories/$1" add -A
  git -C "$repositories/$1" commit -qm "a change"
}

# repository NAME SKILL...: on the branch `main`, with these skills below `skills/`; also as NAME.git.
repository() {
  local name=$1 one
  shift
  git init -q -b main "$repositories/$name"
  ln -s "$repositories/$name/.git" "$repositories/$name.git"
  for one in "$@"; do
    skill "$repositories/$name/skills" "$one"
  done
  commit "$name"
}

# host: serves `files` and `repositories`; sets `web` to its address and `git_host` to that of git's own
# protocol. GitHub is there, too, by a setting of git. What is asked is in `asked`.
host() {
  file_server --files "$files" --git "$repositories" --requests asked --daemon yes >ports 2>ports.err &
  server_pids+=("$!")
  trap end_servers EXIT
  becomes_true two_ports || fail "the server does not start: $(<ports.err)"
  web=http://127.0.0.1:$(sed -n 1p ports)
  git_host=git://127.0.0.1:$(sed -n 2p ports)
  git config --global "url.$web/git/.insteadOf" https://github.com/
}

two_ports() { (($(wc -l <ports) == 2)); }

end_servers() {
  kill "${server_pids[@]}" 2>/dev/null || :
  [[ -z ${other_home-} ]] || HOME=$other_home upskill daemon stop >/dev/null 2>&1 || :
}

# ssh_host: `git@example.test:PATH` leads to `repositories/PATH`, by a program in ssh's place.
ssh_host() {
  cat >ssh <<FILE
#!/bin/bash
[[ \$1 != -G ]] || exit 1
cd "$repositories" && exec sh -c "\${@: -1}"
FILE
  chmod +x ssh
  git config --global core.sshCommand "$PWD/ssh"
}

# archive FORMAT FILE FOLDER: `zip` and `tar.gz`, with the folder's content at the root.
archive() {
  case $1 in
    zip) rm -f "$2" && (cd "$3" && zip -qr "$2" .) ;;
    tar.gz) tar -C "$3" -czf "$2" . ;;
  esac
}

# digest FILE: as indexes have it.
digest() { echo "sha256:$(sha256sum "$1" | cut -d' ' -f1)"; }

# other_daemon SKILL: another person's daemon, with this skill, over HTTP; sets `mcp` to its address, and
# the caller's token for it.
other_daemon() {
  other_home=$PWD/other
  trap end_servers EXIT
  mkdir -p "$other_home/.codex" # an agent that reads what is in .agents
  skill "$other_home/.agents/skills" "$1"
  HOME=$other_home upskill daemon start --http 127.0.0.1:0 >/dev/null
  local said
  said=$(<"$other_home/.local/state/upskill/run/http.json")
  mcp=$(sed 's/.*"url":"\([^"]*\)".*/\1/' <<<"$said")
  local where=${mcp#http://}
  UPSKILL_MCP_TOKENS=${where%%/*}=$(sed 's/.*"token":"\([^"]*\)".*/\1/' <<<"$said")
  export UPSKILL_MCP_TOKENS
}

# is_installed NAME: every agent has it, alike.
is_installed() {
  [[ -f $agents/$1/SKILL.md ]] || fail "$1 is not in $agents: $out"
  same "$agents/$1" "$claude/$1"
}

is_gone() {
  absent "$agents/$1"
  absent "$claude/$1"
}

# edit NAME: a person writes into it, in every copy.
edit() {
  local root
  for root in "$agents" "$claude" ~/.cursor/skills; do
    [[ ! -d $root/$1 || -L $root/$1 ]] || echo "My own note." >"$root/$1/notes.md"
  done
}

# install_all SOURCE NAME...: installs it, and these skills are there.
install_all() {
  local source=$1 name
  shift
  run 0 upskill install "$source" --all --yes --json
  for name in "$@"; do
    has '"skill":"'"$name"'","state":"installed"'
    is_installed "$name"
  done
}

# has_whole_life SOURCE NAME CHANGE: it is installed, updated with a local edit kept, rolled back, and
# removed. CHANGE is a command that has the source say `Do it well.`
has_whole_life() {
  local source=$1 name=$2 change=$3
  install_all "$source" "$name"
  run 0 upskill update --check --json
  lacks '"any_new":true'
  edit "$name"
  $change
  run 1 upskill update --check --json
  has '"any_new":true' '"state":"available"'
  run 0 upskill update "$name" --yes --json
  has '"state":"merged"'
  grep -q "Do it well." "$agents/$name/SKILL.md" || fail "the new version is not there"
  is_file "$agents/$name/notes.md" "My own note."
  is_installed "$name"
  run 0 upskill rollback "$name" --yes --json
  ! grep -q "Do it well." "$agents/$name/SKILL.md" || fail "the new version is still there"
  is_file "$agents/$name/notes.md" "My own note."
  run 0 upskill remove "$name" --yes --json
  is_gone "$name"
}

# in_repository NAME SKILL: what `has_whole_life` takes to change it.
in_repository() {
  skill "$repositories/$1/skills" "$2" "Do it well."
  commit "$1"
}
