/** Form that creates an access token, and shows its text once. */
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { issuedTokenView, type CreateTokenBody } from '@truecast/client/internal/wire/account';
import { SCOPE_RIGHTS, TOKEN_SCOPES, type TokenScope } from '@truecast/core/internal/kit/token-scopes';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';

const DAY_SECONDS = 86_400;
const EXPIRIES: readonly (readonly [string, number])[] = [
  ['30 days', 30 * DAY_SECONDS],
  ['1 day', DAY_SECONDS],
  ['1 year', 365 * DAY_SECONDS],
  ['never', 0],
];

export function CreateToken({ owner }: { readonly owner: string }): ReactNode {
  const { call } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['chats']);
  const [seconds, setSeconds] = useState(EXPIRIES[0]?.[1] ?? 0);
  const create = useMutation({
    mutationFn: (body: CreateTokenBody) =>
      call({ method: 'POST', path: '/api/tokens', body, shape: issuedTokenView }),
    onSuccess: () => {
      setName('');
      void queries.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    create.mutate({ name: name.trim(), owner, scopes, ...(seconds > 0 && { expires_in_seconds: seconds }) });
  };
  return (
    <form onSubmit={submit} className="border-t border-line bg-well px-4 py-4">
      <h3 className="mb-3 font-semibold">New token</h3>
      <div className="grid gap-4 @2xl:grid-cols-[minmax(0,1fr)_160px]">
        <label>
          <span className="caption mb-1 block">Name</span>
          <input className="field" value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <label>
          <span className="caption mb-1 block">Expires after</span>
          <select
            className="field"
            value={seconds}
            onChange={({ target }) => setSeconds(Number(target.value))}
          >
            {EXPIRIES.map(([word, value]) => (
              <option key={word} value={value}>
                {word}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ScopeChoice scopes={scopes} onChange={setScopes} />
      <button
        type="submit"
        className="button button-primary mt-4"
        disabled={name.trim() === '' || scopes.length === 0 || create.isPending}
      >
        Create token
      </button>
      {create.error !== null && (
        <div className="mt-3">
          <ProblemBox error={create.error} />
        </div>
      )}
      {create.data !== undefined && <Issued token={create.data.token} />}
    </form>
  );
}

interface ScopeProps {
  readonly scopes: readonly TokenScope[];
  readonly onChange: (scopes: readonly TokenScope[]) => void;
}

function ScopeChoice({ scopes, onChange }: ScopeProps): ReactNode {
  return (
    <fieldset className="mt-4">
      <legend className="caption mb-1">Scopes</legend>
      <div className="grid gap-x-6 @2xl:grid-cols-2">
        {TOKEN_SCOPES.map((scope) => (
          <label key={scope} className="flex min-h-8 items-center gap-2 @max-2xl:min-h-11">
            <input
              type="checkbox"
              className="shrink-0"
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                onChange(target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
              }
            />
            <code>{scope}</code> <span className="text-sm text-muted">{SCOPE_RIGHTS[scope]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Issued({ token }: { readonly token: string }): ReactNode {
  return (
    <div role="status" className="mt-4 rounded-lg border border-warn-edge bg-warn-soft px-4 py-3">
      <p className="font-medium text-warn">Copy the token now. It is not shown again.</p>
      <p className="mt-2 flex items-center gap-2 rounded-sm bg-page px-3 py-1">
        <code className="min-w-0 flex-1 break-all">{token}</code>
        <CopyButton text={token} label="Copy token" />
      </p>
    </div>
  );
}
