/** Attempts at the answer of a run, each with its reason and its place in the transcript. */
import type { ReactNode } from 'react';
import type { RunAttempt } from '@truecast/client/internal/wire/kept-run';
import { countText } from '../parts/format.ts';
import { useAddressFilters } from '../parts/list/select-field.tsx';

/** Renders the list. */
export function RunAttempts({ attempts }: { readonly attempts: readonly RunAttempt[] }): ReactNode {
  const { change } = useAddressFilters();
  if (attempts.length === 0) return <p className="text-muted">This run has no attempt at an answer.</p>;
  return (
    <ol aria-label="Attempts" className="panel divide-y divide-line">
      {attempts.map(({ code, message, span }, index) => {
        const isValid = code === 'ok';
        return (
          // Attempts have no identity except their order.
          <li key={index} className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
            <span className={`w-36 shrink-0 font-medium ${isValid ? 'text-ok' : 'text-bad'}`}>
              {isValid ? '✓' : '×'} attempt {index + 1}
            </span>
            <div className="min-w-0 flex-1 basis-60">
              <p className="break-words">{message}</p>
              <p className="text-sm text-muted">
                {!isValid && <code>{code}</code>}
                {!isValid && span !== undefined && ' · '}
                {span !== undefined && `characters ${countText(span.start)} to ${countText(span.end)}`}
                {span === undefined && isValid && 'It did not come in the agent’s text.'}
              </p>
            </div>
            {span !== undefined && (
              <button
                className="button"
                onClick={() => change({ tab: '', field: '', commit: '', attempt: String(index + 1) })}
              >
                Show in the transcript
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}
