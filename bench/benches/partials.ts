/**
 * Bench of partial values: one JSON value arrives in 16-character chunks, and a partial value is
 * read after each.
 */
import { isDeepStrictEqual } from 'node:util';
import { createTagScanner } from '../../packages/core/src/output/tag-scanner.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import { isPrefixOf } from '../harness/is-prefix.ts';
import { loadPeer } from '../harness/load-peer.ts';
import type { Bench, Table } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';
import { cutIntoPieces, findingsJson } from '../inputs/json-values.ts';

const PIECE_CHARS = 16;
const KIBIBYTE = 1024;

/** Reads a whole stream. `onPartial` gets the value after each chunk. Returns the last value. */
type Reader = (pieces: readonly string[], onPartial: (value: unknown) => void) => Promise<unknown>;

const NAMES = ['truecast', 'truecast, a copy each', 'ai parsePartialJson', 'partial-json'] as const;
type Name = (typeof NAMES)[number];

export const benchPartials: Bench = async ({ isQuick, progress }) => {
  const readers = await makeReaders();
  const sizes = isQuick ? [8, 32] : [8, 32, 128];
  const rows: string[][] = [];
  let before: Record<Name, number> | undefined;
  for (const size of sizes) {
    progress(`${size} KiB`);
    const pieces = cutIntoPieces(findingsJson(size * KIBIBYTE), PIECE_CHARS);
    const wrong = await countWrong(readers, pieces, size);
    const samples = await measure(readers, pieces, size);
    const medians = mapReaders(readers, (_, name) => summarize(samples[name]).median);
    for (const name of NAMES) {
      rows.push([
        `${size} KiB`,
        name,
        formatSpread(samples[name]),
        formatNumber((medians[name] / pieces.length) * 1000),
        formatRatio(
          size > 32 ? medians[name] / medians.truecast : medianRatio(samples[name], samples.truecast),
        ),
        before === undefined ? '-' : formatNumber(medians[name] / before[name]),
        wrong[name] === undefined ? '-' : String(wrong[name]),
      ]);
    }
    before = medians;
  }
  return { name: 'partials', method: METHOD, tables: [makeTable(rows)] };
};

const METHOD = [
  'Our scanner also searches for the tag: the stream is `<result>`, the JSON, `</result>`, and `scanner.partial()` is read after each piece. The peers get only the JSON, and parse its whole prefix again at each piece, which is their documented use.',
  '`partial()` is a live view that grows in place. A peer returns a new value each time. The row `a copy each` adds `scanner.snapshot()` after each piece, which copies, so its time grows with the square of the size.',
  'Growth is the time at 4 times the size divided by the time at the size: 4 is linear, 16 is quadratic. At 128 KiB the peers and the copies run once, separately from ours, and the ratio is that of the medians.',
  '`wrong` counts the pieces (8 KiB only) after which the value contained something that the final value does not, such as `12` of `128.5`.',
];

/**
 * Peers need ten seconds for 128 KiB: they are read once at this size. Ours is read separately, in
 * the usual number of rounds.
 */
async function measure(
  readers: Record<Name, Reader>,
  pieces: readonly string[],
  size: number,
): Promise<Record<Name, number[]>> {
  const { truecast, ...others } = mapReaders(readers, (reader) => () => reader(pieces, ignore));
  const rounds = { minRounds: 3, maxRounds: size > 8 ? 3 : 9, budgetMs: 3_000 };
  // Ours needs some ten rounds of 2 ms until it is compiled.
  if (size === 8) await takeTurns({ truecast }, { ...rounds, warmUpRounds: 20 });
  if (size <= 32) return takeTurns({ truecast, ...others }, rounds);
  const ours = await takeTurns({ truecast }, { ...rounds, warmUpRounds: 2, maxRounds: 9 });
  return {
    ...ours,
    ...(await takeTurns(others, { ...rounds, warmUpRounds: 0, minRounds: 1, maxRounds: 1 })),
  };
}

function makeTable(rows: readonly (readonly string[])[]): Table {
  return {
    title: `Partial values of one JSON value in ${PIECE_CHARS}-character pieces`,
    columns: ['size', 'contestant', 'ms per stream', 'us per piece', '/ truecast', 'growth x4', 'wrong'],
    rows,
  };
}

async function makeReaders(): Promise<Record<Name, Reader>> {
  const { parsePartialJson } = await loadPeer<{
    parsePartialJson: (text: string) => Promise<{ value: unknown }>;
  }>('ai');
  const { parse } = await loadPeer<{ parse: (text: string) => unknown }>('partial-json');
  return {
    truecast: readOurs((scanner) => scanner.partial().value),
    'truecast, a copy each': readOurs((scanner) => scanner.snapshot().value),
    'ai parsePartialJson': readPrefixes(async (text) => (await parsePartialJson(text)).value),
    'partial-json': readPrefixes((text) => parse(text)),
  };
}

function readOurs(read: (scanner: ReturnType<typeof createTagScanner>) => unknown): Reader {
  return async (pieces, onPartial) => {
    const scanner = createTagScanner(Output.json({ tag: 'result' }));
    scanner.push('<result>');
    for (const piece of pieces) {
      scanner.push(piece);
      onPartial(read(scanner));
    }
    scanner.push('</result>');
    const result = await scanner.finish();
    return result.success ? result.output : result.error;
  };
}

function readPrefixes(parse: (text: string) => unknown): Reader {
  return async (pieces, onPartial) => {
    let text = '';
    let value: unknown;
    for (const piece of pieces) {
      text += piece;
      value = await parse(text);
      onPartial(value);
    }
    return value;
  };
}

/** Checks every reader's final value, and each partial value at 8 KiB. */
async function countWrong(
  readers: Record<Name, Reader>,
  pieces: readonly string[],
  size: number,
): Promise<Partial<Record<Name, number>>> {
  const whole: unknown = JSON.parse(pieces.join(''));
  const wrong: Partial<Record<Name, number>> = {};
  if (size !== 8) return wrong;
  for (const name of NAMES) {
    let count = 0;
    const last = await readers[name](pieces, (value) => {
      if (value !== undefined && !isPrefixOf(value, whole)) count += 1;
    });
    if (!isDeepStrictEqual(last, whole)) {
      throw new Error(`${name} ended with another value than the one that was sent.`);
    }
    wrong[name] = count;
  }
  return wrong;
}

function mapReaders<TValue>(
  readers: Record<Name, Reader>,
  map: (reader: Reader, name: Name) => TValue,
): Record<Name, TValue> {
  return Object.fromEntries(NAMES.map((name) => [name, map(readers[name], name)])) as Record<Name, TValue>; // Has all names.
}

function ignore(): void {
  // Only the reading time counts.
}
