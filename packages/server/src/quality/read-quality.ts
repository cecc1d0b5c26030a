/** Quality report: the rate of valid answers, and the fields that fail. */
import type {
  QualityBucketWidth,
  QualityGroup,
  QualitySource,
  QualityView,
} from '../contract/wire/quality-wire.ts';
import type { RunArchive } from '../contract/run-archive.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { chooseWidth } from './bucket-width.ts';
import type { AnswerPages } from './ended-answer.ts';
import { QualityFold } from './fold-quality.ts';
import { readLedgerAnswers } from './ledger-answers.ts';
import { readAnswers, type QualityFilter } from './quality-rows.ts';
import { readRunAnswers } from './run-answers.ts';

/** Query of the report. */
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
  readonly db: StateDb;
  readonly runs?: Pick<RunArchive, 'outcomes'> | undefined;
}

const DEFAULT_MAX_ROWS = 20_000;

/** Reads the report. */
export async function readQuality(
  places: QualityPlaces,
  { by, bucket, maxRows = DEFAULT_MAX_ROWS, sources, ...filter }: QualityQuery,
): Promise<QualityView> {
  const width = chooseWidth(filter.until - filter.since, bucket);
  const fold = new QualityFold({ by, bucket: width });
  let isComplete = true;
  for (const source of sources) {
    const pages = pagesOf(places, source, filter, maxRows);
    let page = await pages.next();
    while (page.done !== true) {
      for (const answer of page.value) fold.add(answer);
      page = await pages.next();
    }
    isComplete &&= page.value;
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

function pagesOf(
  { db, runs }: QualityPlaces,
  source: QualitySource,
  filter: QualityFilter,
  maxRows: number,
): AnswerPages {
  switch (source) {
    case 'chats':
      return readAnswers(db, filter, maxRows);
    case 'runs':
      return readRunAnswers(runs, filter);
    case 'ensembles':
      return readLedgerAnswers(db, filter, maxRows);
    default:
      return source satisfies never;
  }
}
