/** Counts answers by time, group and field, one request at a time, in bounded memory. Pure. */
import type {
  QualityBucketWidth,
  QualityGroup,
  QualityRow,
  QualityView,
} from '@truecast/client/internal/wire/quality';
import { bucketStart } from './bucket-width.ts';
import { FailedFields } from './failed-fields.ts';
import { addAnswer, addCounts, noCounts, timesOf, toFigures, type AnswerCounts } from './answer-counts.ts';
import type { AnswerSum } from './answer-sum.ts';
import type { EndedAnswer } from './ended-answer.ts';

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

export class QualityFold {
  readonly #grouping: QualityGrouping;
  readonly #all: Group = newGroup();
  readonly #groups = new Map<string | undefined, Group>();
  readonly #fields = new FailedFields();

  constructor(grouping: QualityGrouping) {
    this.#grouping = grouping;
  }

  add(answer: EndedAnswer): void {
    const { by } = this.#grouping;
    for (const counts of this.#countsOf(groupOf(answer, by), answer.createdAt)) addAnswer(counts, answer);
    this.#fields.add(answer);
  }

  /** Counts the answers of chats in one hour or day, which is not longer than a bucket. */
  addSum(sum: AnswerSum): void {
    const { by } = this.#grouping;
    const key = groupOf({ ...sum, source: 'chats', agent: null }, by);
    for (const counts of this.#countsOf(key, sum.start)) addCounts(counts, sum.counts);
    this.#fields.addSum({ ...sum, attempts: sum.counts.attempts }, sum.fields.values());
  }

  /** Returns the counts to which an answer belongs: of all, of its group, and of its bucket in both. */
  #countsOf(key: string | undefined, time: number): readonly AnswerCounts[] {
    const start = bucketStart(time, this.#grouping.bucket);
    const group = this.#groups.get(key) ?? (this.#groups.size < MAX_GROUPS ? newGroup() : undefined);
    if (group !== undefined) this.#groups.set(key, group);
    const groups = group === undefined ? [this.#all] : [this.#all, group];
    return groups.flatMap((each) => {
      const inBucket = each.buckets.get(start) ?? noCounts(each === this.#all);
      each.buckets.set(start, inBucket);
      return [each.counts, inBucket];
    });
  }

  /** Returns the report of the answers so far. */
  result(): QualityResult {
    const groups = [...this.#groups].toSorted(
      ([key, one], [otherKey = '', other]) =>
        other.counts.answers - one.counts.answers || ((key ?? '') < otherKey ? -1 : 1),
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

function groupOf(
  answer: Pick<EndedAnswer, Exclude<QualityGroup, 'schema_hash'> | 'schemaHash'>,
  by: QualityGroup,
): string | undefined {
  return (by === 'schema_hash' ? answer.schemaHash : answer[by]) ?? undefined;
}

/** Answers without a key get no buckets of their own: a client could take them for those of all answers. */
function toBuckets({ buckets }: Group, ...keys: readonly (string | undefined)[]): QualityView['buckets'] {
  const [key] = keys;
  if (keys.length > 0 && key === undefined) return [];
  return [...buckets]
    .toSorted(([one], [other]) => one - other)
    .filter(([, { answers }]) => answers > 0)
    .map(([start, { answers, firstTry, valid, times }]) => ({
      start: new Date(start).toISOString(),
      ...(key !== undefined && { key }),
      answers,
      first_try: firstTry,
      valid,
      ...timesOf(times),
    }));
}
