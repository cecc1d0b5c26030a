/** Pages of the rail, the bottom bar and the palette, each with the key that opens it after `g`. */

import { useQuery } from '@tanstack/react-query';
import { useOptionalSession } from './session.tsx';
import { meView } from '@truecast/client/internal/wire/account';

interface RailPage {
  readonly href: string;
  readonly name: string;
  readonly key: string;
  /** Scope that the page needs to show anything. */
  readonly scope?: 'project';
  /** True for a page that narrow screens list in the settings. */
  readonly isInSettings?: true;
}

/** Pages in the rail, in order. */
export const PAGES: readonly RailPage[] = [
  { href: '/', name: 'Start', key: 's', isInSettings: true },
  { href: '/ask', name: 'Ask', key: 'a' },
  { href: '/chats', name: 'Chats', key: 'c' },
  { href: '/requests', name: 'Receipts', key: 'r' },
  { href: '/runs', name: 'Runs', key: 'u', scope: 'project' },
  { href: '/quality', name: 'Quality', key: 'q' },
  { href: '/stage', name: 'Stage', key: 'e', scope: 'project', isInSettings: true },
];

/** Pages below the others. */
export const MORE_PAGES: readonly RailPage[] = [
  { href: '/docs', name: 'API reference', key: 'd' },
  { href: '/settings', name: 'Settings', key: ',' },
];

/** Returns the pages. Pages with a scope appear after the token is known to have it. */
export function usePages(): readonly RailPage[] {
  const session = useOptionalSession();
  const me = useQuery({
    queryKey: ['me'],
    enabled: session !== undefined,
    queryFn: ({ signal }) => session?.call({ method: 'GET', path: '/api/me', shape: meView, signal }),
  });
  return PAGES.filter(({ scope }) => scope === undefined || me.data?.scopes.includes(scope) === true);
}
