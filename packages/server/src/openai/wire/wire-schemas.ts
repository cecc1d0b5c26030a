/** Schemas of fields common to both APIs, and problems by field. Pure. */
import { z } from 'zod';
import { describeInputIssue } from '../../contract/describe-input-issue.ts';
import { refused, type WireFailure } from './wire-failure.ts';

const MAX_TOOLS = 128;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/u;

type Given<T> = z.ZodOptional<z.ZodNullable<z.ZodType<T>>>;

/** Settings with the same name in both APIs. */
export const SHARED_FIELDS: {
  readonly model: z.ZodString;
  readonly stream: Given<boolean>;
  readonly temperature: Given<number>;
  readonly top_p: Given<number>;
  readonly parallel_tool_calls: Given<boolean>;
} = {
  model: z.string().min(1),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

/** Schema of a function definition. */
export const FUNCTION_FIELDS: {
  readonly name: z.ZodString;
  readonly description: Given<string>;
  readonly parameters: Given<Record<string, unknown>>;
  readonly strict: Given<boolean>;
} = {
  name: z.string().regex(TOOL_NAME, 'Must be 1 to 64 letters, digits, underscores and hyphens.'),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
};

/** Limits the number of tools. */
export function toolList<TTool extends z.ZodType>(
  tool: TTool,
): z.ZodOptional<z.ZodNullable<z.ZodArray<TTool>>> {
  return z.array(tool).max(MAX_TOOLS).nullish();
}

/** Returns the first problem with its field. */
export function schemaFailure(error: z.ZodError): WireFailure {
  const [issue] = error.issues;
  const field = issue === undefined ? '' : fieldName(issue.path);
  const message = issue === undefined ? 'Does not fit the API.' : describeInputIssue(issue);
  return refused(
    field === '' ? undefined : field,
    `${field === '' ? 'The body' : `\`${field}\``}: ${message}`,
  );
}

/** Renders a path as `messages[0].content`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('')
    .slice(0, 200);
}
