# install, update, rollback and remove, from every kind of source: local git and HTTP servers.

. "$(dirname "${BASH_SOURCE[0]}")/install_world.bash"

pdf_well() { in_repository owner/repo pdf; }

# --- git ---

test_owner_and_repository() {
  repository owner/repo pdf
  host
  has_whole_life owner/repo pdf pdf_well
}

test_a_folder_of_a_repository() {
  repository owner/repo pdf xlsx
  host
  install_all owner/repo/skills/pdf pdf
  is_gone xlsx
}

test_a_skill_of_a_repository() {
  repository owner/repo pdf xlsx
  host
  run 0 upskill install owner/repo@xlsx --yes --json
  is_installed xlsx
  is_gone pdf
}

test_a_branch_and_a_tag() {
  repository owner/repo pdf
  git -C "$repositories/owner/repo" tag v1
  git -C "$repositories/owner/repo" checkout -qb next
  in_repository owner/repo pdf
  git -C "$repositories/owner/repo" checkout -q main
  host
  install_all owner/repo#next pdf
  grep -q "Do it well." "$agents/pdf/SKILL.md" || fail "it is not of the branch"
  run 0 upskill remove pdf --yes
  run 0 upskill install owner/repo#v1 --yes --json
  has '"ref":"v1"'
  ! grep -q "Do it well." "$agents/pdf/SKILL.md" || fail "it is not of the tag"
}

test_a_branch_with_a_slash_in_an_address_of_github() {
  repository owner/repo pdf
  git -C "$repositories/owner/repo" branch feature/x
  host
  run 0 upskill install https://github.com/owner/repo/tree/feature/x/skills/pdf --yes --json
  has '"ref":"feature/x"'
  is_installed pdf
}

test_a_commit() {
  repository owner/repo pdf
  local first
  first=$(git -C "$repositories/owner/repo" rev-parse HEAD)
  in_repository owner/repo pdf
  host
  run 0 upskill install "owner/repo#$first" --yes --json
  has "\"commit\":\"$first\""
  ! grep -q "Do it well." "$agents/pdf/SKILL.md" || fail "it is not of the commit"
  run 0 upskill update --check --json # a commit has no newer one
  lacks '"any_new":true'
}

test_git_over_http_of_any_host() {
  repository owner/repo pdf
  host
  has_whole_life "$web/git/owner/repo.git" pdf pdf_well
}

test_git_over_its_own_protocol() {
  repository owner/repo pdf
  host
  has_whole_life "$git_host/owner/repo.git" pdf pdf_well
}

test_git_over_ssh() {
  repository owner/repo pdf
  ssh_host
  has_whole_life git@example.test:owner/repo.git pdf pdf_well
}

test_git_over_ssh_by_its_scheme() {
  repository owner/repo pdf
  ssh_host
  install_all "ssh://git@example.test$repositories/owner/repo.git" pdf
}

test_git_of_this_machine() {
  repository owner/repo pdf
  has_whole_life "file://$repositories/owner/repo" pdf pdf_well
}

test_a_login_of_git() {
  repository owner/repo pdf
  host
  run 3 upskill install "$web/private/owner/repo.git" --yes
  err_has "needs a login" "hint:"
  git config --global credential.helper '!echo username=ada; echo password=secret; :'
  install_all "$web/private/owner/repo.git" pdf
}

# --- what lies on this machine ---

test_a_local_folder() {
  skill mine/skills pdf
  change() { skill mine/skills pdf "Do it well."; }
  has_whole_life ./mine pdf change
  [[ -f mine/skills/pdf/SKILL.md ]] || fail "the source is gone"
}

test_a_local_skill() {
  skill mine pdf
  install_all ./mine/pdf pdf
  run 0 upskill remove pdf --yes
  install_all "$PWD/mine/pdf" pdf
}

test_a_local_document() {
  skill mine pdf
  install_all ./mine/pdf/SKILL.md pdf
}

test_local_archives() {
  skill mine pdf
  mkdir mine/pdf/data
  echo bytes >mine/pdf/data/file
  local name
  for name in pdf.zip pdf.tar.gz pdf.tgz; do
    [[ $name == *zip ]] && archive zip "$PWD/$name" mine/pdf || archive tar.gz "$PWD/$name" mine/pdf
    install_all "./$name" pdf
    is_file "$agents/pdf/data/file" bytes
    run 0 upskill remove pdf --yes
    is_gone pdf
  done
}

test_a_packed_skill_comes_back_as_it_was() {
  skill mine pdf
  run 0 upskill pack ./mine/pdf --output pdf.skill --yes --json
  has '"digest":"sha256:'
  install_all ./pdf.skill pdf
  same mine/pdf "$agents/pdf"
}

# --- what hosts publish ---

test_archives_at_an_address() {
  skill mine pdf
  archive zip "$files/pdf.zip" mine/pdf
  archive tar.gz "$files/pdf.tar.gz" mine/pdf
  cp "$files/pdf.zip" "$files/pdf.skill"
  host
  change() {
    skill mine pdf "Do it well."
    archive zip "$files/pdf.zip" mine/pdf
  }
  has_whole_life "$web/pdf.zip" pdf change
  install_all "$web/pdf.tar.gz" pdf
  run 0 upskill remove pdf --yes
  install_all "$web/pdf.skill" pdf
}

