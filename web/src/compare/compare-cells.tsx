/** Parts of compared answers: the state of an answer, a value with its fault, and a figure with its bar. */
import type { ReactNode } from 'react';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { lowerFirst } from '@truecast/core/internal/output/validate/describe-refusal';
import { SealSign } from '../value/seal.tsx';
import type { ComparedAnswer, ComparedCell } from './compared.ts';
import type { FigureCell } from './compare-figures.ts';

export function ComparedState({ state }: Pick<ComparedAnswer, 'state'>): ReactNode {
  if (state === 'valid') {
    return (
      <>
        <SealSign size={26} />
        <span className="sr-only">valid</span>
      </>
    );
  }
  return (
    <span className={`badge ${state === 'failed' ? 'badge-bad' : 'badge-live'}`}>
      <Icon name={state === 'failed' ? 'failed' : 'live'} className="size-3.5" />
      {state === 'failed' ? 'failed' : 'answering'}
    </span>
  );
}

/** Prose has no tint: two wordings of one reason can both be right. */
export function cellTint({ rule, isOther, kind }: ComparedCell): string {
  if (rule !== undefined) return 'bg-bad-soft shadow-[inset_3px_0_0_var(--color-bad-fill)]';
  return isOther && kind !== 'prose' ? 'bg-accent-soft' : '';
}

const COLOURS = { string: 'text-str', number: 'text-num', other: 'text-kw', prose: '' } as const;

interface ValueProps {
  readonly cell: ComparedCell;
  readonly state: ComparedAnswer['state'] | undefined;
}

export function ComparedValue({ cell: { text, kind, isOther, rule, before }, state }: ValueProps): ReactNode {
  return (
    <div className="min-w-0 text-sm break-words">
      {text === undefined && <span className="text-muted">{state === 'open' ? 'waiting' : 'no value'}</span>}
      {text !== undefined && kind === 'prose' && <p className="whitespace-pre-wrap">{text}</p>}
      {text !== undefined && kind !== 'prose' && (
        <code className={rule === undefined ? COLOURS[kind] : 'font-medium text-bad'}>{text}</code>
      )}
      {kind === 'prose' && isOther && <p className="text-2xs text-muted">worded differently</p>}
      {rule !== undefined && (
        <p className="flex gap-1 text-xs font-medium text-bad">
          <Icon name="refused" className="mt-0.5 size-3" />
          <span className="min-w-0">
            <CodeText text={lowerFirst(rule)} />
          </span>
        </p>
      )}
      {before !== undefined && (
        <p className="text-xs text-muted">
          attempt 1: <code className="text-xs! text-bad line-through">{before}</code>
        </p>
      )}
    </div>
  );
}

export function ComparedFigure({ cell: { text, share, isBest } }: { readonly cell: FigureCell }): ReactNode {
  if (share === undefined) return <span className="text-sm break-words">{text}</span>;
  return (
    <span className="grid grid-cols-[64px_minmax(0,1fr)] items-center gap-2 text-sm">
      <span className={isBest ? 'font-semibold text-ok' : 'font-medium'}>{text}</span>
      <span className="h-1.5 overflow-hidden rounded-full bg-hover" aria-hidden="true">
        <span
          className={`block h-full rounded-full ${isBest ? 'bg-ok-fill' : 'bg-control'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
    </span>
  );
}
