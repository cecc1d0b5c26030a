/** Settings: the theme, the keyboard, models, facts about the access, and access tokens. */
import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { keepSingleKeys, readSingleKeys } from '../parts/single-keys.ts';
import { usePages } from '../session/use-pages.ts';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { AccessFacts } from '../settings/access-facts.tsx';
import { meView } from '@truecast/client/internal/wire/account';
import { CreateToken } from '../settings/create-token.tsx';
import { ModelList } from '../settings/model-list.tsx';
import { useModels } from '../session/use-models.ts';
import { TokenList } from '../settings/token-list.tsx';

const DOCS = { href: '/docs', name: 'API reference' };

/** Renders the page. Tokens need the scope `admin`. */
export function SettingsPage(): ReactNode {
  const { call } = useSession();
  const pages = usePages();
  const models = useModels();
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/me', shape: meView, signal }),
  });
  return (
    <Page title="Settings">
      <div className="space-y-8">
        <nav aria-label="More pages" className="panel divide-y divide-line md:hidden">
          {[...pages.filter(({ isInSettings }) => isInSettings), DOCS].map(({ href, name }) => (
            <Link key={href} href={href} className="flex items-center justify-between px-4 py-3 font-medium">
              {name}
              <span aria-hidden="true" className="text-muted">
                ›
              </span>
            </Link>
          ))}
        </nav>
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
    <label className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 px-4 py-3 md:border-b-0">
      <span>
        <span className="font-semibold">Single-key shortcuts</span>{' '}
        <span className="text-muted max-md:hidden">
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
