/**
 * Query parameter reader: strict, each parameter at most once, with all problems reported at once.
 */
import { z } from 'zod';
import {
  RequestRefusedError,
  type RequestProblem,
} from '@truecast/core/internal/errors/request-refused-error';
import { describeExpected } from '../contract/describe-input-issue.ts';

/** Reads the parameters with `schema`. @throws RequestRefusedError `invalid-parameter` */
export function readQuery<TQuery>(address: string, schema: z.ZodType<TQuery>): TQuery {
  const { searchParams } = new URL(address);
  const names = [...searchParams.keys()];
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const parsed = schema.safeParse(Object.fromEntries(searchParams));
  if (parsed.success && twice.size === 0) return parsed.data;
  const problems = [
    ...[...twice].map((field) => ({ field, detail: 'Is repeated in the query string. Send it once.' })),
    ...(parsed.success ? [] : parsed.error.issues.flatMap(toProblems)),
  ];
  throw new RequestRefusedError(`\`${problems[0]?.field}\`: ${problems[0]?.detail}`, {
    code: 'invalid-parameter',
    problems,
  });
}

export function integerParameter(min: number, max?: number): z.ZodCoercedNumber {
  const error = `Must be a whole number from ${min}${max === undefined ? '' : ` to ${max}`}`;
  const schema = z.coerce.number({ error }).int({ error }).min(min, { error });
  return max === undefined ? schema : schema.max(max, { error });
}

export const pageLimit: z.ZodDefault<z.ZodCoercedNumber> = integerParameter(1, 200).default(50);

/** `sort` of a list of requests or runs. */
export const listSort: z.ZodDefault<
  z.ZodEnum<{ created: 'created'; cost: 'cost'; duration: 'duration'; attempts: 'attempts' }>
> = z.enum(['created', 'cost', 'duration', 'attempts']).default('created');

/** `direction` of a list: the largest first, or the smallest. */
export const listDirection: z.ZodDefault<z.ZodEnum<{ asc: 'asc'; desc: 'desc' }>> = z
  .enum(['asc', 'desc'])
  .default('desc');

/** `after` of a list that is read in pages. */
export const pageCursor: z.ZodExactOptional<z.ZodString> = z
  .string()
  .regex(/^\d+\.[\w-]+$/u, 'Must be `next` of the previous page')
  .exactOptional();

const MAX_EVENTS = 1_000;
/** Shorter than 30 seconds, after which some proxies end a request. */
const MAX_WAIT_SECONDS = 25;

/** `limit` of a page of events, and the seconds for which the server waits for the first one. */
export const eventPage: {
  readonly limit: z.ZodDefault<z.ZodCoercedNumber>;
  readonly wait: z.ZodDefault<z.ZodCoercedNumber>;
} = {
  limit: integerParameter(1, MAX_EVENTS).default(MAX_EVENTS),
  wait: integerParameter(0, MAX_WAIT_SECONDS).default(0),
};

/** `q` of a list. */
export const searchText: z.ZodString = z.string().min(1).max(200);

export const timeParameter: z.ZodISODateTime = z.iso.datetime({
  error: 'Must be a time in UTC, such as 2026-11-23T12:00:00Z',
});

const COST = 'Must be a number of US dollars from 0 on, such as 0.25';
export const costParameter: z.ZodCoercedNumber = z.coerce.number({ error: COST }).min(0, { error: COST });

function toProblems(issue: z.core.$ZodIssue): RequestProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((field) => ({ field, detail: 'Is not a known parameter. Leave it out.' }));
  }
  // Parameters are always strings, so the received type is not reported.
  return [{ field: String(issue.path[0] ?? 'query'), detail: describeExpected(issue) }];
}
