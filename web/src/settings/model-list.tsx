/** Models of the server, each with how it is asked for an answer. */
import type { ReactNode } from 'react';
import type { ModelView } from '@truecast/client';
import { countText } from '../parts/format.ts';
import { nameDialect } from '../schema/dialect-name.ts';
import { describeMode } from '../value/describe-attempt.ts';

/** Renders one row per model. */
export function ModelList({ models }: { readonly models: readonly ModelView[] }): ReactNode {
  return (
    <ul aria-label="Models" className="panel divide-y divide-line">
      {models.map((model) => (
        <li
          key={model.id}
          className="grid gap-x-4 px-4 py-2 md:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] md:items-baseline"
        >
          <span className="min-w-0 break-words">
            <code>{model.id}</code>
            {model.is_default && <span className="ml-2 text-sm text-muted">default</span>}
          </span>
          <span className="text-sm text-muted">{factsOf(model)}</span>
        </li>
      ))}
    </ul>
  );
}

function factsOf({ provider, is_scripted, mode, dialect, context_tokens }: ModelView): string {
  return [
    is_scripted ? 'scripted answers' : provider,
    mode && describeMode(mode),
    dialect && `schema dialect of ${nameDialect(dialect)}`,
    context_tokens && `${countText(context_tokens)} tokens of context`,
  ]
    .filter(Boolean)
    .join(' · ');
}
