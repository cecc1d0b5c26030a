/** Settings: the theme, the keyboard, models, facts about the access, and access tokens. */
import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { keepSingleKeys, readSingleKeys } from '../parts/single-keys.ts';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { meView, type MeView } from '@truecast/client/internal/wire/account';
import { CreateToken } from '../settings/create-token.tsx';
import { useModels } from '../session/use-models.ts';
import { TokenList } from '../settings/token-list.tsx';
import { countText } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { ModelView } from '@truecast/client';
import { nameDialect } from '../schema/provider-report.tsx';
import { describeMode } from '../value/describe-attempt.ts';

/** Renders the page. Tokens need the scope `admin`. */
export function SettingsPage(): ReactNode {
  const { call } = useSession();
  const models = useModels();
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/me', shape: meView, signal }),
  });
  return (
    <Page title="Settings">
      <div className="space-y-8">
        <section aria-label="This browser" className="panel divide-y divide-line">
          <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
            <h2 className="font-semibold">Theme</h2>
            <ThemeSwitch />
          </div>
          <SingleKeys />
        </section>
        {models !== undefined && (
          <section aria-label="Models of the server">
            <h2 className="mb-2 font-semibold">Models</h2>
            <ModelList models={models} />
          </section>
        )}
        <section aria-label="Access">
          <h2 className="mb-2 font-semibold">Access</h2>
          {me.isPending && <Skeleton />}
          {me.error !== null && <ProblemBox error={me.error} onRetry={() => void me.refetch()} />}
          {me.data !== undefined && <AccessFacts me={me.data} />}
        </section>
        {me.data?.scopes.includes('admin') === true && (
          <section aria-label="Tokens">
            <h2 className="mb-2 font-semibold">Access tokens</h2>
            <TokenList />
            <CreateToken owner={me.data.owner} />
          </section>
        )}
      </div>
    </Page>
  );
}

function SingleKeys(): ReactNode {
  const [isOn, setOn] = useState(readSingleKeys);
  return (
    <label className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 px-4 py-3 @2xl:border-b-0">
      <span>
        <span className="font-semibold">Single-key shortcuts</span>{' '}
        <span className="text-muted @max-2xl:hidden">
          <kbd>?</kbd> lists them
        </span>
      </span>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => {
          keepSingleKeys(target.checked);
          setOn(target.checked);
        }}
      />
    </label>
  );
}

export function AccessFacts({ me }: { readonly me: MeView }): ReactNode {
  const features = Object.entries(me.features)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name.replaceAll('_', ' '));
  const { limits } = me;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Owner', me.owner],
    ['Token', me.token_name],
    ['Scopes', me.scopes.join(', ')],
    ['Expires', me.expires_at === undefined ? 'never' : <RelativeTime at={me.expires_at} />],
    ['Server version', me.server_version],
    ['Features', features.length === 0 ? 'chats only' : features.join(', ')],
    [
      'Limits',
      `${countText(limits.requests_per_minute)} requests a minute, ${countText(limits.concurrent_requests)} at once, ${countText(limits.open_streams)} streams`,
    ],
  ];
  return (
    <dl className="panel divide-y divide-line">
      {facts.map(([name, value]) => (
        <div
          key={name}
          className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-4 px-4 py-2 @2xl:grid-cols-[160px_minmax(0,1fr)]"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Renders one row per model. */
export function ModelList({ models }: { readonly models: readonly ModelView[] }): ReactNode {
  return (
    <ul aria-label="Models" className="panel divide-y divide-line">
      {models.map((model) => (
        <li
          key={model.id}
          className="grid gap-x-4 px-4 py-2 @2xl:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] @2xl:items-baseline"
        >
          <span className="min-w-0 break-words">
            <code>{model.id}</code>
            {model.is_default && <span className="ml-2 text-sm text-muted">default</span>}
          </span>
          <span className="text-sm text-muted">{factsOf(model)}</span>
        </li>
      ))}
    </ul>
  );
}

function factsOf({ provider, is_scripted, mode, dialect, context_tokens }: ModelView): string {
  return [
    is_scripted ? 'scripted answers' : provider,
    mode && describeMode(mode),
    dialect && `schema dialect of ${nameDialect(dialect)}`,
    context_tokens && `${countText(context_tokens)} tokens of context`,
  ]
    .filter(Boolean)
    .join(' · ');
}
