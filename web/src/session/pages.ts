/** Pages of the sidebar, the bar of narrow screens and the palette, each with the key that opens it after `g`. */

import { useQuery } from '@tanstack/react-query';
import { useOptionalSession } from './session.tsx';
import { meView, type MeView } from '@truecast/client/internal/wire/account';
import type { IconName } from '../parts/icon.tsx';

type TokenScope = MeView['scopes'][number];

export interface ListedPage {
  readonly href: string;
  readonly name: string;
  readonly key: string;
  readonly icon: IconName;
  /** Heading above the page in the sidebar. */
  readonly group?: 'Results' | 'Agents';
  /** Scopes of which the page needs one to show anything. */
  readonly scopes?: readonly TokenScope[];
  /** True for a page in the bar of narrow screens. The drawer has all of them. */
  readonly isInBar?: true;
}

/** Pages in the sidebar, in order. */
export const PAGES: readonly ListedPage[] = [
  { href: '/', name: 'Start', key: 's', icon: 'start', isInBar: true },
  { href: '/ask', name: 'Ask', key: 'a', icon: 'ask' },
  { href: '/chats', name: 'Chats', key: 'c', icon: 'chats', group: 'Results', isInBar: true },
  { href: '/requests', name: 'Receipts', key: 'r', icon: 'receipts', group: 'Results', isInBar: true },
  { href: '/compare', name: 'Compare', key: 'o', icon: 'compare', group: 'Results' },
  { href: '/quality', name: 'Quality', key: 'q', icon: 'quality', group: 'Results' },
  {
    href: '/runs',
    name: 'Runs',
    key: 'u',
    icon: 'runs',
    group: 'Agents',
    scopes: ['project', 'runs'],
    isInBar: true,
  },
  { href: '/stage', name: 'Stage', key: 'e', icon: 'stage', group: 'Agents', scopes: ['project'] },
];

/** Pages below the others. */
export const MORE_PAGES: readonly ListedPage[] = [
  { href: '/docs', name: 'API reference', key: 'd', icon: 'docs' },
  { href: '/settings', name: 'Settings', key: ',', icon: 'settings' },
];

/** Returns the account of the token. Undefined until it is known. */
export function useMe(): MeView | undefined {
  const session = useOptionalSession();
  const me = useQuery({
    queryKey: ['me'],
    enabled: session !== undefined,
    queryFn: ({ signal }) => session?.call({ method: 'GET', path: '/api/me', shape: meView, signal }),
  });
  return me.data;
}

/** Returns the scopes of the token. Undefined until they are known. */
export function useScopes(): readonly TokenScope[] | undefined {
  return useMe()?.scopes;
}

/** Returns the pages. Pages with scopes appear after the token is known to have one. */
export function usePages(): readonly ListedPage[] {
  const granted = useScopes() ?? [];
  return PAGES.filter(({ scopes }) => scopes === undefined || scopes.some((each) => granted.includes(each)));
}

/** Returns true if the address belongs to a page. */
export function isActivePage(href: string, address: string): boolean {
  // The address of a receipt contains its chat, but belongs to the receipts.
  if (/^\/chats\/[^/]+\/requests\//u.test(address)) return href === '/requests';
  // The history of a schema belongs to the quality page.
  if (address.startsWith('/schemas/')) return href === '/quality';
  // Scenarios are a list of the stage.
  if (address === '/scenarios') return href === '/stage';
  return address === href || (href !== '/' && address.startsWith(`${href}/`));
}
