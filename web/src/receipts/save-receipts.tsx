/** Button that saves chosen receipts as JSON Lines: one receipt, with its value, on each line. */
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { requestDetailView } from '@truecast/client/internal/wire/request';
import { Icon } from '../parts/icon.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useSession } from '../session/session.tsx';

export function SaveReceipts({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const { call } = useSession();
  const save = useMutation({
    mutationFn: async () => {
      const lines: string[] = [];
      for (const id of ids) {
        const path = `/api/requests/${encodeURIComponent(id)}`;
        const { request, receipt } = await call({ method: 'GET', path, shape: requestDetailView });
        lines.push(JSON.stringify({ chat_id: request.chat_id, ...receipt }));
      }
      saveFile('receipts.jsonl', `${lines.join('\n')}\n`, 'application/jsonl');
    },
  });
  return (
    <>
      <button type="button" className="button" disabled={save.isPending} onClick={() => save.mutate()}>
        <Icon name="save" />
        JSONL
      </button>
      {save.error !== null && <ProblemBox error={save.error} />}
    </>
  );
}
