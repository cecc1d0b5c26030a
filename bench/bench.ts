/**
 * Bench command: `node bench/bench.ts [--json] [--only <name>] [--quick] [--size <n>] [--check] [--write-limits]`.
 * `--size` is the workload of `queued-runs`.
 * Tables on stdout, progress and what a check found on stderr.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { formatReport } from './harness/format.ts';
import { isolatedEnvironment, temporaryFolder } from './harness/isolated-home.ts';
import { checkLimits, limitsOf, type Limits } from './harness/limits.ts';
import type { Report } from './harness/report.ts';
import { runBenches } from './harness/run-benches.ts';
import { BENCH_NAMES } from './run-bench.ts';

const METHOD: readonly string[] = [
  'Contestants take turns in each round (A B C, A B C, …) after a warm-up; a ratio is the median of the ratios round by round, since the machine is shared and its speed drifts.',
  'A time is `median (min to max)` of the rounds. `growth` is the time at 10 times the size over the time at the size: 10 is linear, 100 is quadratic.',
  'A ratio `ours / peer` under 1 means that ours is faster; `peer / ours` over 1 means the same.',
  'Every contestant answers once before it is timed; a wrong answer ends the bench, or stands in place of the time where the peer is known to give it.',
  'Each bench runs in a process of its own with a temporary home; temporary folders are removed at the end; nothing uses the network.',
  'Traps: a ratio of two times under a millisecond is mostly noise; a figure that was cut off is a lower bound; compare reports of one machine only.',
];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    'write-limits': { type: 'boolean', default: false },
    only: { type: 'string' },
    size: { type: 'string' },
  },
});

const LIMITS = new URL('limits.json', import.meta.url);
/** The run that the figures of README.md and docs/bench.md come from. */
const REPORT = new URL('report.json', import.meta.url);
const limits = existsSync(LIMITS) ? (JSON.parse(readFileSync(LIMITS, 'utf8')) as Limits) : undefined; // Written below.
// Ratios depend on the sizes, so a check runs as the limits were measured.
const isQuick = values.check ? (limits?.measured.isQuick ?? false) : values.quick;

async function runInProcess(name: string): Promise<Report> {
  await using home = await temporaryFolder();
  const args = ['--expose-gc', new URL('run-bench.ts', import.meta.url).pathname, name];
  const flags = [
    ...(isQuick ? ['--quick'] : []),
    ...(values.size === undefined ? [] : [`--size=${values.size}`]),
  ];
  const child = spawn(process.execPath, [...args, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...isolatedEnvironment(home.path), TMPDIR: home.path },
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`The bench \`${name}\` failed; its message is printed above.`);
  return JSON.parse(output) as Report; // Printed by run-bench.ts, which types it.
}

if (values.size !== undefined && !/^[1-9]\d*$/u.test(values.size)) {
  console.error(`Expected \`--size\` to be a number of runs, got \`${values.size}\`.`);
  process.exit(2);
}
// Ctrl-C ends the running bench. This process stays until its folder is removed.
process.on('SIGINT', () => undefined);

const names = BENCH_NAMES.filter((name) => values.only === undefined || name === values.only);
if (names.length === 0) {
  console.error(`Expected \`--only\` to be one of ${BENCH_NAMES.join(', ')}, got \`${values.only}\`.`);
  process.exit(2);
}
const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`;
if (!values.json) {
  console.log(
    [
      '# Truecast side by side with its peers',
      '',
      machine,
      '',
      ...METHOD.map((line) => `- ${line}`),
      '',
    ].join('\n'),
  );
}
const { reports, failures } = await runBenches(names, runInProcess, (report) => {
  if (!values.json) console.log(formatReport(report));
});
if (values.json) {
  console.log(JSON.stringify({ machine, method: METHOD, isQuick, reports, failures }, undefined, 2));
}
for (const { message } of failures) console.error(message);
if (failures.length > 0) process.exitCode = 1;
if (values.check) {
  if (limits === undefined) throw new Error('There is no bench/limits.json. Write it with `--write-limits`.');
  const { problems, worseThanGoal } = checkLimits(limits, reports);
  for (const line of worseThanGoal) console.error(`worse than its goal: ${line}`);
  for (const line of problems) console.error(`beyond its bound: ${line}`);
  if (problems.length > 0) process.exitCode = 1;
}
if (values['write-limits'] && failures.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const measured = { date, commit, machine, isQuick };
  const written = limitsOf(reports, measured, limits);
  writeFileSync(LIMITS, `${JSON.stringify(written, undefined, 2)}\n`);
  const isWhole = values.only === undefined && !isQuick;
  if (isWhole) writeFileSync(REPORT, `${JSON.stringify({ measured, reports }, undefined, 1)}\n`);
}
