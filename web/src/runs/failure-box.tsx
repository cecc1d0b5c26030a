/** Why a run has no answer: the shared sentence of a failure, and the next thing to do. */
import type { ReactNode } from 'react';
import { CodeText } from '../parts/code/text-panel.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import type { NoAnswer, ShownStatus } from './model/shown-run.ts';

interface FailureBoxProps {
  readonly status: ShownStatus;
  readonly failure: NoAnswer;
}

/** Renders the box. A canceled run is no fault, so it is not red. */
export function FailureBox({ status, failure }: FailureBoxProps): ReactNode {
  const { issue, message, attempts, next } = failure;
  const look =
    status === 'failed' ? 'border-bad-edge bg-bad-soft text-bad' : 'border-line bg-well text-muted';
  return (
    <section aria-label="Failure" className={`rounded-lg border px-4 py-3 break-words ${look}`}>
      {issue === undefined ? (
        <p>
          <CodeText text={message} />
        </p>
      ) : (
        <FailureLine issue={issue} message={message} attempts={attempts} isWhole />
      )}
      {next !== undefined && (
        <p className="mt-2 text-sm text-soft">
          <CodeText text={next} />
        </p>
      )}
    </section>
  );
}
