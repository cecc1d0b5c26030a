/** Unstyled card of one question: its draft, each refusal with the reason, and the sealed answer. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { describeRefusal } from '@truecast/core/internal/output/validate/describe-refusal';
import { createElement, useMemo, type ReactElement } from 'react';
import type { UseAnswerResult } from './use-answer.ts';
import { showFields } from './value-panel.ts';

/** Properties of the card. */
export interface AnswerCardProps<TOutput> {
  /** The result of `useAnswer()`. */
  readonly answer: UseAnswerResult<TOutput>;
  /** Schema of the answer. Its properties are shown before they have a value. @default those of the value */
  readonly schema?: StandardSchemaV1;
  /** Name of the card for screen readers. @default 'Answer' */
  readonly label?: string;
  readonly className?: string;
}

/**
 * Shows the answer of `useAnswer()` in its states.
 *
 * The root is a `section` with `data-state`: `empty`, `waiting`, `draft`, `refused`, `valid` or
 * `failed`. Its `role="status"` says the state in words, with the reason of a refusal. A refused value
 * stays until the model writes again. Refused attempts are in an `ol` with the class `refused`. A
 * failure is a `role="alert"` with a button that asks again.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const output = Output.object({ schema: z.object({ file: z.string(), line: z.number() }) });
 * // In a component.
 * const answer = useAnswer({ client, output });
 * createElement(AnswerCard, { answer });
 * ```
 * @public
 */
export function AnswerCard<TOutput>({
  answer,
  schema,
  label = 'Answer',
  className,
}: AnswerCardProps<TOutput>): ReactElement {
  const shape = useMemo(() => (schema === undefined ? undefined : toJsonSchema(schema)), [schema]);
  const { attempts, error, retry } = answer;
  const state = stateOf(answer);
  return createElement(
    'section',
    { className, 'aria-label': label, 'data-state': state, 'aria-busy': answer.status === 'asking' },
    createElement('p', { role: 'status' }, wordsOf(state, attempts)),
    showFields(shape, valueOf(answer)),
    error === undefined ? null : createElement('p', { role: 'alert' }, error.message),
    state === 'failed' ? createElement('button', { type: 'button', onClick: retry }, 'Ask again') : null,
    attempts.length === 0
      ? null
      : createElement(
          'ol',
          { className: 'refused', 'aria-label': 'Refused attempts' },
          attempts.map((attempt) => createElement('li', { key: attempt.number }, describeRefusal(attempt))),
        ),
  );
}

type CardState = 'empty' | 'waiting' | 'draft' | 'refused' | 'valid' | 'failed';
type Answer = UseAnswerResult<unknown>;

function stateOf({ status, draft, attempts }: Answer): CardState {
  if (status === 'idle') return 'empty';
  if (status !== 'asking') return status;
  if (draft !== undefined) return 'draft';
  return attempts.length === 0 ? 'waiting' : 'refused';
}

/** It changes with the state alone: a screen reader would read out each piece of a draft. */
function wordsOf(state: CardState, attempts: Answer['attempts']): string {
  const last = attempts.at(-1);
  switch (state) {
    case 'empty':
      return '';
    case 'waiting':
      return 'Waiting for the model';
    case 'draft':
      return last === undefined ? 'Draft, not validated' : 'Correction, not validated';
    case 'refused':
      return last === undefined ? 'Refused' : `Refused, trying again. ${describeRefusal(last)}`;
    case 'valid':
      return last === undefined ? 'Sealed' : `Sealed, corrected after ${last.number} refused`;
    case 'failed':
      return 'Failed';
    default:
      return state satisfies never;
  }
}

function valueOf({ status, draft, output, receipt, attempts }: Answer): unknown {
  if (status !== 'valid') return draft ?? attempts.at(-1)?.draft;
  try {
    // A transform of the schema can have made an object that is not JSON, such as a date.
    const parsed = parseBoundedJson(JSON.stringify(output));
    return parsed.success ? parsed.value : receipt.value;
  } catch {
    return receipt.value;
  }
}
