/** Shapes of stored JSON by the name of their files, and their forms as JSON. */
import { join } from 'node:path';
import { messagePart } from '../../../packages/client/src/wire/message-parts.ts';
import { receiptAttempt, receiptUsage, requestError } from '../../../packages/client/src/wire/receipt.ts';
import { array, object, optional, type Shape } from '../../../packages/core/src/shape/shape.ts';
import {
  PARTS_FORM,
  RECEIPT_FORM,
  versionOf,
  type StoredForm,
} from '../../../packages/server/src/contract/stored-versions.ts';

interface StoredShape {
  readonly shape: Shape<unknown>;
  readonly form: StoredForm;
}

/** Every kind of stored JSON that has a version. */
export const STORED_SHAPES: Readonly<Record<string, StoredShape>> = {
  'message-parts': { shape: array(messagePart), form: PARTS_FORM },
  receipt: {
    shape: object({
      error: optional(requestError),
      attempts: array(receiptAttempt),
      usage: optional(receiptUsage),
    }),
    form: RECEIPT_FORM,
  },
};

/** Returns the path of a form. */
function pathOf(name: string, version: number): string {
  return join(import.meta.dirname, `${name}.v${version}.json`);
}

/** Returns the path of the form of the version that is written. */
export function newestPathOf(name: string, { form }: StoredShape): string {
  return pathOf(name, versionOf(form));
}

/** Returns a shape as JSON, without what does not decide whether a stored value fits. */
export function formOf(shape: Shape<unknown>): unknown {
  return JSON.parse(JSON.stringify(shape, (key, value: unknown) => (isText(key, value) ? undefined : value)));
}

/** Names of components, texts of refusals, and what only clients tolerate. A member is never one of these. */
function isText(key: string, value: unknown): boolean {
  return (
    ((key === 'name' || key === 'expected') && typeof value === 'string') ||
    (key === 'open' && value === true)
  );
}
