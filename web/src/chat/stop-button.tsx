/** Stop button of a running turn. */
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ConfirmedButton } from '../parts/confirmed-button.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';

export function StopButton({ chatId }: { readonly chatId: string }): ReactNode {
  const client = useClient();
  const stop = useMutation({ mutationFn: () => client.chat({ id: chatId }).interrupt() });
  return (
    <>
      <ConfirmedButton
        label="Stop"
        press="s"
        question="Stop this turn?"
        consequence="The text so far is kept. A required answer is canceled, and queued messages stay."
        confirm="Stop the turn"
        keep="Keep it running"
        isBusy={stop.isPending}
        onConfirm={() => stop.mutate()}
      />
      {stop.error !== null && <ProblemBox error={stop.error} />}
    </>
  );
}
