/** Choices of the filters by model and schema, from the server's lists. */
import { useQuery } from '@tanstack/react-query';
import { schemaPageView, type SchemaUseView } from '@truecast/client/internal/wire/request';
import type { Choice } from '../parts/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { useModels } from '../session/use-models.ts';

/** Choices of both filters. Empty lists until they are read. */
export interface FilterChoices {
  readonly models: readonly Choice[];
  readonly names: readonly Choice[];
}

/** Returns the schemas that were used last. None until they are read. */
export function useSchemas(): readonly SchemaUseView[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['schemas'],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: '/api/schemas?limit=200', shape: schemaPageView, signal }),
  });
  return data?.schemas ?? [];
}

export function useFilterChoices(): FilterChoices {
  const models = useModels() ?? [];
  const names = new Set(useSchemas().flatMap(({ name }) => name ?? []));
  return {
    models: [['', 'All models'], ...models.map(({ id }) => [id, id] as const)],
    names: [['', 'All schemas'], ...[...names].map((name) => [name, name] as const)],
  };
}
