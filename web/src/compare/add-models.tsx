/** Dialog that asks the compared question with further models. Their answers become columns. */
import { useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { randomKey } from '@truecast/client/internal/calls/http-caller';
import { createdChatView } from '@truecast/client/internal/wire/chat';
import { Dialog } from '../parts/dialog.tsx';
import { plural } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { chatBodyOf, type Question } from '../question/question.ts';
import { useSession } from '../session/session.tsx';
import { useModels } from '../session/use-models.ts';

interface AddProps {
  readonly question: Question;
  /** Number of answers that can be added. */
  readonly room: number;
  /** Adds the answers, and closes the dialog. */
  readonly onAdd: (requestIds: readonly string[]) => void;
  readonly onClose: () => void;
}

export function AddModels({ question, room, onAdd, onClose }: AddProps): ReactNode {
  const { call } = useSession();
  const models = useModels() ?? [];
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const ask = useMutation({
    mutationFn: async () => {
      const created = chosen.map((model) =>
        call({
          method: 'POST',
          path: '/api/chats',
          shape: createdChatView,
          body: chatBodyOf({ ...question, model, title: question.message.trim().slice(0, TITLE_CHARS) }),
          idempotencyKey: randomKey(),
        }),
      );
      return (await Promise.all(created)).flatMap(({ request_id: id }) => id ?? []);
    },
    onSuccess: onAdd,
  });
  return (
    <Dialog label="Ask with further models" onClose={onClose}>
      <div className="px-5 py-4">
        <h2 className="text-base font-semibold">Ask with further models</h2>
        <p className="mt-1 text-sm text-muted">
          Each model gets the same question and schema, in a new chat. At most {plural(room, 'more answer')}.
        </p>
        <ModelBoxes models={models.map(({ id }) => id)} chosen={chosen} room={room} onChange={setChosen} />
        {ask.error !== null && <ProblemBox error={ask.error} />}
        <div className="mt-4 flex justify-end gap-2">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button button-primary"
            disabled={chosen.length === 0 || ask.isPending}
            onClick={() => ask.mutate()}
          >
            {ask.isPending
              ? 'Asking …'
              : chosen.length === 0
                ? 'Ask'
                : `Ask ${plural(chosen.length, 'model')}`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const TITLE_CHARS = 100;

interface BoxesProps {
  readonly models: readonly string[];
  readonly chosen: readonly string[];
  readonly room: number;
  readonly onChange: (chosen: readonly string[]) => void;
}

function ModelBoxes({ models, chosen, room, onChange }: BoxesProps): ReactNode {
  return (
    <ul aria-label="Models" className="panel mt-3 max-h-[40dvh] divide-y divide-line overflow-y-auto">
      {models.map((id) => (
        <li key={id}>
          <label className="flex min-h-11 items-center gap-3 px-4 py-1.5">
            <input
              type="checkbox"
              className="shrink-0"
              checked={chosen.includes(id)}
              disabled={!chosen.includes(id) && chosen.length >= room}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
              }
            />
            <ModelName id={id} />
          </label>
        </li>
      ))}
    </ul>
  );
}
