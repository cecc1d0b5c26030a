/** Settings of a chat that its menu changes: the model, and plan mode. */
import type { ReactNode } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { chatView, type PatchChatBody } from '@truecast/client/internal/wire/chat';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { useClient } from '../session/use-client.ts';
import { useModels } from '../session/use-models.ts';

interface SettingsProps {
  readonly chatId: string;
  readonly isBusy: boolean;
}

/** Renders both settings. They apply from the next turn. */
export function ChatSettings({ chatId, isBusy }: SettingsProps): ReactNode {
  const client = useClient();
  const { call } = useSession();
  const queries = useQueryClient();
  const key = ['chat', chatId];
  const chat = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  const patch = useMutation({
    mutationFn: (body: PatchChatBody) =>
      call({ method: 'PATCH', path: `/api/chats/${encodeURIComponent(chatId)}`, shape: chatView, body }),
    onSuccess: (changed) => {
      queries.setQueryData(key, changed);
      void queries.invalidateQueries({ queryKey: ['chats'] });
    },
  });
  const error = chat.error ?? patch.error;
  // While a change is sent, the setting shows its new value.
  const shown = { ...chat.data, ...(patch.isPending && patch.variables) };
  const isReady = chat.data !== undefined && !patch.isPending;
  return (
    <>
      <ModelSetting
        model={shown.model ?? ''}
        isReady={isReady}
        onChange={(model) => patch.mutate({ model })}
      />
      <li className="px-4 py-3">
        <label className="flex items-center justify-between gap-4 text-muted">
          Plan mode: a turn without a required answer ends with a plan.
          <input
            type="checkbox"
            className="size-4 shrink-0"
            disabled={!isReady || isBusy}
            checked={shown.plan_mode === true}
            onChange={({ target }) => patch.mutate({ plan_mode: target.checked })}
          />
        </label>
      </li>
      {error !== null && (
        <li className="p-4">
          <ProblemBox error={error} />
        </li>
      )}
    </>
  );
}

interface ModelProps {
  readonly model: string;
  readonly isReady: boolean;
  readonly onChange: (model: string) => void;
}

/** A model that the server no longer has is shown too. */
function ModelSetting({ model, isReady, onChange }: ModelProps): ReactNode {
  const ids = (useModels() ?? []).map(({ id }) => id);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <label htmlFor="chat-model" className="text-muted">
        The model of the next turn.
      </label>
      <select
        id="chat-model"
        className="field w-auto max-w-full"
        disabled={!isReady}
        value={model}
        onChange={({ target }) => onChange(target.value)}
      >
        {[...new Set([model, ...ids])].map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </li>
  );
}
