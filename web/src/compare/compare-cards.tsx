/** Compared answers on a narrow screen: the answers, then a card for each field and each figure. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodeText } from '../parts/code/text-panel.tsx';
import { ModelName } from '../parts/model-name.tsx';
import type { ComparedAnswer, ComparedField } from './compared.ts';
import type { FigureRow } from './compare-figures.ts';
import { cellTint, ComparedFigure, ComparedState, ComparedValue } from './compare-cells.tsx';

interface CardsProps {
  readonly answers: readonly ComparedAnswer[];
  readonly fields: readonly ComparedField[];
  readonly figures: readonly FigureRow[];
}

export function CompareCards({ answers, fields, figures }: CardsProps): ReactNode {
  return (
    <div className="grid gap-3">
      <ol className="panel divide-y divide-line" aria-label="Answers">
        {answers.map(({ key, title, href, state, note }, index) => (
          <li key={key} className="flex items-center gap-2.5 px-4 py-2.5">
            <Place index={index} />
            <span className="min-w-0 flex-1">
              <Link href={href} className="flex min-h-6 text-sm font-medium">
                <ModelName id={title} />
              </Link>
              <span className="block text-xs break-words text-muted">
                <CodeText text={note} />
              </span>
            </span>
            <ComparedState state={state} />
          </li>
        ))}
      </ol>
      {fields.map(({ name, type, isSame, cells }) => (
        <section key={name} aria-label={name} className="panel overflow-hidden">
          <h2 className="flex items-baseline gap-2 border-b border-line px-4 py-2">
            <code className="min-w-0 font-semibold break-words">{name}</code>
            <span className="text-2xs font-normal text-muted">{type}</span>
            {isSame && (
              <span className="ml-auto text-xs font-normal whitespace-nowrap text-muted">same in all</span>
            )}
          </h2>
          {(isSame ? cells.slice(0, 1) : cells).map((cell, index) => (
            // Cells have the order of the answers.
            <div
              key={index}
              className={`flex gap-2.5 border-t border-line px-4 py-2 first-of-type:border-t-0 ${cellTint(cell)}`}
            >
              {!isSame && <Place index={index} />}
              <ComparedValue cell={cell} state={answers[index]?.state} />
            </div>
          ))}
        </section>
      ))}
      {figures.map(({ name, cells }) => (
        <section key={name} aria-label={name} className="panel px-4 py-2.5">
          <h2 className="text-sm font-medium">{name}</h2>
          {cells.map((cell, index) => (
            <div key={index} className="mt-1.5 flex items-center gap-2.5">
              <Place index={index} />
              <span className="min-w-0 flex-1">
                <ComparedFigure cell={cell} />
              </span>
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}

/** Number of an answer, the same one in each card. */
function Place({ index }: { readonly index: number }): ReactNode {
  return (
    <span className="grid size-[18px] shrink-0 place-items-center rounded-sm bg-hover text-2xs font-semibold text-soft">
      {index + 1}
    </span>
  );
}
