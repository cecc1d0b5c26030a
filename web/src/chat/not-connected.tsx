/** Notice in a chat whose model is not connected any more, as after a restart: the form that connects it again. */
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { namesConnected } from '../connect/model-kinds.ts';
import { canConnect } from '../connect/can-connect.ts';
import { Skeleton } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';
import { useMe } from '../session/use-me.ts';
import { useModels } from '../session/use-models.ts';

const ConnectForm = lazy(() =>
  import('../connect/connect-form.tsx').then(({ ConnectForm: form }) => ({ default: form })),
);

/** The form of the next message covers the lower edge. */
function intoView(form: HTMLElement | null): void {
  form?.scrollIntoView({ block: 'center' });
}

/** Renders the notice, or nothing while the server has the model. */
export function NotConnected({ chatId }: { readonly chatId: string }): ReactNode {
  const client = useClient();
  const chat = useQuery({
    queryKey: ['chat', chatId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  const models = useModels();
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const model = chat.data?.model ?? '';
  const isGone = models !== undefined && namesConnected(model) && !models.some(({ id }) => id === model);
  const wasGone = useRef(false);
  useEffect(() => {
    // The form had the focus.
    if (wasGone.current && !isGone) document.querySelector<HTMLElement>('#follow-up')?.focus();
    wasGone.current = isGone;
  }, [isGone]);
  if (!isGone) return null;
  const text = (
    <span className="min-w-0 break-words">
      <strong className="font-semibold text-warn">The model is not connected any more:</strong>{' '}
      <code className="text-sm">{model}</code>. It was disconnected, the server restarted, or another of its
      processes has it.
    </span>
  );
  if (!canConnect(me.data)) {
    return (
      <p className="mb-3 rounded-lg border border-warn-edge bg-warn-soft px-4 py-3">
        {text} Switch the model in the settings of the chat.
      </p>
    );
  }
  return (
    <details
      className="mb-3 rounded-lg border border-warn-edge bg-warn-soft"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        {text}
        <span className="ml-auto font-medium text-warn underline">Connect it again</span>
      </summary>
      {isOpen && (
        <div className="rounded-b-lg border-t border-warn-edge bg-page">
          <Suspense fallback={<Skeleton />}>
            <div ref={intoView}>
              <ConnectForm earlier={model} />
            </div>
          </Suspense>
        </div>
      )}
    </details>
  );
}
