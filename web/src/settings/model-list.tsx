/** Models of the server, each with how it is asked for an answer. */
import type { ReactNode } from 'react';
import type { ModelView } from '@truecast/client';
import { countText } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { nameDialect } from '../schema/provider-report.tsx';
import { describeMode } from '../value/describe-attempt.ts';

interface ModelListProps {
  readonly models: readonly ModelView[];
  /** Renders the controls of a model. @default none */
  readonly actions?: ((model: ModelView) => ReactNode) | undefined;
}

/** Renders one row per model. */
export function ModelList({ models, actions }: ModelListProps): ReactNode {
  return (
    <ul aria-label="Models" className="divide-y divide-line">
      {models.map((model) => (
        <li key={model.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2.5">
          <span className="min-w-0 flex-1 basis-52">
            <span className="block text-sm font-medium">
              <ModelName id={model.id} />
            </span>
            <span className="block pl-[26px] text-xs break-words text-muted">{factsOf(model)}</span>
          </span>
          {model.is_connected === true && <span className="badge">until the server stops</span>}
          {model.is_default && <span className="badge">default</span>}
          {actions?.(model)}
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
