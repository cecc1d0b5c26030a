/**
 * Odd chunks: events of a Chat Completions stream that are not chunks, or have members of another type.
 * The provider's package rejects a whole reply for one of them. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';

type JsonObject = Readonly<Record<string, unknown>>;

const CHOICES = /"choices"\s*:\s*\[/u;
/** Members that only describe the reply, with a value that is neither of their type nor `null`. */
const ODD_MEMBER = /"(?:id|model)"\s*:\s*[^"n\s]|"created"\s*:\s*(?!null|\d+\s*[,}])/u;
/** A service can report a failure without `error`. */
const TELLING: readonly string[] = ['error', 'message', 'detail'];

/** Returns true for data to be read by `plainLine()`. Cheap, because it is called for each line. */
export function isOdd(data: string): boolean {
  return !CHOICES.test(data) || ODD_MEMBER.test(data);
}

/** Returns a line of a stream as the package reads it: empty if it is not a chunk. */
export function plainLine(line: string, data: string): string {
  if (data === '') return '';
  const parsed = parseJson(data);
  if (!parsed.success) return line;
  const chunk = parsed.value;
  if (!isRecord(chunk)) return '';
  if (Array.isArray(chunk['choices'])) return `data: ${JSON.stringify(plainMembers(chunk))}`;
  if (TELLING.some((name) => chunk[name] !== undefined && chunk[name] !== null)) return line;
  const hasUsage = isRecord(chunk['usage']);
  return hasUsage ? `data: ${JSON.stringify(plainMembers({ ...chunk, choices: [] }))}` : '';
}

/** Leaves out descriptive members of another type. */
export function plainMembers(reply: JsonObject): JsonObject {
  const { id, model, created, ...rest } = reply;
  return {
    ...(typeof id === 'string' && { id }),
    ...(Number.isSafeInteger(created) && { created }),
    ...(typeof model === 'string' && { model }),
    ...rest,
  };
}
