/** Share links of a receipt: a button, and the dialog that creates and revokes them. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { issuedShareView, shareListView, type ShareView } from '@truecast/client/internal/wire/share';
import { nothing } from '@truecast/core/internal/shape/shape';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { exactTime } from '../parts/format.ts';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';

interface ShareProps {
  readonly requestId: string;
}

export function ShareReceipt({ requestId }: ShareProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Share
      </button>
      {isOpen && (
        <Dialog label="Share this receipt" onClose={() => setOpen(false)}>
          <ShareForm requestId={requestId} />
        </Dialog>
      )}
    </>
  );
}

const DAY = 24 * 3_600;
const LIVES: readonly (readonly [seconds: number, name: string])[] = [
  [3_600, '1 hour'],
  [DAY, '1 day'],
  [7 * DAY, '7 days'],
  [30 * DAY, '30 days'],
];

function ShareForm({ requestId }: ShareProps): ReactNode {
  const { call } = useSession();
  const queries = useQueryClient();
  const path = `/api/requests/${encodeURIComponent(requestId)}/shares`;
  const queryKey = ['shares', requestId];
  const shares = useQuery({
    queryKey,
    queryFn: ({ signal }) => call({ method: 'GET', path, shape: shareListView, signal }),
  });
  const onSuccess = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const create = useMutation({
    mutationFn: (seconds: number) =>
      call({ method: 'POST', path, body: { expires_in_seconds: seconds }, shape: issuedShareView }),
    onSuccess,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => call({ method: 'DELETE', path: `${path}/${id}`, shape: nothing }),
    onSuccess,
  });
  const error = shares.error ?? create.error ?? revoke.error;
  const link = create.data && `${location.origin}/shared#key=${create.data.key}`;
  return (
    <div className="space-y-4 p-4">
      <h2 className="font-semibold">Share this receipt</h2>
      <p className="text-muted">
        Everyone with the link sees this receipt until it expires: its value, its attempts and its schema. The
        question and the other messages of the chat are not shown.
      </p>
      <LifeForm isBusy={create.isPending} onCreate={(seconds) => create.mutate(seconds)} />
      {error !== null && <ProblemBox error={error} />}
      {link !== undefined && (
        <div role="status" className="panel flex items-center gap-2 px-3 py-2">
          <code className="min-w-0 flex-1 break-all">{link}</code>
          <CopyButton text={link} label="Copy" />
        </div>
      )}
      {shares.data !== undefined && shares.data.shares.length > 0 && (
        <Links shares={shares.data.shares} isBusy={revoke.isPending} onRevoke={(id) => revoke.mutate(id)} />
      )}
    </div>
  );
}

interface LifeProps {
  readonly isBusy: boolean;
  readonly onCreate: (seconds: number) => void;
}

function LifeForm({ isBusy, onCreate }: LifeProps): ReactNode {
  const [seconds, setSeconds] = useState(7 * DAY);
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(seconds);
      }}
    >
      <label className="min-w-[10rem]">
        <span className="label">Expires after</span>
        <select className="field" value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
          {LIVES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button className="button button-primary" type="submit" disabled={isBusy}>
        Create link
      </button>
    </form>
  );
}

interface LinksProps {
  readonly shares: readonly ShareView[];
  readonly isBusy: boolean;
  readonly onRevoke: (id: string) => void;
}

/** The key of a link is shown once. Here are its times, which tell it from the others. */
function Links({ shares, isBusy, onRevoke }: LinksProps): ReactNode {
  return (
    <section aria-label="Valid links">
      <h3 className="mb-1 font-medium">Valid links</h3>
      <ul className="divide-y divide-line">
        {shares.map(({ id, created_at: created, expires_at: expiry }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-2 py-1.5">
            <span className="text-sm text-muted">
              Created {exactTime(created)}, expires {exactTime(expiry)}
            </span>
            <button
              className="button"
              aria-label={`Revoke the link of ${exactTime(created)}`}
              disabled={isBusy}
              onClick={() => onRevoke(id)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
