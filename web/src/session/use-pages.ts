/** Pages of the rail that the session's token can read. */
import { useQuery } from '@tanstack/react-query';
import { useOptionalSession } from './session.tsx';
import { meView } from '@truecast/client/internal/wire/account';
import { PAGES, type RailPage } from './pages.ts';

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
