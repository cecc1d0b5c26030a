/** List of access tokens with the button that revokes one. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { nothing } from '@truecast/core/internal/shape/shape';
import { tokenListView, type TokenView } from '@truecast/client/internal/wire/account';
import { EmptyBox, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { exactTime } from '../parts/format.ts';
import { useSession } from '../session/session.tsx';

/** Renders the list, the newest first. Revoked tokens are left out. */
export function TokenList(): ReactNode {
  const { call } = useSession();
  const read = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/tokens', shape: tokenListView, signal }),
  });
  if (read.isPending) return <Skeleton />;
  if (read.error !== null) return <ProblemBox error={read.error} onRetry={() => void read.refetch()} />;
  const tokens = read.data.tokens.filter(({ revoked_at }) => revoked_at === undefined).toReversed();
  if (tokens.length === 0) return <EmptyBox>There are no tokens. Create one below.</EmptyBox>;
  return (
    <ul className="divide-y divide-line" aria-label="Access tokens">
      {tokens.map((token) => (
        <Row key={token.id} token={token} />
      ))}
    </ul>
  );
}

function Row({ token }: { readonly token: TokenView }): ReactNode {
  const { id, name, scopes, created_at, expires_at } = token;
  const { call } = useSession();
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const revoke = useMutation({
    mutationFn: () =>
      call({ method: 'DELETE', path: `/api/tokens/${encodeURIComponent(id)}`, shape: nothing }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['tokens'] }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{name}</p>
        <p className="text-sm text-muted">
          {scopes.join(', ')} · created <RelativeTime at={created_at} />
          {expires_at === undefined ? '' : ` · expires ${exactTime(expires_at)}`}
        </p>
      </div>
      {isAsked && (
        <button className="button button-quiet" onClick={() => setAsked(false)}>
          Keep
        </button>
      )}
      <button
        className={`button ${isAsked ? 'border-bad text-bad' : ''}`}
        disabled={revoke.isPending}
        aria-label={`${isAsked ? 'Revoke now' : 'Revoke'} ${name}`}
        onClick={() => (isAsked ? revoke.mutate() : setAsked(true))}
      >
        {isAsked ? 'Revoke now' : 'Revoke'}
      </button>
      {revoke.error !== null && <ProblemBox error={revoke.error} />}
    </li>
  );
}
