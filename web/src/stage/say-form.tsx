/** Form of a person's message into an open ensemble run. The process that plays the run injects it. */
import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { saidView, type LedgerEventView } from '@truecast/client/internal/wire/ensemble';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';

interface SayProps {
  readonly runId: string;
  readonly events: readonly LedgerEventView[];
}

export function SayForm({ runId, events }: SayProps): ReactNode {
  const id = useId();
  const { call } = useSession();
  const [text, setText] = useState('');
  const [said, setSaid] = useState<string>();
  const send = useMutation({
    mutationFn: () =>
      call({
        method: 'POST',
        path: `/api/ensembles/runs/${encodeURIComponent(runId)}/say`,
        body: { text },
        shape: saidView,
      }),
    onSuccess: (message) => {
      setSaid(message.id);
      setText('');
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate();
  };
  // The event that the process appended names the message as its cause.
  const isInjected = events.some(({ caused_by: cause }) => cause === said);
  return (
    <form onSubmit={submit} className="panel mt-4 px-4 py-3">
      <label htmlFor={id} className="block text-sm font-medium">
        Say something to the actors
      </label>
      <div className="mt-1.5 flex flex-wrap gap-2">
        <input
          id={id}
          className="field min-w-0 flex-1 basis-48"
          maxLength={4_000}
          autoComplete="off"
          placeholder="The lighthouse goes dark."
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" className="button" disabled={text.trim() === '' || send.isPending}>
          {send.isPending ? 'Sending…' : 'Say'}
        </button>
      </div>
      <p role="status" className="mt-1.5 text-sm text-muted empty:hidden">
        {said !== undefined &&
          (isInjected
            ? 'The actors have your message.'
            : 'Your message waits for the process that plays the run.')}
      </p>
      {send.error !== null && (
        <div className="mt-2">
          <ProblemBox error={send.error} />
        </div>
      )}
    </form>
  );
}
