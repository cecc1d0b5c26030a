/** Reader of batch inputs, one at a time. An invalid input is rejected with its line number. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeJsonError } from '@truecast/core/internal/json/parse-json';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import { BUILT_IN_PROMPT_ARGS } from '../prompt/prompt-template.ts';
import type { BatchInput, BatchItem } from './batch-queue.ts';

/**
 * Source of inputs: the path of a file with one JSON object per line, or the objects themselves.
 */
export type BatchInputs = string | Iterable<BatchInput> | AsyncIterable<BatchInput>;

/** Parts of an item's key that are equal for the whole batch. */
export interface ItemIdentity {
  /** Keys in the prompt template. Each input must have them. */
  readonly promptKeys: readonly string[];
  /** Hash of the prompt, the output and the agent. */
  readonly fingerprint: string;
}

/** Long enough for a billion items without a collision, and short enough to be readable. */
const KEY_CHARS = 32;

/**
 * Reads the inputs. Equal inputs are separate items.
 *
 * @yields one item for each input, in order
 * @throws UsageError with the line, if an input is not an object, has a duplicate key, or lacks a
 *   key of the prompt
 */
export async function* readBatchInputs(
  inputs: BatchInputs,
  identity: ItemIdentity,
): AsyncGenerator<BatchItem> {
  const seen = new Map<string, number>();
  for await (const { line, value } of linesOf(inputs)) {
    const input = checkInput(value, line, identity);
    const inputHash = hash(atLine(line, () => canonicalJson(input)));
    const key = hash(`${identity.fingerprint}\n${inputHash}`).slice(0, KEY_CHARS);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    yield { key: count === 1 ? key : `${key}-${count}`, line, input, inputHash };
  }
}

/** Returns the SHA-256 of a string in hex. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface InputLine {
  readonly line: number;
  readonly value: unknown;
}

async function* linesOf(inputs: BatchInputs): AsyncGenerator<InputLine> {
  let line = 0;
  if (typeof inputs !== 'string') {
    for await (const value of inputs) yield { line: (line += 1), value };
    return;
  }
  for await (const text of fileLines(inputs)) {
    line += 1;
    const json = line === 1 ? text.replace(/^\uFEFF/u, '') : text;
    if (json.trim() !== '') yield { line, value: parseLine(json, line) };
  }
}

async function* fileLines(path: string): AsyncGenerator<string> {
  try {
    await using file = await openChosenFile(path, 'read');
    yield* createInterface({
      input: file.createReadStream({ encoding: 'utf8', autoClose: false }),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new UsageError(
      `Expected \`inputs\` to be a readable file, got \`${path}\`: ${cause.message}. Pass the path of a file with one JSON object per line.`,
      { cause },
    );
  }
}

function parseLine(json: string, line: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const reason = describeJsonError(json).replace('at line 1,', `at line ${line},`);
    throw refuse(line, `expected a JSON object on one line, got invalid JSON: ${reason}`, cause);
  }
  const twice = findDuplicateKey(json);
  if (twice === undefined) return value;
  throw refuse(line, `the key ${describeValue(twice)} occurs twice in one object`);
}

function checkInput(value: unknown, line: number, { promptKeys }: ItemIdentity): BatchInput {
  if (!isRecord(value)) throw refuse(line, `expected a JSON object, got ${describeValue(value)}`);
  const builtIn = BUILT_IN_PROMPT_ARGS.find((key) => Object.hasOwn(value, key));
  if (builtIn !== undefined) {
    throw refuse(line, `the key \`${builtIn}\` is set by the run and cannot be passed`);
  }
  const missing = promptKeys.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) {
    throw refuse(line, `the prompt contains \`{{${missing}}}\`, but the input has no such key`);
  }
  // Values that canonical JSON rejects are reported by the caller, with the line.
  return value as BatchInput;
}

function atLine<TResult>(line: number, work: () => TResult): TResult {
  try {
    return work();
  } catch (cause) {
    if (!TruecastError.isInstance(cause)) throw cause;
    throw refuse(line, cause.message.replace(/\.$/u, ''), cause);
  }
}

function refuse(line: number, what: string, cause?: unknown): UsageError {
  return new UsageError(`Input ${line}: ${what}. Correct the line; nothing was run.`, { cause });
}

/** An open object or array. */
interface Open {
  /** Undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** True if the next string is a key. */
  expectsKey: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gu;

/** Returns the first duplicate key of an object, at any depth. The text must be valid JSON. */
function findDuplicateKey(json: string): string | undefined {
  const open: Open[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), expectsKey: true });
    else if (token === '[') open.push({ keys: undefined, expectsKey: false });
    else if (token === '}' || token === ']') open.pop();
    else if (inner?.keys === undefined) continue;
    else if (token === ',') inner.expectsKey = true;
    else if (inner.expectsKey) {
      // `"a"` and `"\u0061"` are the same key.
      const key = String(JSON.parse(token));
      if (inner.keys.has(key)) return key;
      inner.keys.add(key);
      inner.expectsKey = false;
    }
  }
  return undefined;
}