test_a_document_at_an_address() {
  skill "$files" pdf
  host
  change() { skill "$files" pdf "Do it well."; }
  has_whole_life "$web/pdf/SKILL.md" pdf change
}

# index: of a document and an archive, in the newest form.
index() {
  local at=$files/.well-known/agent-skills
  mkdir -p "$at"
  skill "$files" pdf "${1-Do it.}"
  skill mine xlsx
  archive tar.gz "$files/xlsx.tar.gz" mine/xlsx
  cat >"$at/index.json" <<FILE
{"\$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
  {"name": "pdf", "type": "skill-md", "description": "What pdf does and when to use it.",
   "url": "/pdf/SKILL.md", "digest": "$(digest "$files/pdf/SKILL.md")"},
  {"name": "xlsx", "type": "archive", "description": "What xlsx does and when to use it.",
   "url": "/xlsx.tar.gz", "digest": "$(digest "$files/xlsx.tar.gz")"}]}
FILE
}

test_a_host_that_publishes_an_index() {
  index
  host
  install_all "$web" pdf xlsx
  run 0 upskill remove xlsx --yes
  run 0 upskill remove pdf --yes
  index_well() { index "Do it well."; }
  run 0 upskill install "$web" --skill pdf --yes
  is_installed pdf
  is_gone xlsx
  edit pdf
  index_well
  run 0 upskill update pdf --yes --json
  has '"state":"merged"'
  grep -q "Do it well." "$agents/pdf/SKILL.md" || fail "the new version is not there"
}

test_a_host_that_publishes_an_index_of_the_older_form() {
  local at=$files/.well-known/skills
  skill "$at" pdf
  echo bytes >"$at/pdf/data"
  cat >"$at/index.json" <<'FILE'
{"skills": [{"name": "pdf", "description": "What pdf does and when to use it.", "files": ["SKILL.md", "data"]}]}
FILE
  host
  install_all "$web" pdf
  is_file "$agents/pdf/data" bytes
}

test_an_mcp_server() {
  other_daemon pdf
  change() {
    skill "$other_home/.agents/skills" pdf "Do it well."
    becomes_true is_new || fail "the other daemon has not seen it"
  }
  is_new() { ! upskill update --check >/dev/null 2>&1; }
  has_whole_life "mcp:$mcp" pdf change
}

test_one_skill_of_an_mcp_server() {
  other_daemon pdf
  skill "$other_home/.agents/skills" xlsx
  run 0 upskill install "mcp:$mcp#skill://xlsx/SKILL.md" --yes --json
  is_installed xlsx
  is_gone pdf
}

# --- choosing ---

test_several_skills_are_not_installed_unasked() {
  repository owner/repo pdf xlsx
  host
  run 2 upskill install owner/repo --yes --json
  has '"choose":true' '"skill":"pdf","state":"offered"' '"skill":"xlsx","state":"offered"'
  is_gone pdf
  run 0 upskill install owner/repo --skill pdf --skill xlsx --yes
  is_installed pdf
  is_installed xlsx
}

test_a_dry_run_changes_nothing() {
  repository owner/repo pdf
  host
  run 0 upskill install owner/repo --dry-run --json
  has '"dry_run":true' '"skill":"pdf","state":"installed"'
  is_gone pdf
}

test_installed_twice_it_is_unchanged() {
  repository owner/repo pdf
  host
  install_all owner/repo pdf
  run 0 upskill install owner/repo --yes --json
  has '"skill":"pdf","state":"unchanged"'
}

# Whoever asks right behind it is told of what has come and gone.
test_what_was_installed_is_counted() {
  skill mine pdf
  skill mine docx
  run 0 upskill status --json
  has '"skills":0'
  run 0 upskill install ./mine --all --yes
  run 0 upskill status --json
  has '"skills":2'
  run 0 upskill remove pdf --yes
  run 0 upskill status --json
  has '"skills":1'
}

test_for_a_project() {
  repository owner/repo pdf
  host
  mkdir app
  (cd app && git init -q && upskill install owner/repo --scope project --yes --json) >out.json
  [[ -f app/.agents/skills/pdf/SKILL.md && -f app/.claude/skills/pdf/SKILL.md ]] || fail "$(<out.json)"
  grep -q '"computedHash"' app/skills-lock.json || fail "no lock file"
  is_gone pdf
}

test_both_changed_the_same_file() {
  repository owner/repo pdf
  host
  install_all owner/repo pdf
  skill "$agents" pdf "Do it my way."
  cp "$agents/pdf/SKILL.md" "$claude/pdf/SKILL.md"
  pdf_well
  run 0 upskill update pdf --yes --json
  has '"state":"conflict"'
  grep -q "Do it my way." "$agents/pdf/SKILL.md" || fail "the edit is lost"
  run 0 upskill update pdf --take theirs --yes --json
  grep -q "Do it well." "$agents/pdf/SKILL.md" || fail "the new version is not there"
}

test_what_the_source_has_no_more_stays() {
  repository owner/repo pdf xlsx
  host
  install_all owner/repo pdf xlsx
  rm -r "$repositories/owner/repo/skills/pdf"
  commit owner/repo
  run 0 upskill update --yes --json
  has '"skill":"pdf"' '"state":"gone"'
  is_installed pdf
}
