/** Owns filling values into a shell command so that none of them is ever read as shell. Pure. */
import { cut } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { ExpressionPart } from './prompt-template.ts';

/** Words that mean themselves in every place of a command, nested shells included. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./:@-]*$/u;

/** After one of these, the next word is run. */
const BEFORE_COMMAND = /(?:^|[;&|({\n]|\b(?:then|do|else|eval|exec|if|while|until)\b|!)\s*["']?$/u;

/**
 * Builds the command line of an expression.
 *
 * A value that is more than a plain word stands in a shell variable, set before the command: a shell does not read the value of a
 * variable again, whatever quotes, here-documents or substitutions stand around it. Quotes of the file only decide which
 * reference is written; a misjudged one could split a value into words, never run it.
 *
 * @throws UsageError when a value would be the command's own name, or holds a NUL
 */
export function buildCommand({ parts, source }: ExpressionPart, valueOf: (key: string) => string): string {
  const assignments: string[] = [];
  let command = '';
  for (const part of parts) {
    if (part.type === 'text') {
      command += part.text;
      continue;
    }
    if (BEFORE_COMMAND.test(command)) throw isCommandName(part.key, source);
    const value = valueOf(part.key);
    if (value.includes('\0')) throw holdsNul(part.key, source);
    if (PLAIN.test(value)) {
      command += value;
      continue;
    }
    const name = `truecast_${assignments.length}`;
    assignments.push(`${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
    command += REFERENCES[quoteAtEnd(command)](name);
  }
  return assignments.join('') + command;
}

type Quote = 'none' | 'double' | 'single';

const REFERENCES = {
  none: (name) => `"\${${name}}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
} as const satisfies Record<Quote, (name: string) => string>;

/** Tells in which quotes the end of a command stands; a `$(` begins a command of its own. */
function quoteAtEnd(command: string): Quote {
  const outer: Quote[] = [];
  let quote: Quote = 'none';
  for (let index = 0; index < command.length; index += 1) {
    const char = command[index];
    if (quote === 'single') {
      if (char === "'") quote = 'none';
    } else if (char === '\\') index += 1;
    else if (char === '$' && command[index + 1] === '(') {
      outer.push(quote);
      quote = 'none';
      index += 1;
    } else if (char === '"') quote = quote === 'double' ? 'none' : 'double';
    else if (quote === 'none' && char === "'") quote = 'single';
    else if (quote === 'none' && char === ')') quote = outer.pop() ?? 'none';
  }
  return quote;
}

function isCommandName(key: string, source: string): UsageError {
  return new UsageError(
    `Expected the shell expression \`${cut(source)}\` to name its command, and \`{{${key}}}\` stands where the command's name does: a value is never run. Write the command into the prompt file.`,
  );
}

function holdsNul(key: string, source: string): UsageError {
  return new UsageError(
    `Expected the prompt argument \`${key}\` to hold no NUL character: it is used in the shell expression \`${cut(source)}\`. Take it out.`,
  );
}
