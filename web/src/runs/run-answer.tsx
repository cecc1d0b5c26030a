/** Answer of a run as JSON, with its repairs and the commit on which its check passed. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { indentJson } from '../json/indent-json.ts';
import { AnswerText } from './answer-fields.tsx';
import type { ShownRun } from './model/shown-run.ts';

/** Renders the answer, or explains why it is missing. */
export function RunAnswerPanel({ run }: { readonly run: ShownRun }): ReactNode {
  const { value_text: text, text: answer, repairs = [], check, durable } = run;
  if (answer !== undefined) return <AnswerText text={answer} />;
  if (text === undefined) return <p className="text-muted">{reasonOf(run)}</p>;
  return (
    <section aria-label="Whole answer" className="panel overflow-hidden border-ok">
      <header className="flex items-center gap-3 border-b border-line px-4 py-2">
        <span className="text-sm font-medium text-ok">✓ valid</span>
        <span className="text-sm text-muted">
          {durable !== undefined
            ? 'checked by the server again'
            : repairs.length === 0
              ? 'without a repair'
              : `after repairs: ${repairs.map(({ kind, path }) => `${kind} at /${path.join('/')}`).join(', ')}`}
        </span>
        {check !== undefined && (
          <span className="text-sm text-muted">
            check {check.verdict} on <code title={check.commit}>{check.commit.slice(0, 12)}</code> in{' '}
            {(check.duration_ms / 1000).toFixed(1)} s
          </span>
        )}
        <span className="ml-auto">
          <CopyButton text={text} />
        </span>
      </header>
      <pre tabIndex={0} role="group" aria-label="Answer as JSON" className="max-h-[70dvh] overflow-auto p-4">
        {indentJson(text)}
      </pre>
    </section>
  );
}

function reasonOf({ status, code, mode, failure, durable }: ShownRun): string {
  if (status === 'live' || status === 'queued') return 'The answer appears here when it is valid.';
  if (code === 'ok') return 'The answer was too large to keep. It is in the transcript.';
  if (status === 'done' || (mode === undefined && durable === undefined)) return 'No answer was required.';
  return `There is no valid answer. ${failure?.next ?? failure?.message ?? ''}`;
}
