/**
 * Bench of parsing events from small models' output: which contestants return the right event,
 * refuse, or silently return a wrong one.
 */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseAgentOutput } from '../../packages/ensemble/src/index.ts';
import { loadPeer } from '../harness/load-peer.ts';
import type { Bench, Table } from '../harness/report.ts';

const SHAPES = new URL('../../test/event-corpus/shapes.json', import.meta.url);
const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;

interface Shape {
  readonly name: string;
  readonly raw: string;
  /** The contained event, or null if it contains none. */
  readonly event: unknown;
  /**
   * An event that a guessing parser might return too: most likely intended, but not the only
   * reading.
   */
  readonly guess?: unknown;
}

/** Returns the event in a text, or null. */
type Reader = (raw: string) => unknown;
type Verdict = 'right' | 'right, a guess' | 'wrong, silently' | 'refused';

export const benchEventParsing: Bench = async ({ progress }) => {
  const shapes = JSON.parse(await readFile(SHAPES, 'utf8')) as readonly Shape[]; // Our own file.
  const readers = await makeReaders();
  const counts: string[][] = [];
  const wrong: string[][] = [];
  for (const [name, reader] of readers) {
    progress(name);
    const verdicts = shapes.map((shape) => ({ shape, verdict: judge(reader(shape.raw), shape) }));
    const count = (verdict: Verdict): string =>
      String(verdicts.filter((each) => each.verdict === verdict).length);
    counts.push([name, count('right'), count('right, a guess'), count('wrong, silently'), count('refused')]);
    for (const { shape, verdict } of verdicts) {
      if (verdict === 'wrong, silently') {
        wrong.push([name, shape.name, JSON.stringify(reader(shape.raw)).slice(0, 80)]);
      }
    }
  }
  if (counts[0]?.[1] !== String(shapes.length)) {
    throw new Error(`truecast reads ${counts[0]?.[1]} of ${shapes.length} shapes right.`);
  }
  return { name: 'event-parsing', method: METHOD, tables: [makeCounts(shapes, counts), makeWrong(wrong)] };
};

const METHOD = [
  'We wrote the shapes from the habits of small models. Our parser was made for them; the other parsers were made for other tasks (repairing a document, showing a stream).',
  'The value of another parser is validated by the same event contract, which favours it: kinds are repaired or replaced, wrappers and arrays are opened. A string, a number, or an object without a text counts as refused, not as wrong.',
  'Right is the event that the shape contains, or no event if it contains none or has several readings. `a guess` is the most likely of several readings, which our parser does not take. Refused is no event although the shape contains one. Wrong is another event than the one in the shape, or an event where the shape contains none.',
];

function makeCounts(shapes: readonly Shape[], rows: readonly (readonly string[])[]): Table {
  const events = shapes.filter(({ event }) => event !== null).length;
  return {
    title: `${shapes.length} shapes that models print: ${events} contain an event, ${shapes.length - events} contain none`,
    columns: ['contestant', 'right', 'right, a guess', 'wrong, silently', 'refused'],
    rows,
  };
}

function makeWrong(rows: readonly (readonly string[])[]): Table {
  return { title: 'Wrong results', columns: ['contestant', 'shape', 'gave'], rows };
}

function judge(actual: unknown, { event, guess }: Shape): Verdict {
  if (isDeepStrictEqual(actual, event)) return 'right';
  if (guess !== undefined && isDeepStrictEqual(actual, guess)) return 'right, a guess';
  return actual === null ? 'refused' : 'wrong, silently';
}

async function makeReaders(): Promise<readonly (readonly [string, Reader])[]> {
  const { jsonrepair } = await loadPeer<{ jsonrepair: (text: string) => string }>('jsonrepair');
  const partial = await loadPeer<{ parse: (text: string) => unknown }>('partial-json');
  const bestEffort = await loadPeer<{
    parse: (text: string) => unknown;
    setErrorLogger: (log: () => void) => void;
  }>('best-effort-json-parser');
  bestEffort.setErrorLogger(() => undefined);
  const repair = (text: string): unknown => JSON.parse(jsonrepair(text));
  return [
    ['truecast', readOurs],
    ['JSON.parse', underContract((raw) => JSON.parse(raw))],
    ['jsonrepair', underContract(repair)],
    ['jsonrepair, from the first { on', underContract((raw) => repair(fromFirstBrace(raw)))],
    ['partial-json', underContract((raw) => partial.parse(raw))],
    ['partial-json, from the first { on', underContract((raw) => partial.parse(fromFirstBrace(raw)))],
    ['best-effort-json-parser', underContract((raw) => bestEffort.parse(raw))],
    [
      'best-effort-json-parser, from the first { on',
      underContract((raw) => bestEffort.parse(fromFirstBrace(raw))),
    ],
  ];
}

function fromFirstBrace(raw: string): string {
  return raw.slice(Math.max(0, raw.indexOf('{')));
}

function readOurs(raw: string): unknown {
  const { payload, tier } = parseAgentOutput(raw, GRANT);
  return tier === 'raw' ? null : payload;
}

function underContract(parse: (raw: string) => unknown): Reader {
  return (raw) => {
    try {
      const value = parse(raw);
      return typeof value === 'object' && value !== null ? readOurs(JSON.stringify(value)) : null;
    } catch {
      return null;
    }
  };
}
