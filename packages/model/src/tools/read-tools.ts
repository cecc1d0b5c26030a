/** Reader of a caller's tools, before any request. Refuses unsupported members by name. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { assertTimeout } from '@truecast/core/internal/options/timeout';
import type { GenerateTool, GenerateTools, SdkToolSchema } from './generate-tool.ts';

/** A tool that can run. */
export interface ReadyTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Members that the AI SDK passes to the provider. */
  readonly passed: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Validates an input. */
  readonly schema: StandardSchemaV1;
  readonly execute: GenerateTool['execute'];
}

export type ReadyTools = ReadonlyMap<string, ReadyTool>;

const NAME = /^[A-Za-z0-9_-]{1,64}$/u;
const DEFAULT_TIMEOUT_MS = 60_000;

/** Members of the AI SDK that its provider gets. */
const PASSED: readonly string[] = ['strict', 'inputExamples', 'providerOptions'];
/** Members of a tool. Those of the AI SDK that need no support are accepted too. */
const MEMBERS: Readonly<Record<string, true>> = {
  description: true,
  inputSchema: true,
  execute: true,
  timeoutMs: true,
};
const OF_SDK: readonly string[] = [...PASSED, 'type', 'title', 'metadata', 'outputSchema'];
/** Members of the AI SDK that would silently have no effect, without those that observe. */
const REFUSED: Readonly<Record<string, string>> = {
  needsApproval: 'Ask in `execute`, or use a chat, whose turns can wait for a person.',
  toModelOutput: 'Return from `execute` what the model is to read.',
  contextSchema: 'Read the context in `execute`.',
  deferLoading: 'Leave it out: each tool is offered from the start.',
};
const OBSERVERS: readonly string[] = ['onInputStart', 'onInputDelta', 'onInputAvailable'];

/** The function that is called with tools, for its errors. */
export interface ToolTaker {
  /** Its name, quoted. */
  readonly name: string;
  /** How its caller observes the calls. */
  readonly observeBy: string;
}

const GENERATE: ToolTaker = { name: '`generate()`', observeBy: 'Use `onStep`.' };

/** Reads the tools. @throws UsageError that names the tool and the member */
export async function readTools(tools: GenerateTools, taker: ToolTaker = GENERATE): Promise<ReadyTools> {
  const ready = await Promise.all(Object.entries(tools).map(([name, tool]) => readTool(name, tool, taker)));
  return new Map(ready.map((tool) => [tool.name, tool]));
}

async function readTool(name: string, tool: GenerateTool, taker: ToolTaker): Promise<ReadyTool> {
  const of = `tools.${name}`;
  if (name === FINALIZER_NAME) {
    throw new UsageError(
      `Expected another name than \`${name}\`, which receives the answer. Rename the tool.`,
    );
  }
  if (!NAME.test(name)) {
    throw new UsageError(
      `Expected a tool name of 1 to 64 letters, digits, \`_\` and \`-\`, got ${describeValue(name)}. Rename it.`,
    );
  }
  const given = assertMembers(of, tool, taker);
  const { description = '', timeoutMs = DEFAULT_TIMEOUT_MS, execute } = tool;
  if (typeof description !== 'string') throw invalid(`${of}.description`, 'a string', description);
  assertTimeout(`${of}.timeoutMs`, timeoutMs);
  return {
    name,
    description,
    passed: Object.fromEntries(PASSED.flatMap((key) => (key in given ? [[key, given[key]]] : []))),
    timeoutMs,
    ...(await readSchema(`${of}.inputSchema`, tool.inputSchema)),
    execute: (input, context) => execute.call(tool, input, context),
  };
}

/** Returns the members that are set. */
function assertMembers(of: string, tool: GenerateTool, taker: ToolTaker): Readonly<Record<string, unknown>> {
  if (typeof tool !== 'object' || tool === null) throw invalid(of, 'a tool', tool);
  const set = Object.entries(tool).filter(([, value]) => value !== undefined && value !== false);
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(set);
  const refused = { ...REFUSED, ...Object.fromEntries(OBSERVERS.map((name) => [name, taker.observeBy])) };
  for (const [member, next] of Object.entries(refused)) {
    if (member in given) throw unsupported(`\`${of}.${member}\` is not supported in ${taker.name}. ${next}`);
  }
  if (given['type'] === 'provider' || given['type'] === 'provider-defined') {
    throw unsupported(
      `Expected \`${of}\` to run in this program, got a tool that the provider defines. Leave it out.`,
    );
  }
  const isPlain = Object.getPrototypeOf(tool) === Object.prototype;
  if (isPlain) assertKnownOptions(given, { of: `\`${of}\``, names: MEMBERS, unlisted: OF_SDK });
  const { execute }: { readonly execute?: unknown } = tool;
  if (typeof execute !== 'function') throw invalid(`${of}.execute`, 'a function', execute);
  if (/Generator/u.test(Object.prototype.toString.call(execute))) {
    throw unsupported(`\`${of}.execute\` is a generator, which is not supported. Return one result.`);
  }
  return given;
}

/** Reads an input schema of each form. */
async function readSchema(of: string, given: unknown): Promise<Pick<ReadyTool, 'schema' | 'inputSchema'>> {
  const schema: unknown =
    typeof given === 'function' && !isStandard(given) ? Reflect.apply(given, undefined, []) : given;
  try {
    if (isStandard(schema)) return { schema, inputSchema: objectOf(toJsonSchema(schema)) };
    if (isSdkSchema(schema)) return await readSdkSchema(schema);
  } catch (cause) {
    if (!TruecastError.isInstance(cause)) throw cause;
    throw unsupported(`The schema of \`${of}\` cannot be used: ${cause.message}`, cause);
  }
  throw invalid(of, 'a Standard Schema with a JSON Schema, or `jsonSchema()` of the AI SDK', given);
}

/** One without its own validator is validated by our engine. */
async function readSdkSchema(given: SdkToolSchema): Promise<Pick<ReadyTool, 'schema' | 'inputSchema'>> {
  const inputSchema = objectOf(await given.jsonSchema);
  if (given.validate === undefined) return { schema: jsonSchema.unchecked(inputSchema), inputSchema };
  const validate = async (value: unknown): Promise<StandardSchemaV1.Result<unknown>> =>
    resultOf(await given.validate?.(value));
  return { schema: { '~standard': { version: 1, vendor: 'ai', validate } }, inputSchema };
}

/** A schema that accepts everything is an empty one. */
function objectOf(schema: object | boolean): Readonly<Record<string, unknown>> {
  return typeof schema === 'object' ? { ...schema } : {};
}

function isStandard(value: unknown): value is StandardSchemaV1 {
  return isObject(value) && '~standard' in value;
}

function isSdkSchema(value: unknown): value is SdkToolSchema {
  return isObject(value) && 'jsonSchema' in value && isObject(value.jsonSchema);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Converts a result of the AI SDK's validators. */
function resultOf(result: unknown): StandardSchemaV1.Result<unknown> {
  const { success, value, error }: { success?: unknown; value?: unknown; error?: unknown } = isObject(result)
    ? result
    : {};
  if (success === true) return { value };
  return { issues: [{ message: error instanceof Error ? error.message : 'The input is invalid.' }] };
}

function invalid(name: string, expected: string, got: unknown): UsageError {
  return new UsageError(`Expected \`${name}\` to be ${expected}, got ${describeValue(got)}. Correct it.`);
}

function unsupported(message: string, cause?: unknown): UsageError {
  return new UsageError(message, { code: 'unsupported', cause });
}
