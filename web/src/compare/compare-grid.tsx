/** Answers side by side: a column for each, or where it is narrow, a card for each field. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { ModelName } from '../parts/model-name.tsx';
import { cellTint, ComparedFigure, ComparedState, ComparedValue } from './compare-cells.tsx';
import type { ComparedAnswer, ComparedField } from './compared.ts';
import type { FigureRow } from './compare-figures.ts';

interface GridProps {
  readonly answers: readonly ComparedAnswer[];
  readonly fields: readonly ComparedField[];
  readonly figures: readonly FigureRow[];
}

const ROW = 'grid grid-cols-(--columns) border-b border-line last:border-b-0';
const HEAD = 'min-w-0 px-4 py-2.5';
const CELL = 'min-w-0 border-l border-line px-4 py-2.5';

/** Renders a table with the fields at the left, which scrolls sideways if there are many answers. */
export function CompareGrid({ answers, fields, figures }: GridProps): ReactNode {
  const style = {
    '--columns': `minmax(108px,148px) repeat(${answers.length},minmax(168px,1fr))`,
    minWidth: `${108 + answers.length * 168}px`,
  };
  return (
    <div className="panel overflow-x-auto" tabIndex={0} role="group" aria-label="Answers side by side">
      <div role="table" aria-label="Compared answers" style={style}>
        <div role="row" className={ROW}>
          <span role="columnheader" className={`${HEAD} self-end text-xs text-muted`}>
            Field
          </span>
          {answers.map((answer, index) => (
            <Head key={answer.key} answer={answer} isReference={index === 0 && answers.length > 1} />
          ))}
        </div>
        {fields.map(({ name, type, isSame, cells }) => (
          <div key={name} role="row" className={ROW}>
            <span role="rowheader" className={HEAD}>
              <code className="block font-medium break-words">{name}</code>
              <span className="block text-2xs break-words text-muted">{type}</span>
            </span>
            {cells.map((cell, index) => (
              // Cells have the order of the answers.
              <div key={index} role="cell" className={`${CELL} ${cellTint(cell)}`}>
                {isSame && index > 0 ? <Same /> : <ComparedValue cell={cell} state={answers[index]?.state} />}
              </div>
            ))}
          </div>
        ))}
        {figures.map(({ name, cells }) => (
          <div key={name} role="row" className={`${ROW} bg-well`}>
            <span role="rowheader" className={`${HEAD} text-sm`}>
              {name}
            </span>
            {cells.map((cell, index) => (
              <div key={index} role="cell" className={CELL}>
                <ComparedFigure cell={cell} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

const EDGES = {
  valid: 'shadow-[inset_0_3px_0_var(--color-ok-fill)]',
  failed: 'shadow-[inset_0_3px_0_var(--color-bad-fill)]',
  open: 'shadow-[inset_0_3px_0_var(--color-accent-edge)]',
} as const;

interface HeadProps {
  readonly answer: ComparedAnswer;
  readonly isReference: boolean;
}

function Head({ answer: { title, href, state, note }, isReference }: HeadProps): ReactNode {
  return (
    <div role="columnheader" className={`${CELL} ${EDGES[state]}`}>
      <span className="flex min-h-[26px] items-center justify-between gap-2">
        <Link href={href} className="min-w-0 text-sm font-semibold hover:underline">
          <ModelName id={title} />
        </Link>
        <ComparedState state={state} />
      </span>
      <span className="mt-0.5 block text-xs break-words text-muted">
        <CodeText text={note} />
        {isReference && ' · the reference'}
      </span>
    </div>
  );
}

function Same(): ReactNode {
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-muted">
      <Icon name="same" className="size-3.5" />
      same
    </span>
  );
}
