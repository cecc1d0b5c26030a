/** Choices of the filters of lists: models and schemas from the server, and periods. */
import { useQuery } from '@tanstack/react-query';
import { schemaPageView, type SchemaUseView } from '@truecast/client/internal/wire/request';
import type { Choice } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { useModels } from '../session/use-models.ts';

/** Choices of both filters. Empty lists until they are read. */
export interface FilterChoices {
  readonly models: readonly Choice[];
  readonly names: readonly Choice[];
}

/** Days before now. */
export const PERIODS: readonly Choice[] = [
  ['', 'Any time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
];

export const COSTS: readonly Choice[] = [
  ['', 'Any cost'],
  ['0.01', '$0.01 or more'],
  ['0.1', '$0.10 or more'],
  ['1', '$1 or more'],
];

/** The heads of a wide table order it too. */
export const ORDERS: readonly Choice[] = [
  ['', 'Newest first'],
  ['cost', 'Highest cost first'],
  ['time', 'Slowest first'],
  ['attempts', 'Most attempts first'],
];

const DAY_MS = 86_400_000;

/** Returns the start of a period. Undefined without one. */
export function sinceOf(days: string): string | undefined {
  const count = Number(days);
  return count > 0 ? new Date(Date.now() - count * DAY_MS).toISOString() : undefined;
}

/** Returns a label that the server takes. Undefined while it is typed. */
export function typedLabel(text: string): string | undefined {
  return /^[A-Za-z0-9._/-]{1,64}:/u.test(text) ? text : undefined;
}

/** Maximum number of schemas that are listed. */
export const LISTED_SCHEMAS = 200;

/** Returns the schemas that were used last. None until they are read. */
export function useSchemas(): readonly SchemaUseView[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['schemas'],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: `/api/schemas?limit=${LISTED_SCHEMAS}`, shape: schemaPageView, signal }),
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
