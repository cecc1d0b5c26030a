/** Refused attempts of an answer, each with the submitted value. */
import type { ReactNode } from 'react';
import { describeAttempt } from './describe-attempt.ts';
import type { AnswerAttempt } from './value-state.ts';

interface ListProps {
  readonly attempts: readonly AnswerAttempt[];
}

/** Renders the refused attempts. Each opens to its value. */
export function RefusedAttempts({ attempts }: ListProps): ReactNode {
  const refused = attempts.flatMap((each, index) => (each.attempt.code === 'ok' ? [] : [{ each, index }]));
  if (refused.length === 0) return null;
  return (
    <ol className="border-t border-line px-4 py-2 text-sm" aria-label="Refused attempts">
      {refused.map(({ each: { attempt, value }, index }) => (
        <li key={index} className="py-0.5">
          <details>
            <summary className="py-0.5 text-bad">
              <span aria-hidden="true">× </span>attempt {index + 1}: {describeAttempt(attempt, value)}
            </summary>
            <Submission value={value} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Submission({ value }: { readonly value: unknown }): ReactNode {
  if (value === undefined) return <p className="mt-1 text-sm text-muted">No value was submitted.</p>;
  return (
    <pre
      className="mt-2 mb-1 max-h-60 overflow-auto rounded-sm bg-sunken p-3 break-words whitespace-pre-wrap text-ink"
      tabIndex={0}
      role="group"
      aria-label="Submitted value"
    >
      {JSON.stringify(value, undefined, 2)}
    </pre>
  );
}
