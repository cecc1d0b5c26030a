/** Models of the server. */
import { useQuery } from '@tanstack/react-query';
import type { ModelView } from '@truecast/client';
import { modelListView } from '@truecast/client/internal/wire/chat';
import { useSession } from './session.tsx';

/** Returns the models, or undefined until they are read. */
export function useModels(): readonly ModelView[] | undefined {
  const { call } = useSession();
  const models = useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/models', shape: modelListView, signal }),
  });
  return models.data?.models;
}
