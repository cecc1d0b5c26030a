/** Query of one schema with its text. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { schemaDetailView, type SchemaDetailView } from '@truecast/client/internal/wire/request';
import { useSession } from '../session/session.tsx';

/** Reads the schema. Nothing is read without a hash. */
export function useSchema(hash: string | undefined): UseQueryResult<SchemaDetailView> {
  const { call } = useSession();
  return useQuery({
    queryKey: ['schemas', hash],
    enabled: hash !== undefined,
    queryFn: ({ signal }) => {
      const path = `/api/schemas/${encodeURIComponent(hash ?? '')}`;
      return call({ method: 'GET', path, shape: schemaDetailView, signal });
    },
  });
}
