/**
 * Notice on a server without a model: answers are scripted, with instructions to connect a model.
 */
import type { ReactNode } from 'react';
import type { ModelView } from '@truecast/client';
import { CopyButton } from '../parts/code/copy-button.tsx';

const WAYS: readonly (readonly [string, string])[] = [
  ['With a key in the environment', 'ANTHROPIC_API_KEY=… npx --no truecast serve'],
  [
    'With a model on this machine. Add TRUECAST_API_KEY=… if its server needs a key',
    'TRUECAST_BASE_URL=http://127.0.0.1:11434/v1 TRUECAST_MODEL=… npx --no truecast serve',
  ],
  ['With another model of a provider', 'OPENAI_API_KEY=… npx --no truecast serve --model openai:…'],
];

export function isScripted(models: readonly ModelView[] | undefined): boolean {
  return models?.some(({ is_default, is_scripted }) => is_default && is_scripted) === true;
}

/** Renders the notice, or nothing if a model is connected or the models are not known yet. */
export function ConnectModel({ models }: { readonly models: readonly ModelView[] | undefined }): ReactNode {
  if (!isScripted(models)) return null;
  return (
    <details className="group mb-4 rounded-lg border border-warn-edge bg-warn-soft">
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <span>
          <strong className="font-semibold text-warn">No model is connected.</strong> Answers are scripted to
          show how it works.
        </span>
        <span className="ml-auto font-medium text-warn underline">Connect a model</span>
      </summary>
      <p className="border-t border-warn-edge px-4 pt-3">
        Stop the server with <kbd>Ctrl</kbd> <kbd>C</kbd> in its terminal, and start it again with one of
        these. This page reconnects by itself, and keeps your chats.
      </p>
      <dl className="space-y-3 px-4 py-3">
        {WAYS.map(([title, command]) => (
          <div key={title}>
            <dt className="text-sm">{title}</dt>
            <dd className="mt-1 flex items-center gap-2 rounded-sm bg-page px-3 py-1">
              <code className="min-w-0 flex-1 overflow-x-auto whitespace-pre" tabIndex={0}>
                {command}
              </code>
              <CopyButton text={command} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
