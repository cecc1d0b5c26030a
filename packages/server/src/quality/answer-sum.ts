/** Sums of chats' answers with the same facts in one hour or day. Pure. */
import { addAnswer, noCounts, type AnswerCounts } from './answer-counts.ts';
import { bucketStart } from './bucket-width.ts';
import type { EndedAnswer } from './ended-answer.ts';
import { failedFieldsOf, type FailedField } from './failed-fields.ts';

/** Facts of answers that are counted together. */
export type SumFacts = Pick<EndedAnswer, 'model' | 'name' | 'schemaHash' | 'mode'>;

export type SumWidth = 'hour' | 'day';

/** Answers of one period with the same facts. */
export interface AnswerSum extends SumFacts {
  readonly start: number;
  readonly counts: AnswerCounts;
  readonly fields: Map<string, FailedField>;
}

/** Sums answers by period and facts. */
export function sumAnswers(answers: readonly EndedAnswer[], width: SumWidth): AnswerSum[] {
  const sums = new Map<string, AnswerSum>();
  for (const answer of answers) {
    const start = bucketStart(answer.createdAt, width);
    const key = `${start} ${factsText(answer)}`;
    const { model, name, schemaHash, mode } = answer;
    const sum: AnswerSum = sums.get(key) ?? {
      model,
      name,
      schemaHash,
      mode,
      start,
      counts: noCounts(),
      fields: new Map(),
    };
    sums.set(key, sum);
    addAnswer(sum.counts, answer);
    for (const [field, failed] of failedFieldsOf(answer)) {
      const known = sum.fields.get(field);
      if (known === undefined) sum.fields.set(field, failed);
      else known.failed += failed.failed;
    }
  }
  return [...sums.values()];
}

/** Returns the stored text of facts. */
export function factsText({ model, name, schemaHash, mode }: SumFacts): string {
  return JSON.stringify([model, name, schemaHash, mode]);
}
