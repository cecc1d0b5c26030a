/** Unstyled panel of an answer: its fields as they grow, its state, and the refused attempts. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { describeRefusal } from '@truecast/core/internal/output/validate/describe-refusal';
import { createElement, useMemo, type ReactElement, type ReactNode } from 'react';
import type { Receipt } from '../wire/receipt.ts';

/** Properties of the panel. */
export interface ValuePanelProps {
  /** Schema of the answer. Its properties are shown before they have a value. */
  readonly schema: StandardSchemaV1;
  /** The growing value. It is shown without a final receipt. */
  readonly draft?: unknown;
  readonly receipt?: (Omit<Receipt, 'value'> & { readonly value?: unknown }) | undefined;
  readonly className?: string;
}

/** State of a panel, in its `data-state`. */
type ValuePanelState = 'empty' | 'draft' | 'valid' | 'failed';

/**
 * Shows a value in its schema's shape.
 *
 * The root is a `section` with `data-state`: `empty`, `draft`, `valid` or `failed`. Objects are `dl`,
 * arrays are `ol`. A field without a value has `data-empty`. Refused attempts are in an `ol` with the
 * class `refused`.
 *
 * @example
 * ```ts
 * const schema = z.object({ file: z.string(), line: z.number() });
 * createElement(ValuePanel, { schema, draft: { file: 'a.ts' } });
 * ```
 * @public
 */
export function ValuePanel({ schema, draft, receipt, className }: ValuePanelProps): ReactElement {
  const shape = useMemo(() => toJsonSchema(schema), [schema]);
  const state = stateOf(receipt, draft);
  const value = state === 'valid' ? receipt?.value : draft;
  const refused = receipt?.attempts.filter(({ code }) => code !== 'ok') ?? [];
  return createElement(
    'section',
    { className, 'data-state': state, 'aria-busy': state === 'draft' },
    showFields(shape, value),
    receipt?.error === undefined ? null : createElement('p', { role: 'alert' }, receipt.error.message),
    refused.length === 0
      ? null
      : createElement(
          'ol',
          { className: 'refused', 'aria-label': 'Refused attempts' },
          refused.map(showAttempt),
        ),
  );
}

function stateOf(receipt: ValuePanelProps['receipt'], draft: unknown): ValuePanelState {
  if (receipt?.status === 'succeeded') return 'valid';
  if (receipt?.status === 'failed' || receipt?.status === 'canceled') return 'failed';
  return draft === undefined ? 'empty' : 'draft';
}

/** Shows a value in the shape of its JSON Schema. */
export function showFields(shape: unknown, value: unknown): ReactNode {
  const properties = isRecord(shape) && isRecord(shape['properties']) ? shape['properties'] : {};
  if (Array.isArray(value)) {
    const items = isRecord(shape) ? shape['items'] : undefined;
    const shown = value.map((item: unknown, index) =>
      createElement('li', { key: index }, showFields(items, item)),
    );
    return createElement('ol', null, shown);
  }
  const isObject = isRecord(value) || (value === undefined && Object.keys(properties).length > 0);
  if (!isObject) return typeof value === 'string' ? value : JSON.stringify(value);
  const members: Readonly<Record<string, unknown>> = value ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(members)])];
  return createElement(
    'dl',
    null,
    names.map((name) =>
      showField(name, properties[name], Object.hasOwn(members, name) ? members[name] : undefined),
    ),
  );
}

function showField(name: string, shape: unknown, value: unknown): ReactElement {
  const empty = { 'data-empty': value === undefined ? '' : undefined };
  return createElement(
    'div',
    { key: name },
    createElement('dt', null, name),
    createElement('dd', empty, showFields(shape, value)),
  );
}

function showAttempt(attempt: Receipt['attempts'][number], index: number): ReactElement {
  return createElement('li', { key: index }, describeRefusal(attempt));
}
