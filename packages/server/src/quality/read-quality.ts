/** Quality report: the rate of valid answers, and the fields that fail. */
import type {
  QualityBucketWidth,
  QualityGroup,
  QualitySource,
  QualityView,
} from '@truecast/client/internal/wire/quality';
import type { RunArchive } from '../contract/run-archive.ts';
import type { Store } from '@truecast/store/internal/database/store';
import { chooseWidth } from './bucket-width.ts';
import type { AnswerPages } from './ended-answer.ts';
import { QualityFold } from './fold-quality.ts';
import { readLedgerAnswers } from './ledger-answers.ts';
import { readAnswers, type QualityFilter } from './quality-rows.ts';
import { readSums } from './kept-sums.ts';
import { sealAnswers } from './seal-answers.ts';
import { readRunAnswers } from './run-answers.ts';

export interface QualityQuery extends QualityFilter {
  readonly by: QualityGroup;
  /** @default hours up to two days, otherwise days */
  readonly bucket?: QualityBucketWidth;
  /** Maximum number of rows that are read from each source, newest first. @default 20_000 */
  readonly maxRows?: number;
  readonly sources: readonly QualitySource[];
}

/** Places where answers are stored. */
export interface QualityPlaces {
  readonly store: Store;
  readonly runs?: Pick<RunArchive, 'outcomes'> | undefined;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

const DEFAULT_MAX_ROWS = 20_000;

export async function readQuality(
  places: QualityPlaces,
  { by, bucket, maxRows = DEFAULT_MAX_ROWS, sources, ...filter }: QualityQuery,
): Promise<QualityView> {
  const width = chooseWidth(filter.until - filter.since, bucket);
  const fold = new QualityFold({ by, bucket: width });
  let isComplete = true;
  for (const source of sources) {
    const isWhole =
      source === 'chats'
        ? await countChats(places, { filter, width, maxRows }, fold)
        : await countPages(pagesOf(places, source, filter, maxRows), fold);
    isComplete &&= isWhole;
  }
  return {
    since: new Date(filter.since).toISOString(),
    until: new Date(filter.until).toISOString(),
    bucket: width,
    by,
    sources,
    is_complete: isComplete,
    ...fold.result(),
  };
}

async function countPages(pages: AnswerPages, fold: QualityFold): Promise<boolean> {
  let page = await pages.next();
  while (page.done !== true) {
    for (const answer of page.value) fold.add(answer);
    page = await pages.next();
  }
  return page.value;
}

interface ChatCount {
  readonly filter: QualityFilter;
  readonly width: QualityBucketWidth;
  readonly maxRows: number;
}

/** Adds up the sums, and the rows that they do not contain. */
async function countChats(
  { store, now = Date.now }: QualityPlaces,
  { filter, width, maxRows }: ChatCount,
  fold: QualityFold,
): Promise<boolean> {
  // Requests have no agent.
  if (filter.agent !== undefined) return true;
  await sealAnswers(store, filter.owner, now());
  const { mark, sums, covered } = await readSums(store, filter, width);
  for (const sum of sums) fold.addSum(sum);
  const { since, until } = filter;
  const parts = [
    readAnswers(store.db, filter, maxRows, { side: 'after', mark }),
    readAnswers(store.db, { ...filter, until: Math.min(until, covered.since) }, maxRows, {
      side: 'before',
      mark,
    }),
    readAnswers(store.db, { ...filter, since: Math.max(since, covered.until) }, maxRows, {
      side: 'before',
      mark,
    }),
  ];
  let isComplete = true;
  for (const part of parts) {
    const isWhole = await countPages(part, fold);
    isComplete &&= isWhole;
  }
  return isComplete;
}

function pagesOf(
  { store, runs }: QualityPlaces,
  source: Exclude<QualitySource, 'chats'>,
  filter: QualityFilter,
  maxRows: number,
): AnswerPages {
  return source === 'runs' ? readRunAnswers(runs, filter) : readLedgerAnswers(store.db, filter, maxRows);
}
