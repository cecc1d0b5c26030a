/** Quality report of an owner's requests: how often answers were valid, and which fields fail. */
import type { QualityBucketWidth, QualityGroup, QualityView } from '../contract/wire/quality-wire.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { chooseWidth } from './bucket-width.ts';
import { QualityFold } from './fold-quality.ts';
import { readAnswers, type QualityFilter } from './quality-rows.ts';

/** Query of the report. */
export interface QualityQuery extends QualityFilter {
  readonly by: QualityGroup;
  /** @default hours up to two days, otherwise days */
  readonly bucket?: QualityBucketWidth;
  /** Requests that are read, the newest first. @default 20_000 */
  readonly maxRows?: number;
}

const DEFAULT_MAX_ROWS = 20_000;

/** Reads the report. */
export async function readQuality(
  db: StateDb,
  { by, bucket, maxRows = DEFAULT_MAX_ROWS, ...filter }: QualityQuery,
): Promise<QualityView> {
  const width = chooseWidth(filter.until - filter.since, bucket);
  const fold = new QualityFold({ by, bucket: width });
  const pages = readAnswers(db, filter, maxRows);
  let page = await pages.next();
  while (page.done !== true) {
    for (const answer of page.value) fold.add(answer);
    page = await pages.next();
  }
  return {
    since: new Date(filter.since).toISOString(),
    until: new Date(filter.until).toISOString(),
    bucket: width,
    by,
    sources: ['chats'],
    is_complete: page.value,
    ...fold.result(),
  };
}
