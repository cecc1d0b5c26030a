/** Counts answers by time, group and field, one request at a time, in bounded memory. Pure. */
import type {
  QualityBucketWidth,
  QualityGroup,
  QualityRow,
  QualityView,
} from '../contract/wire/quality-wire.ts';
import { bucketStart } from './bucket-width.ts';
import { FailedFields } from './failed-fields.ts';
import { addAnswer, noCounts, toFigures, type AnswerCounts } from './answer-counts.ts';
import type { EndedAnswer } from './ended-answer.ts';

/** Grouping of answers. */
export interface QualityGrouping {
  readonly by: QualityGroup;
  readonly bucket: QualityBucketWidth;
}

/** The computed part of the report. */
export type QualityResult = Pick<QualityView, 'totals' | 'buckets' | 'rows' | 'fields'>;

/** Maximum number of groups in the report. Answers of further groups count only in the totals. */
const MAX_GROUPS = 200;
/** Maximum number of groups with buckets. A chart cannot show more lines. */
const MAX_LINES = 6;

interface Group {
  readonly counts: AnswerCounts;
  readonly buckets: Map<number, AnswerCounts>;
}

/** A fold of answers. */
export class QualityFold {
  readonly #grouping: QualityGrouping;
  readonly #all: Group = newGroup();
  readonly #groups = new Map<string | undefined, Group>();
  readonly #fields = new FailedFields();

  constructor(grouping: QualityGrouping) {
    this.#grouping = grouping;
  }

  /** Counts one answer. */
  add(answer: EndedAnswer): void {
    const { by, bucket } = this.#grouping;
    const start = bucketStart(answer.createdAt, bucket);
    const key = groupOf(answer, by);
    const group = this.#groups.get(key) ?? (this.#groups.size < MAX_GROUPS ? newGroup() : undefined);
    if (group !== undefined) this.#groups.set(key, group);
    for (const { counts, buckets } of group === undefined ? [this.#all] : [this.#all, group]) {
      addAnswer(counts, answer);
      const inBucket = buckets.get(start) ?? noCounts();
      buckets.set(start, inBucket);
      addAnswer(inBucket, answer);
    }
    this.#fields.add(answer);
  }

  /** Returns the report of the answers so far. */
  result(): QualityResult {
    const groups = [...this.#groups].toSorted(
      ([, one], [, other]) => other.counts.answers - one.counts.answers,
    );
    return {
      totals: toFigures(this.#all.counts),
      buckets: [
        ...toBuckets(this.#all),
        ...groups.slice(0, MAX_LINES).flatMap(([key, group]) => toBuckets(group, key)),
      ],
      rows: groups.map(([key, { counts }]): QualityRow => ({
        ...(key !== undefined && { key }),
        ...toFigures(counts),
      })),
      fields: this.#fields.result(),
    };
  }
}

function newGroup(): Group {
  return { counts: noCounts(), buckets: new Map() };
}

function groupOf(answer: EndedAnswer, by: QualityGroup): string | undefined {
  return (by === 'schema_hash' ? answer.schemaHash : answer[by]) ?? undefined;
}

/** A group without a key has no buckets, because they would look like those of all answers. */
function toBuckets({ buckets }: Group, ...keys: readonly (string | undefined)[]): QualityView['buckets'] {
  const [key] = keys;
  if (keys.length > 0 && key === undefined) return [];
  return [...buckets]
    .toSorted(([one], [other]) => one - other)
    .filter(([, { answers }]) => answers > 0)
    .map(([start, { answers, firstTry, valid }]) => ({
      start: new Date(start).toISOString(),
      ...(key !== undefined && { key }),
      answers,
      first_try: firstTry,
      valid,
    }));
}
