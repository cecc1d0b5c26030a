/**
 * Directory rewriting in a session's JSON lines, to resume it under another worktree path. Pure.
 */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { findJsonExcess } from '@truecast/core/internal/json/json-bounds';
import { isRecord } from '@truecast/core/internal/kit/is-record';

/**
 * Returns a line's value with its directories mapped, or the same value if it has no directories.
 */
export type LineRewriter = (value: Readonly<Record<string, unknown>>, map: DirectoryMap) => unknown;

/**
 * Maps one directory field if it is `fromCwd` or a path below it. Returns any other value
 * unchanged.
 */
export type DirectoryMap = (directory: unknown) => unknown;

/**
 * Rewrites all lines of a session. Lines that are not JSON objects are unchanged, byte for byte.
 */
export function rewriteSession(jsonl: string, fromCwd: string, toCwd: string, rewrite: LineRewriter): string {
  if (fromCwd === toCwd) return jsonl;
  return jsonl
    .split('\n')
    .map((line) => rewriteSessionLine(line, fromCwd, toCwd, rewrite))
    .join('\n');
}

/** Rewrites one line without its newline. */
export function rewriteSessionLine(
  line: string,
  fromCwd: string,
  toCwd: string,
  rewrite: LineRewriter,
): string {
  // Most lines are long and contain no directory. They are not parsed and keep their bytes.
  if (fromCwd === toCwd || !line.includes(JSON.stringify(fromCwd).slice(1, -1))) return line;
  const value = parseObject(line);
  if (value === undefined) return line;
  const rewritten = rewrite(value, mapDirectory(fromCwd, toCwd));
  return rewritten === value ? line : JSON.stringify(rewritten);
}

/** Returns `record` with the named fields mapped, or the same record if no field changed. */
export function mapFields(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  map: DirectoryMap,
): Readonly<Record<string, unknown>> {
  const changed = fields.filter((field) => field in record && map(record[field]) !== record[field]);
  if (changed.length === 0) return record;
  return { ...record, ...Object.fromEntries(changed.map((field) => [field, map(record[field])])) };
}

/** Returns the first directory that `pick` finds in a session's lines. */
export function findSessionCwd(
  jsonl: string,
  pick: (value: Readonly<Record<string, unknown>>) => unknown,
): string | undefined {
  for (const line of linesOf(jsonl)) {
    const value = line.includes('"cwd"') ? parseObject(line) : undefined;
    const cwd = value === undefined ? undefined : pick(value);
    if (typeof cwd === 'string') return cwd;
  }
  return undefined;
}

function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
    yield text.slice(from, at);
    from = at + 1;
  }
  yield text.slice(from);
}

function mapDirectory(fromCwd: string, toCwd: string): DirectoryMap {
  const isWithin = (path: string): boolean =>
    path === fromCwd || path.startsWith(`${fromCwd}/`) || path.startsWith(`${fromCwd}\\`);
  const map: DirectoryMap = (directory) => {
    if (typeof directory === 'string') {
      return isWithin(directory) ? toCwd + directory.slice(fromCwd.length) : directory;
    }
    if (!Array.isArray(directory)) return directory;
    const mapped: readonly unknown[] = directory.map(map);
    return mapped.some((entry, index) => entry !== directory[index]) ? mapped : (directory as unknown);
  };
  return map;
}

/** Removes a last line that is no JSON, because its program was killed while it wrote. */
export function withoutCutLine(jsonl: string): string {
  const text = jsonl.trimEnd();
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  const isCut = findJsonExcess(line) === undefined && jsonValueOf(line) === undefined;
  return isCut ? jsonl.slice(0, start) : jsonl;
}

/** Parses the JSON object of a line. Undefined for any other line. */
export function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  // Parsing such a line would block this thread.
  const value = findJsonExcess(line) === undefined ? jsonValueOf(line) : undefined;
  return isRecord(value) ? value : undefined;
}
