/** Bench of masking secrets in a transcript, against one plain search over the same text. */
import { createSecretMask } from '../../packages/host/src/masking/secret-mask.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import type { Bench, Table } from '../harness/report.ts';
import { medianRatio } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';
import { largePayload, MEGABYTE, proseThenAnswer } from '../inputs/transcripts.ts';

/** A placeholder. It occurs once, at the end of each text. */
const SECRET = 'a-value-that-is-only-for-benches';
const PIECE_CHARS = 65_536;

export const benchMasking: Bench = async ({ isQuick, progress }) => {
  const rows: string[][] = [];
  for (const [name, make] of [
    ['prose', proseThenAnswer],
    ['JSON', largePayload],
  ] as const) {
    progress(name);
    rows.push(await measure(name, flat(make((isQuick ? 2 : 20) * MEGABYTE).text + SECRET), isQuick));
  }
  const tables: readonly Table[] = [{ title: 'masking of a transcript', columns: COLUMNS, rows }];
  return { name: 'masking', method: METHOD, tables };
};

const COLUMNS = [
  'transcript',
  'MB',
  'whole, ms',
  'streamed, ms',
  'search, ms',
  'whole / search',
  'streamed / search',
];
const METHOD = [
  '`whole` masks the text in one call, `streamed` in pieces of 64 KiB. Both search for one declared secret in all its forms, and for all shapes of tokens.',
  '`search` is the lower bound: one `text.indexOf(secret)`, which masks nothing and knows one form.',
];

async function measure(name: string, text: string, isQuick: boolean): Promise<string[]> {
  const { mask, stream } = createSecretMask([SECRET]);
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, index) =>
    flat(text.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS)),
  );
  const streamed = (take: (masked: string) => void): void => {
    const { push, end } = stream();
    for (const piece of pieces) take(push(piece));
    take(end());
  };
  const parts: string[] = [];
  streamed((masked) => parts.push(masked));
  const wanted = text.slice(0, -SECRET.length) + '*'.repeat(SECRET.length);
  if (mask(text) !== wanted || parts.join('') !== wanted) throw new Error(`The mask of "${name}" is wrong.`);
  const samples = await takeTurns(
    {
      whole: () => mask(text),
      streamed: () => streamed(() => undefined),
      search: () => text.indexOf(SECRET),
    },
    { minRounds: 3, maxRounds: 15, budgetMs: isQuick ? 400 : 2_000, collectsGarbage: true },
  );
  return [
    name,
    formatNumber(text.length / MEGABYTE),
    formatSpread(samples.whole),
    formatSpread(samples.streamed),
    formatSpread(samples.search),
    formatRatio(medianRatio(samples.whole, samples.search)),
    formatRatio(medianRatio(samples.streamed, samples.search)),
  ];
}

/** Text that was built by concatenation is far slower to traverse. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
