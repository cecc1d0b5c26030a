/**
 * Request body reader: size-limited, strict, from the raw bytes, with all problems reported at
 * once.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { z } from 'zod';
import {
  RequestRefusedError,
  type RequestProblem,
} from '@truecast/core/internal/errors/request-refused-error';
import { encodedText, parseBytes, readBytes } from '../body/json-body.ts';
import { describeInputIssue } from '../contract/describe-input-issue.ts';
import { fieldOf, toPointer } from '../format/format-problem.ts';
import { readBodyFormat, type BodyFormat } from '../format/read-body-format.ts';
import { screenJson } from '../format/screen-json.ts';

/** Limits that are checked before the body is parsed: depth limits recursion, values limit time. */
const LIMITS = { maxDepth: 128, maxValues: 20_000 } as const;
const MAX_PROBLEMS = 20;

export interface ReadBody<TBody> {
  readonly value: TBody;
  /** The raw text; `{}` for an empty body. */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly format: Exclude<BodyFormat, { readonly type: 'refused' }>;
}

/** Rules of a route for its body. */
export interface BodyRules {
  readonly judgesFormat: boolean;
  /** True if `limits` are read by the schema. */
  readonly hasOwnLimits: boolean;
  readonly maxBytes: number;
}

/**
 * Reads the JSON body of `request` with `schema`. An absent body is `{}`. `response_format` and
 * `limits` are validated by the format rules only.
 *
 * @throws RequestRefusedError `unsupported-media-type`, `too-large`, `invalid-json`, `invalid-body`
 */
export async function readBody<TBody>(
  request: Request,
  schema: z.ZodType<TBody>,
  { judgesFormat, hasOwnLimits, maxBytes }: BodyRules,
): Promise<ReadBody<TBody>> {
  const bytes = await takeBytes(request, maxBytes);
  if (bytes.length > 0) assertJsonType(request.headers.get('content-type'));
  const { text, value } = bytes.length === 0 ? { text: '{}', value: {} } : parse(bytes);
  const format =
    judgesFormat && isRecord(value) ? readBodyFormat(text, { hasOwnLimits }) : { type: 'text' as const };
  const parsed = schema.safeParse(isRecord(value) ? withoutFormat(value, hasOwnLimits) : value, {
    reportInput: true,
  });
  const problems = unique([
    ...hiddenFaults(text, judgesFormat ? 1 : 0),
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => toProblems(issue, knownKeys(schema)))),
    ...(format.type === 'refused' ? format.problems : []),
  ]);
  if (parsed.success && format.type !== 'refused' && problems.length === 0) {
    return { value: parsed.data, text, bytes, format };
  }
  const [first] = problems;
  const place = first?.pointer === undefined ? '' : ` at \`${first.pointer}\``;
  throw new RequestRefusedError(
    `\`${first?.field ?? 'body'}\`${place}: ${first?.detail ?? 'Is not valid.'}`,
    {
      code: 'invalid-body',
      problems: problems.slice(0, MAX_PROBLEMS),
    },
  );
}

function withoutFormat(
  body: Readonly<Record<string, unknown>>,
  hasOwnLimits: boolean,
): Record<string, unknown> {
  const { response_format: _format, ...own } = body;
  const { limits: _limits, ...rest } = own;
  return hasOwnLimits ? own : rest;
}

async function takeBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const body = await readBytes(request, { ...LIMITS, maxBytes });
  if (body.type === 'too-deep') throw notJson(`values are nested deeper than ${LIMITS.maxDepth}`);
  if (body.type === 'too-many-values') throw tooLarge(`${LIMITS.maxValues} values and keys`);
  if (body.type === 'too-large') throw tooLarge(`${maxBytes} bytes`);
  if (body.type === 'encoded') {
    throw new RequestRefusedError(encodedText(body.encoding), { code: 'unsupported-media-type' });
  }
  if (body.type === 'cut-off') throw cutOff(body.cause);
  return body.bytes;
}

/** The client has usually disconnected. Still a client error, not a server fault. */
function cutOff(cause: unknown): RequestRefusedError {
  return new RequestRefusedError('The body ended early. Send the request again.', {
    code: 'invalid-body',
    cause,
  });
}

function tooLarge(limit: string): RequestRefusedError {
  return new RequestRefusedError(`The body exceeds the limit of ${limit}. Send a smaller body.`, {
    code: 'too-large',
  });
}

function assertJsonType(type: string | null): void {
  if (type !== null && /^application\/json\s*(?:;\s*charset=(?:"utf-8"|utf-8)\s*)?$/iu.test(type.trim())) {
    return;
  }
  throw new RequestRefusedError(
    'The body must be JSON in UTF-8. Send it with `content-type: application/json`.',
    {
      code: 'unsupported-media-type',
    },
  );
}

function parse(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  const body = parseBytes(bytes);
  switch (body.type) {
    case 'json':
      return body;
    case 'not-utf-8':
      throw notJson('the body is not UTF-8', body.cause);
    case 'not-json':
      // Problem documents can be logged in transit, so they contain the position, not the value.
      throw notJson(body.reason.replace(/, near .*$/su, ''), body.cause);
    default:
      return body satisfies never;
  }
}

function notJson(reason: string, cause?: unknown): RequestRefusedError {
  return new RequestRefusedError(`The body cannot be read as JSON: ${reason}. Send one JSON object.`, {
    code: 'invalid-json',
    cause,
  });
}

/** The format's own rules report problems inside it, together with those of the body. */
function hiddenFaults(text: string, doubledDeeperThan: number): RequestProblem[] {
  return screenJson(text)
    .filter(({ path }) => path[0] !== 'response_format')
    .flatMap(({ kind, path, message }) => {
      if (kind === 'doubled-key' && path.length > doubledDeeperThan) {
        return [problemAt(path, 'A key is repeated in one object. Send it once.')];
      }
      // The parsed value is stored, so such a number would be changed without notice.
      const isInSchema = path[0] === 'tools' && path[2] === 'input_schema';
      const isChanged = kind === 'out-of-range' || (kind === 'integer' && !isInSchema);
      return isChanged ? [problemAt(path, `${message}.`)] : [];
    });
}

function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): RequestProblem[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const list = path.length === 0 && known.length > 0 ? ` Known keys: ${known.join(', ')}.` : '';
    return issue.keys.map((key) => problemAt([...path, key], `Is not a known key. Leave it out.${list}`));
  }
  if (issue.code === 'invalid_union') {
    const [deepest] = issue.errors.flat().toSorted((one, other) => other.path.length - one.path.length);
    if (deepest !== undefined && deepest.path.length > 0) {
      return toProblems({ ...deepest, path: [...issue.path, ...deepest.path] }, known);
    }
  }
  return [problemAt(path, describeInputIssue(issue))];
}

function knownKeys(schema: z.ZodType): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Names the member of the body and points to the problem inside it. */
function problemAt([first, ...rest]: readonly (string | number)[], detail: string): RequestProblem {
  const field = first === undefined ? 'body' : fieldOf('', String(first)).replace(/^\./u, '') || 'body';
  return { field, detail, ...(rest.length > 0 && { pointer: toPointer(rest) }) };
}

function unique(problems: readonly RequestProblem[]): RequestProblem[] {
  const byText = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...byText.values()];
}
