/** The caller of this page: its owner and scopes, and the features of the server. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { meView, type MeView } from '@truecast/client/internal/wire/account';
import { useSession } from './session.tsx';

export function useMe(): UseQueryResult<MeView> {
  const { call } = useSession();
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/me', shape: meView, signal }),
  });
}
