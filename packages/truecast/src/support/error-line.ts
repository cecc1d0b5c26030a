/** Error line: the line of a crashed program's output that names its error. Pure. */
import { stripVTControlCharacters } from 'node:util';

/** Lines that name an error: of Node, Python, Ruby, Java, Rust, Go, git and most command lines. */
const NAMED =
  /^\s*(?:(?:uncaught|unhandled)\b.{0,40})?(?:[\w.$:]*(?:Error|Exception)\b(?: \[[\w-]+\])?:\s*\S|error(?:\[\w+\])?:\s*\S|fatal(?: error)?:\s*\S|panic:\s*\S|thread '.*' panicked at)/iu;
/** Text of a message without such a line. */
const MAX_TAIL_CHARS = 200;

/**
 * Returns the first line that names an error, because a stack follows it. Without one, returns the end
 * of the text.
 */
export function errorLine(text: string): string {
  const plain = stripVTControlCharacters(text).trim();
  const lines = plain.split(/\r?\n/u);
  const at = lines.findIndex((line) => NAMED.test(line));
  if (at === -1) return plain.slice(-MAX_TAIL_CHARS);
  const line = lines[at]?.trim() ?? '';
  // Rust prints the message below the place.
  return /panicked at/u.test(line) ? `${line} ${lines[at + 1]?.trim() ?? ''}`.trim() : line;
}
