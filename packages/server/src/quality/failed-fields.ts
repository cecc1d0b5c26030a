/** Counts a model's invalid fields per schema, in bounded memory. Pure. */
import type { QualityField } from '../contract/wire/quality-wire.ts';
import type { EndedAnswer } from './ended-answer.ts';

/** Maximum number of distinct fields. Paths can contain names that a model invented. */
const MAX_COUNTED = 5_000;
/** Maximum number of fields in the report. */
const MAX_LISTED = 100;

interface CountedField extends Omit<QualityField, 'failed' | 'attempts'> {
  readonly attemptsKey: string;
  failed: number;
}

/** A count of failed fields. */
export class FailedFields {
  readonly #fields = new Map<string, CountedField>();
  /** Attempts by model and schema. */
  readonly #attempts = new Map<string, number>();

  /**
   * Counts the attempts of one answer. A field counts once per attempt. Sources without a schema have
   * no fields.
   */
  add({ source, attempts, issues, model, name, schemaHash }: EndedAnswer): void {
    if (source !== 'chats' || schemaHash === null) return;
    const attemptsKey = JSON.stringify([schemaHash, name, model]);
    this.#attempts.set(attemptsKey, (this.#attempts.get(attemptsKey) ?? 0) + attempts);
    const facts = {
      ...(name !== null && { name }),
      schema_hash: schemaHash,
      ...(model !== null && { model }),
      attemptsKey,
    };
    for (const ofAttempt of issues) {
      const failed = new Map(
        ofAttempt.map(({ path, rule }) => {
          const field = { path: mergeIndexes(path), rule };
          return [JSON.stringify([attemptsKey, field.path, rule]), field] as const;
        }),
      );
      for (const [key, field] of failed) {
        const counted = this.#fields.get(key);
        if (counted !== undefined) counted.failed += 1;
        else if (this.#fields.size < MAX_COUNTED) this.#fields.set(key, { ...facts, ...field, failed: 1 });
      }
    }
  }

  /** Returns the fields that failed most often. */
  result(): readonly QualityField[] {
    return [...this.#fields.values()]
      .toSorted((one, other) => other.failed - one.failed || (one.path < other.path ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map(({ attemptsKey, ...field }) => ({ ...field, attempts: this.#attempts.get(attemptsKey) ?? 0 }));
  }
}

/** Merges array items, so that every item counts as the same field. */
function mergeIndexes(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/gu, '/*');
}
