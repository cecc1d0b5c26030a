/** Facts about the session's token and the server. */
import type { ReactNode } from 'react';
import type { MeView } from '@truecast/client/internal/wire/account';
import { countText } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';

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
          className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-4 px-4 py-2 md:grid-cols-[160px_minmax(0,1fr)]"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
