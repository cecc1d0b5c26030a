/** Bench of hostile schemas and values: the processor time until each is answered or refused. */
import { HOSTILE, type HostileCase } from '../../test/schema-suite/hostile-schemas.ts';
import type { HostileReply } from '../contestants/hostile-host.ts';
import { startContestant } from '../harness/ask-process.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';

const HOST = new URL('../contestants/hostile-host.ts', import.meta.url);

/** Rounds in one process. Those after the first are warm. */
const ROUNDS = 6;

export const benchSchemaHostile: Bench = async ({ isQuick, progress }) => {
  await using home = await temporaryFolder();
  const processes = isQuick ? 1 : 3;
  const measured: { readonly name: string; readonly cold: number; readonly cells: readonly string[] }[] = [];
  for (const one of HOSTILE) {
    progress(one.name);
    const replies: HostileReply[] = [];
    for (let count = 0; count < processes; count += 1) replies.push(await measure(one, home.path));
    const cold = summarize(replies.map(({ cpuMs }) => cpuMs[0] ?? Number.NaN));
    const warm = summarize(replies.flatMap(({ cpuMs }) => cpuMs.slice(1)));
    const figures = [cold.median, cold.max, warm.median, warm.max].map((figure) => formatNumber(figure));
    measured.push({ name: one.name, cold: cold.median, cells: [replies[0]?.verdict ?? '', ...figures] });
  }
  const rows = measured
    .toSorted((left, right) => right.cold - left.cold)
    .map(({ name, cells }) => [name, ...cells]);
  return {
    name: 'schema-hostile',
    method: METHOD,
    tables: [
      {
        title: 'processor milliseconds to compile a hostile schema and validate a value, highest first',
        columns: ['case', 'verdict', 'cold', 'cold max', 'warm', 'warm max'],
        rows,
      },
    ],
  };
};

const METHOD = [
  `Each case has its own processes (3, 1 with --quick). In each, the schema is compiled and a value validated ${ROUNDS} times, with a different text each time. \`cold\` is the first time, before any line of the engine has run.`,
  'Time is `process.cpuUsage()`, user and system, of all threads of the process, including the compiler’s and the garbage collector’s. Making the schema and the value is not counted. Limits have their defaults.',
  'On a shared machine, processor time grows too, because caches and the clock are shared. Each process checks the verdict.',
];

async function measure({ name, verdicts }: HostileCase, home: string): Promise<HostileReply> {
  const process = startContestant(HOST, [], home);
  const reply = await process.ask<HostileReply>({ name, rounds: ROUNDS }, 60_000);
  await process.stop();
  if (reply === undefined) throw new Error(`\`${name}\` had no answer after a minute.`);
  expectRight(name, verdicts.includes(reply.verdict), true);
  return reply;
}
