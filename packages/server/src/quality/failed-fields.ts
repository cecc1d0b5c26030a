/** Counts a model's invalid fields per schema, in bounded memory. Pure. */
import type { QualityField } from '@truecast/client/internal/wire/quality';
import type { EndedAnswer } from './ended-answer.ts';

/** Maximum number of distinct fields. Paths can contain names that a model invented. */
const MAX_COUNTED = 5_000;
/** Maximum number of fields in the report. */
const MAX_LISTED = 100;

interface CountedField extends Omit<QualityField, 'failed' | 'attempts'> {
  readonly attemptsKey: string;
  failed: number;
}

export interface FailedField {
  readonly path: string;
  readonly rule: string;
  failed: number;
}

type FieldFacts = Pick<EndedAnswer, 'attempts' | 'model' | 'name' | 'schemaHash'>;

export class FailedFields {
  readonly #fields = new Map<string, CountedField>();
  /** Attempts by model and schema. */
  readonly #attempts = new Map<string, number>();

  /** Counts the attempts of one answer. Sources without a schema have no fields. */
  add(answer: EndedAnswer): void {
    if (answer.source === 'chats') this.addSum(answer, failedFieldsOf(answer).values());
  }

  /** Counts attempts with the same facts. Without a schema, no fields are counted. */
  addSum({ attempts, model, name, schemaHash }: FieldFacts, fields: Iterable<FailedField>): void {
    if (schemaHash === null) return;
    const attemptsKey = JSON.stringify([schemaHash, name, model]);
    this.#attempts.set(attemptsKey, (this.#attempts.get(attemptsKey) ?? 0) + attempts);
    for (const { path, rule, failed } of fields) {
      const key = JSON.stringify([attemptsKey, path, rule]);
      const counted = this.#fields.get(key);
      if (counted !== undefined) counted.failed += failed;
      else if (this.#fields.size < MAX_COUNTED) {
        this.#fields.set(key, {
          ...(name !== null && { name }),
          schema_hash: schemaHash,
          ...(model !== null && { model }),
          attemptsKey,
          path,
          rule,
          failed,
        });
      }
    }
  }

  /** Returns the fields that failed most often. */
  result(): readonly QualityField[] {
    return [...this.#fields]
      .map(([key, field]) => ({ order: `${field.path} ${key}`, field }))
      .toSorted((one, other) => other.field.failed - one.field.failed || (one.order < other.order ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map(({ field }) => field)
      .map(({ attemptsKey, ...field }) => ({ ...field, attempts: this.#attempts.get(attemptsKey) ?? 0 }));
  }
}

/** Returns the fields that failed in an answer by path and rule. A field counts once per attempt. */
export function failedFieldsOf({ issues }: Pick<EndedAnswer, 'issues'>): Map<string, FailedField> {
  const fields = new Map<string, FailedField>();
  for (const ofAttempt of issues) {
    const failed = new Map(
      ofAttempt.map(({ path: pointer, rule }) => {
        const path = mergeIndexes(pointer);
        const field: FailedField = { path, rule, failed: 0 };
        return [JSON.stringify([path, rule]), field] as const;
      }),
    );
    for (const [key, field] of failed) {
      const counted = fields.get(key) ?? field;
      counted.failed += 1;
      fields.set(key, counted);
    }
  }
  return fields;
}

/** Merges array items, so that every item counts as the same field. */
function mergeIndexes(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/gu, '/*');
}
