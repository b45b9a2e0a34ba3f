// Whether all held that the conformance suite tried. Its own exit code looks away from warnings, from
// the scenarios that a revision does not score, and from what a server kept it from trying.
//
//   node judge.mjs PACKAGES RESULTS EXPECTED_FAILURES REVISION [SCENARIO...]
//
// Without scenarios: all that the suite knows for the revision. Ends with 1 when something failed.
import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [packages, results, expectedFile, revision, ...named] = process.argv.slice(2);
const { parse } = createRequire(join(packages, '_'))('yaml');
const read = (path) => readFileSync(path, 'utf8');

// What cannot be tried here, and why.
const maySkip = {
  // "Status notifications conformance, pending subscriptions/listen rewrite."
  'tasks-status-notifications:tasks-status-notifications': true,
  // ttlMs and cacheScope exist since 2026-07-28.
  'sep-2640-skills-enumeration:sep-2640-skills-list-cache-attributes': revision < '2026-07-28',
  'sep-2640-skills-enumeration:sep-2640-skills-get-cache-attributes': revision < '2026-07-28',
};

// What is only a remark in the results when a server does not even offer it.
const mustSucceed = {
  'server-initialize': ['server-session-id-visible-ascii'],
  'server-session-lifecycle': [
    'server-session-delete-accepted',
    'server-session-terminated-returns-404',
  ],
  'server-sse-polling': [
    'server-sse-priming-event',
    'server-sse-retry-field',
    'server-sse-disconnect-resume',
  ],
};

function requiredScenarios() {
  const path = join(packages, '@modelcontextprotocol/conformance/requirements', `${revision}.yaml`);
  const set = parse(read(path));
  const unscored = (set.not_scored ?? []).filter((entry) => entry.leg === 'server');
  return [...set.server, ...unscored.map((entry) => entry.scenario)];
}

// scenario -> its checks. A folder is named `server-SCENARIO-TIME`.
function allChecks() {
  const found = new Map();
  for (const folder of existsSync(results) ? readdirSync(results) : []) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[^-]+-[^-]+-.*$/.exec(folder)?.[1];
    const path = join(results, folder, 'checks.json');
    if (scenario !== undefined && existsSync(path)) {
      found.set(scenario, JSON.parse(read(path)));
    }
  }
  return found;
}

const expected = new Set(parse(read(expectedFile)).server);
const unused = new Set(expected);
const problems = [];
let passed = 0;

function problem(scenario, id, text) {
  for (const name of [scenario, `${scenario}:${id}`]) {
    if (expected.has(name)) {
      unused.delete(name);
      return;
    }
  }
  const lines = String(text ?? 'no reason was given').slice(0, 1500).split('\n');
  problems.push(`  ${scenario}: ${id}\n      ${lines.join('\n      ')}`);
}

const scenarios = named.length > 0 ? named : requiredScenarios();
const checks = allChecks();
for (const scenario of scenarios) {
  const tried = checks.get(scenario);
  if (tried === undefined) {
    problem(scenario, 'scenario', 'it was not run to its end');
    continue;
  }
  const succeeded = new Set();
  for (const check of tried) {
    if (check.status === 'SUCCESS') {
      passed += 1;
      succeeded.add(check.id);
    } else if (check.status === 'FAILURE' || check.status === 'WARNING') {
      problem(scenario, check.id, check.errorMessage ?? check.description);
    } else if (check.status === 'SKIPPED' && !maySkip[`${scenario}:${check.id}`]) {
      problem(scenario, check.id, `not tried: ${check.errorMessage ?? JSON.stringify(check.details)}`);
    }
  }
  for (const id of mustSucceed[scenario] ?? []) {
    if (!succeeded.has(id)) {
      problem(scenario, id, 'the server gave no occasion to try it');
    }
  }
  if (succeeded.size === 0 && !tried.some((check) => maySkip[`${scenario}:${check.id}`])) {
    problem(scenario, 'scenario', 'nothing in it succeeded');
  }
}
for (const name of unused) {
  if (checks.has(name.split(':')[0])) {
    problems.push(`  ${name}: is expected to fail and does not; remove it`);
  }
}

if (problems.length > 0) {
  console.log(problems.join('\n'));
}
console.log(`${passed} checks passed in ${scenarios.length} scenarios, ${problems.length} failed`);
process.exitCode = problems.length === 0 && passed > 0 ? 0 : 1;
