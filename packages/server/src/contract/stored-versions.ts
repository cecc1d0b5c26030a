/** Versions of stored JSON: the steps from each older form to today's, per row (ADR 0017). Pure. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';

/** A kind of stored JSON. Its version is one more than the number of its steps. */
export interface StoredForm {
  /** In messages, such as `a message`. */
  readonly of: string;
  /** The step at `n` turns a value of version `n + 1` into one of version `n + 2`. */
  readonly steps: readonly ((value: unknown) => unknown)[];
}

/** Parts of a message, also of a queued one. */
export const PARTS_FORM: StoredForm = { of: 'a message', steps: [] };

/** Error, attempts and usage of a receipt, as one object. */
export const RECEIPT_FORM: StoredForm = { of: 'a receipt', steps: [] };

export function versionOf({ steps }: StoredForm): number {
  return steps.length + 1;
}

/**
 * Brings a stored value to today's version. It still has to be checked.
 *
 * @throws ChatStateError `invalid-state` for the version of a newer process
 */
export function toNewest(form: StoredForm, value: unknown, version: number): unknown {
  const newest = versionOf(form);
  if (version > newest) {
    throw new ChatStateError(
      `The stored row of ${form.of} has version ${version} of a newer Truecast, and this process reads up to version ${newest}. Update all processes of this database.`,
      { code: 'invalid-state' },
    );
  }
  return form.steps.slice(version - 1).reduce((each, step) => step(each), value);
}
