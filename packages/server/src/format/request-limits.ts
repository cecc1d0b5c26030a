/** Failure limits of a request: defaults, and values that a client can lower. Pure. */
import { z } from 'zod';
import type { RequestLimits } from '@truecast/client/internal/wire/message-parts';
import { fieldOf, type FormatProblem } from './format-problem.ts';

/** Default limits. Clients can only lower them. */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = { text_only: 5, max_repairs: 5 };

export type ParsedLimits =
  | { readonly success: true; readonly limits: RequestLimits }
  | { readonly success: false; readonly problems: readonly FormatProblem[] };

const KEYS = ['text_only', 'max_repairs', 'deadline_seconds'] as const;
const MAX_DEADLINE_SECONDS = 86_400;
const record = z.record(z.string(), z.unknown());

/** Parses the `limits` next to a `response_format`. */
export function parseRequestLimits(value: unknown, hasFormat: boolean): ParsedLimits {
  if (value === undefined) return { success: true, limits: DEFAULT_REQUEST_LIMITS };
  if (!hasFormat) return refuse('limits', 'Is accepted only with a response_format of type "json_schema".');
  const given = record.safeParse(value);
  if (!given.success) return refuse('limits', 'Must be a JSON object.');
  const problems: FormatProblem[] = Object.keys(given.data)
    .filter((key) => !KEYS.some((known) => known === key))
    .map((key) => ({
      field: fieldOf('limits', key),
      detail: `Is not a known key. The known keys are ${KEYS.join(', ')}.`,
    }));
  const read = (key: (typeof KEYS)[number], most: number): number => {
    const limit = given.data[key] ?? most;
    if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
    problems.push({ field: `limits.${key}`, detail: `Must be a whole number from 1 to ${most}.` });
    return most;
  };
  const { text_only, max_repairs } = DEFAULT_REQUEST_LIMITS;
  const limits: RequestLimits = {
    text_only: read('text_only', text_only),
    max_repairs: read('max_repairs', max_repairs),
    ...('deadline_seconds' in given.data && {
      deadline_seconds: read('deadline_seconds', MAX_DEADLINE_SECONDS),
    }),
  };
  return problems.length > 0 ? { success: false, problems } : { success: true, limits };
}

function refuse(field: string, detail: string): ParsedLimits {
  return { success: false, problems: [{ field, detail }] };
}
