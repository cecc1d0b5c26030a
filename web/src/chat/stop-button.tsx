/** Stop button of a running turn. A click stops at once; a key requests a confirmation first. */
import { useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';

export function StopButton({ chatId }: { readonly chatId: string }): ReactNode {
  const client = useClient();
  const [isConfirming, setConfirming] = useState(false);
  const stop = useMutation({
    mutationFn: () => client.chat({ id: chatId }).interrupt(),
    onSettled: () => setConfirming(false),
  });
  return (
    <>
      <button
        className="button"
        data-press="s"
        disabled={stop.isPending}
        // A key can be pressed by mistake. Its click has no pointer, so `detail` is 0.
        onClick={({ detail }) => (detail === 0 ? setConfirming(true) : stop.mutate())}
      >
        Stop
      </button>
      {isConfirming && (
        <Dialog label="Stop this turn?" onClose={() => setConfirming(false)}>
          <div className="px-5 py-4">
            <h2 className="text-lg font-semibold">Stop this turn?</h2>
            <p className="mt-2 text-muted">
              The text so far is kept. A required answer is canceled, and queued messages stay.
            </p>
            <div className="mt-5 flex flex-wrap gap-2">
              <button
                className="button button-primary"
                disabled={stop.isPending}
                onClick={() => stop.mutate()}
              >
                Stop the turn
              </button>
              <button className="button" onClick={() => setConfirming(false)}>
                Keep it running
              </button>
            </div>
          </div>
        </Dialog>
      )}
      {stop.error !== null && <ProblemBox error={stop.error} />}
    </>
  );
}
