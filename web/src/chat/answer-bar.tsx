/** Bar of an answer on narrow screens: its state above the input, and a sheet with the whole panel. */
import { useState, type ReactNode } from 'react';
import { Sheet } from '../parts/dialog.tsx';
import { ANSWER_LOOK, progressOf, answerView, type AnswerAttempt } from '../value/value-state.ts';
import { parseSchema } from '../json/describe-schema.ts';
import type { Receipt } from '@truecast/client';

interface BarProps {
  readonly name: string;
  readonly schemaText: string;
  readonly attempts: readonly AnswerAttempt[];
  readonly receipt: Receipt | undefined;
  readonly draft: unknown;
  /** The panel, in the sheet. */
  readonly children: ReactNode;
}

/** Renders the bar. It stays above the bottom bar while the transcript scrolls. */
export function AnswerBar({ name, schemaText, attempts, receipt, draft, children }: BarProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { state, value } = answerView(receipt, attempts, draft);
  const { sign, edge, word } = ANSWER_LOOK[state];
  const progress = state === 'draft' ? progressOf(parseSchema(schemaText), value) : undefined;
  return (
    <div className="sticky bottom-14 z-[5] mt-4">
      <button
        type="button"
        data-state={state}
        data-press="v"
        aria-haspopup="dialog"
        className={`flex min-h-12 w-full items-center gap-x-3 rounded-md border-2 bg-raised px-3 text-left ${edge}`}
        onClick={() => setOpen(true)}
      >
        <span className="min-w-0 truncate font-semibold">{name}</span>
        <span className={`rounded-sm px-1.5 py-0.5 text-sm font-medium whitespace-nowrap ${sign}`}>
          {[state === 'draft' ? 'draft' : word, progress].filter(Boolean).join(' · ')}
        </span>
        <span aria-hidden="true" className="ml-auto text-muted">
          ▴
        </span>
        <span className="sr-only">Open the answer</span>
      </button>
      {isOpen && (
        <Sheet label={`Answer ${name}`} onClose={() => setOpen(false)}>
          {children}
        </Sheet>
      )}
    </div>
  );
}
