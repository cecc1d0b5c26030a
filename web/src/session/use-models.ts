/** Models of the server. */
import { useQuery } from '@tanstack/react-query';
import type { ModelView } from '@truecast/client';
import { useSession } from './session.tsx';

/** Returns the models, or undefined until they are read. */
export function useModels(): readonly ModelView[] | undefined {
  const { client } = useSession();
  return useQuery({ queryKey: ['models'], queryFn: ({ signal }) => client.models({ signal }) }).data;
}
