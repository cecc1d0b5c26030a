/** Owns how many failures a request may have: the defaults, and what a client may lower. Pure. */
import { z } from 'zod';
import type { RequestLimits } from '../contract/parts.ts';
import { fieldOf, type FormatProblem } from './format-problem.ts';

/** What a request may have that says nothing of it; a client can only lower them. */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = { text_only: 5, max_repairs: 5 };

/** The limits, or what is wrong with them. */
export type ParsedLimits =
  | { readonly success: true; readonly limits: RequestLimits }
  | { readonly success: false; readonly problems: readonly FormatProblem[] };

const KEYS = ['text_only', 'max_repairs'] as const;
const record = z.record(z.string(), z.unknown());

/** Reads the `limits` that stand beside a `response_format`. */
export function parseRequestLimits(value: unknown, hasFormat: boolean): ParsedLimits {
  if (value === undefined) return { success: true, limits: DEFAULT_REQUEST_LIMITS };
  if (!hasFormat) return refuse('limits', 'Is taken only beside a response_format of type "json_schema".');
  const given = record.safeParse(value);
  if (!given.success) return refuse('limits', 'Must be a JSON object.');
  const problems: FormatProblem[] = Object.keys(given.data)
    .filter((key) => !KEYS.some((known) => known === key))
    .map((key) => ({
      field: fieldOf('limits', key),
      detail: `Is not a known key. Known are ${KEYS.join(' and ')}.`,
    }));
  const read = (key: (typeof KEYS)[number]): number => {
    const most = DEFAULT_REQUEST_LIMITS[key];
    const limit = given.data[key] ?? most;
    if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
    problems.push({ field: `limits.${key}`, detail: `Must be a whole number from 1 to ${most}.` });
    return most;
  };
  const limits = { text_only: read('text_only'), max_repairs: read('max_repairs') };
  return problems.length > 0 ? { success: false, problems } : { success: true, limits };
}

function refuse(field: string, detail: string): ParsedLimits {
  return { success: false, problems: [{ field, detail }] };
}
