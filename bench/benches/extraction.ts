/**
 * Bench of finding an answer in a complete or a streamed transcript, against one plain search for
 * the closing tag.
 */
import { makeOurExtractors, type Extractor } from '../contestants/our-extraction.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import type { Bench, Table } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';
import * as transcripts from '../inputs/transcripts.ts';

interface Case {
  readonly name: string;
  readonly make: transcripts.TranscriptMaker;
  /** Ascending, each ten times the previous one. */
  readonly sizes: readonly number[];
}

const { MEGABYTE } = transcripts;
const ORDINARY: readonly Case[] = [
  {
    name: 'prose, then the answer',
    make: transcripts.proseThenAnswer,
    sizes: [MEGABYTE, 10 * MEGABYTE, 100 * MEGABYTE],
  },
  {
    name: 'tag mentioned early',
    make: transcripts.mentionThenAnswer,
    sizes: [MEGABYTE, 10 * MEGABYTE, 100 * MEGABYTE],
  },
  { name: 'many small answers', make: transcripts.manyAnswers, sizes: [MEGABYTE, 10 * MEGABYTE] },
  { name: 'one large payload', make: transcripts.largePayload, sizes: [0.8 * MEGABYTE, 8 * MEGABYTE] },
];
const HOSTILE: readonly Case[] = [
  { name: 'unclosed openings', make: transcripts.openingsOnly, sizes: [4_000, 40_000, 400_000] },
  { name: 'closings', make: transcripts.closingsOnly, sizes: [4_000, 40_000, 400_000] },
  { name: '<result>" repeated', make: transcripts.openStrings, sizes: [4_000, 40_000, 400_000] },
  { name: 'fence, then newlines', make: transcripts.unclosedFence, sizes: [10_000, 100_000] },
];

export const benchExtraction: Bench = async ({ isQuick, progress }) => {
  const tables: Table[] = [];
  for (const [title, cases] of [
    ['ordinary transcripts', ORDINARY],
    ['hostile transcripts', HOSTILE],
  ] as const) {
    const rows: string[][] = [];
    for (const each of cases) {
      progress(each.name);
      rows.push(...(await measureCase(each, isQuick)));
    }
    tables.push({ title, columns: COLUMNS, rows });
  }
  return { name: 'extraction', method: METHOD, tables };
};

const COLUMNS = [
  'transcript',
  'MB',
  'whole, ms',
  'streamed, ms',
  'search, ms',
  'whole MB/s',
  'whole / search',
  'streamed / search',
  'growth whole',
  'growth streamed',
];
const METHOD = [
  '`whole` is `safeExtractOutput(text, definition)`. `streamed` is `createTagScanner(definition)` with pieces of 64 KiB. Both end with a validated value or the right failure.',
  '`search` is the lower bound: `text.indexOf("</result>")`, repeated to the end of the text. It finds closing tags and returns no answer. It runs at memory speed, so a small multiple of it is good. Our time includes `JSON.parse` and validation of each answer.',
  'Texts are flat one-byte strings made before the clock starts. Garbage is collected before each sample. The peer that extracts from tags does not export its extraction: see `extraction-run`.',
];

async function measureCase({ name, make, sizes }: Case, isQuick: boolean): Promise<string[][]> {
  const rows: string[][] = [];
  let before: { readonly whole: number; readonly streamed: number } | undefined;
  for (const size of sizes) {
    if (isQuick && (size > 10 * MEGABYTE || size === 400_000)) continue;
    // A search of a small text takes microseconds: its ratio differs by half from run to run.
    const hasRatio = size >= 10 * MEGABYTE || size === sizes.at(-1);
    const { text, expected } = make(size);
    const extractors = makeOurExtractors();
    await check(extractors, text, expected, name);
    const samples = await takeTurns(
      {
        whole: () => extractors.whole(text),
        streamed: () => extractors.streamed(text),
        search: () => countClosings(text),
      },
      { minRounds: 3, maxRounds: 15, budgetMs: isQuick ? 400 : 2_000, collectsGarbage: true },
    );
    const medians = { whole: summarize(samples.whole).median, streamed: summarize(samples.streamed).median };
    rows.push([
      name,
      formatNumber(text.length / MEGABYTE),
      formatSpread(samples.whole),
      formatSpread(samples.streamed),
      formatSpread(samples.search),
      formatNumber(text.length / MEGABYTE / (medians.whole / 1000)),
      hasRatio ? formatRatio(medianRatio(samples.whole, samples.search)) : '-',
      hasRatio ? formatRatio(medianRatio(samples.streamed, samples.search)) : '-',
      before === undefined ? '-' : formatNumber(medians.whole / before.whole),
      before === undefined ? '-' : formatNumber(medians.streamed / before.streamed),
    ]);
    before = medians;
  }
  return rows;
}

async function check(
  extractors: Readonly<Record<'whole' | 'streamed', Extractor>>,
  text: string,
  expected: transcripts.Expected,
  name: string,
): Promise<void> {
  expectRight(`safeExtractOutput on "${name}"`, await extractors.whole(text), expected);
  expectRight(`the scanner on "${name}"`, await extractors.streamed(text), expected);
}

function countClosings(text: string): number {
  let count = 0;
  for (let at = text.indexOf('</result>'); at !== -1; at = text.indexOf('</result>', at + 9)) count += 1;
  return count;
}
