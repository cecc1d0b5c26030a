/** Settings: the theme, the keyboard, models, facts about the access, and access tokens. */
import { useState, type ReactNode } from 'react';
import { Card } from '../parts/card.tsx';
import { keepSingleKeys, readSingleKeys } from '../parts/single-keys.ts';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import type { MeView } from '@truecast/client/internal/wire/account';
import { CreateToken } from '../settings/create-token.tsx';
import { ModelList } from '../settings/model-list.tsx';
import { canConnect } from '../connect/can-connect.ts';
import { useMe } from '../session/use-me.ts';
import { useModels } from '../session/use-models.ts';
import { disconnectButton, MoreModels } from '../settings/more-models.tsx';
import { TokenList } from '../settings/token-list.tsx';
import { UsageFacts } from '../settings/usage-facts.tsx';
import { countText } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';

/** Renders the page. Tokens need the scope `admin`. */
export function SettingsPage(): ReactNode {
  const models = useModels();
  const me = useMe();
  return (
    <Page title="Settings">
      <div className="space-y-5">
        <Card title="This browser" about="theme and keys">
          <div className="flex min-h-11 flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2">
            <h3 className="font-medium">Theme</h3>
            <ThemeSwitch />
          </div>
          <SingleKeys />
        </Card>
        {models !== undefined && (
          <Card title="Models" about="of this server, in the order of its configuration">
            <ModelList models={models} actions={canConnect(me.data) ? disconnectButton : undefined} />
            {canConnect(me.data) && <MoreModels />}
          </Card>
        )}
        <Card title="Use" about="of this token's owner">
          <UsageFacts />
        </Card>
        <Card title="Access" about="of this page's token">
          {me.data === undefined ? (
            <div className="p-4">
              {me.isPending && <Skeleton />}
              {me.error !== null && <ProblemBox error={me.error} onRetry={() => void me.refetch()} />}
            </div>
          ) : (
            <AccessFacts me={me.data} />
          )}
        </Card>
        {me.data?.scopes.includes('admin') === true && (
          <Card title="Access tokens" about="for programs and other people">
            <TokenList />
            <CreateToken owner={me.data.owner} />
          </Card>
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
        <span className="font-medium">Single-key shortcuts</span>{' '}
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

function AccessFacts({ me }: { readonly me: MeView }): ReactNode {
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
    <dl className="divide-y divide-line text-sm">
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
