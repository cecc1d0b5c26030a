/** Notice on a server without a model: answers are scripted, with the form and the commands that connect one. */
import { lazy, Suspense, useEffect, useState, type ReactNode, type RefObject } from 'react';
import type { ModelView } from '@truecast/client';
import { Icon } from '../parts/icon.tsx';
import { ModelName } from '../parts/model-name.tsx';
import { Skeleton } from '../parts/page.tsx';
import { modelFacts } from './model-facts.ts';

const ConnectPanel = lazy(() =>
  import('./connect-panel.tsx').then(({ ConnectPanel: panel }) => ({ default: panel })),
);

export function isScripted(models: readonly ModelView[] | undefined): boolean {
  return models?.some(({ is_default, is_scripted }) => is_default && is_scripted) === true;
}

interface ConnectModelProps {
  readonly models: readonly ModelView[] | undefined;
  /** Gets the focus when a model is connected. */
  readonly button: RefObject<HTMLButtonElement | null>;
}

/** Renders the notice. When a model is connected while it is shown, it names the model. */
export function ConnectModel({ models, button }: ConnectModelProps): ReactNode {
  const isWithout = isScripted(models);
  const [wasWithout, setWithout] = useState(false);
  const [isOpen, setOpen] = useState(false);
  if (isWithout && !wasWithout) setWithout(true);
  const connected = wasWithout && !isWithout ? models?.find(({ is_default }) => is_default) : undefined;
  const id = connected?.id;
  useEffect(() => {
    if (id !== undefined) button.current?.focus({ preventScroll: true });
  }, [id, button]);
  if (connected !== undefined) return <Connected model={connected} />;
  if (!isWithout) return null;
  return (
    <details
      className="group mb-4 rounded-lg border border-warn-edge bg-warn-soft"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <span>
          <strong className="font-semibold text-warn">No model is connected.</strong> Answers are scripted to
          show how it works.
        </span>
        <span className="ml-auto font-medium text-warn underline">Connect a model</span>
      </summary>
      {isOpen && (
        <div className="rounded-b-lg border-t border-warn-edge bg-page">
          <Suspense fallback={<Skeleton />}>
            <ConnectPanel />
          </Suspense>
        </div>
      )}
    </details>
  );
}

function Connected({ model }: { readonly model: ModelView }): ReactNode {
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-ok-edge bg-ok-soft px-4 py-3"
    >
      <Icon name="valid" className="size-4 text-ok" />
      <span className="font-semibold">
        <ModelName id={model.id} />
      </span>
      <span>is connected. Ask it the first question.</span>
      <span className="text-sm text-muted">{modelFacts(model)}</span>
    </div>
  );
}
