/** Schema fuzzing: tries every export with generated schemas of at most 16 KiB, and measures the processor time of each call. */
import { parseArgs } from 'node:util';
import { callsOf, type ExportCall } from '../test/schema-suite/every-export.ts';
import { outcomeOf } from '../test/schema-suite/every-export.ts';
import { generateSchema } from '../test/schema-suite/generate-schemas.ts';

const MAX_MS = 50;
/** A slow call is repeated, so that a garbage collection or a busy machine does not count. */
const REPEATS = 3;

/** Processor time of the calls of one export. */
interface Times {
  readonly ms: number[];
  worst: { readonly ms: number; readonly seed: number };
}

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, from: { type: 'string', default: '0' } },
});
const from = Number(values.from);
const count = Number(values.count);
const timesOf = new Map<string, Times>();
const outcomes = new Map<string, number>();
const slow: string[] = [];
const untyped: string[] = [];

for (let seed = from; seed < from + count; seed += 1) {
  const { schema, generator } = generateSchema(seed);
  for (const call of callsOf(schema)) {
    const { ms, outcome } = measure(call, seed);
    if (call.name.startsWith('(')) continue;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const times = timesOf.get(call.name) ?? { ms: [], worst: { ms: 0, seed } };
    timesOf.set(call.name, times);
    times.ms.push(ms);
    if (ms > times.worst.ms) times.worst = { ms, seed };
    if (ms > MAX_MS) slow.push(`${call.name}: ${ms.toFixed(1)} ms, schema ${seed} (${generator})`);
  }
  if ((seed - from) % 10_000 === 9_999) process.stderr.write(`${seed + 1 - from} schemas\n`);
}

/**
 * Measures a call. If the first run is slow, takes the minimum of several. An untyped error ends
 * the fuzzing.
 */
function measure(call: ExportCall, seed: number): { readonly ms: number; readonly outcome: string } {
  let ms = Number.POSITIVE_INFINITY;
  let outcome = '';
  for (let repeat = 0; repeat < REPEATS && (repeat === 0 || ms > MAX_MS / 2); repeat += 1) {
    const before = process.cpuUsage();
    try {
      outcome = outcomeOf(call);
    } catch (error) {
      outcome = 'untyped';
      untyped.push(`${call.name}: schema ${seed}: ${String(error).slice(0, 200)}`);
    }
    const { user, system } = process.cpuUsage(before);
    ms = Math.min(ms, (user + system) / 1_000);
  }
  return { ms, outcome };
}

process.stdout.write(`${count} schemas, each with every export\n`);
process.stdout.write(`outcomes: ${[...outcomes].map(([code, times]) => `${code} ${times}`).join(', ')}\n`);
for (const [name, { ms, worst }] of timesOf) {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2);
  process.stdout.write(
    `${name.padEnd(30)} p50 ${at(0.5)}  p99 ${at(0.99)}  max ${worst.ms.toFixed(1)} ms (schema ${worst.seed})\n`,
  );
}
for (const line of slow) process.stdout.write(`over ${MAX_MS} ms: ${line}\n`);
for (const line of untyped) process.stdout.write(`untyped error: ${line}\n`);
if (slow.length + untyped.length > 0) process.exitCode = 1;
