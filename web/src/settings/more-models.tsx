/** Models that are connected while the server runs: the form that connects one, and the button that removes it. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { nothing } from '@truecast/core/internal/shape/shape';
import type { ModelView } from '@truecast/client';
import { ConnectForm } from '../connect/connect-form.tsx';
import { useSession } from '../session/session.tsx';

/** Renders the form behind its heading. */
export function MoreModels(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="border-t border-line bg-well"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="px-4 py-3 font-medium text-accent-ink underline">Connect a model</summary>
      {isOpen && <ConnectForm />}
    </details>
  );
}

/** Renders the button of a connected model, or nothing for one of the configuration. */
export function disconnectButton(model: ModelView): ReactNode {
  return model.is_connected === true ? <DisconnectButton id={model.id} /> : null;
}

function DisconnectButton({ id }: { readonly id: string }): ReactNode {
  const { call } = useSession();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      call({ method: 'DELETE', path: `/api/models/${encodeURIComponent(id)}`, shape: nothing }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      {isAsked && (
        <button className="button button-quiet" onClick={() => setAsked(false)}>
          Keep
        </button>
      )}
      <button
        className={`button ${isAsked ? 'border-bad text-bad' : ''}`}
        disabled={remove.isPending}
        aria-label={`${isAsked ? 'Disconnect now' : 'Disconnect'} ${id}`}
        onClick={() => (isAsked ? remove.mutate() : setAsked(true))}
      >
        {isAsked ? 'Disconnect now' : 'Disconnect'}
      </button>
    </>
  );
}
