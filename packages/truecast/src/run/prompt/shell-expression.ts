/**
 * Safe substitution of values into a shell command: values are never parsed as shell code. Pure.
 */
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ExpressionPart } from './prompt-template.ts';

/** Words without a special meaning in any position of a command, including nested shells. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./:@-]*$/u;

/** After one of these, the next word is a command. */
const BEFORE_COMMAND = /(?:^|[;&|({\n]|\b(?:then|do|else|eval|exec|if|while|until)\b|!)\s*["']?$/u;

/**
 * Builds the command line of an expression.
 *
 * A value that is not a plain word is assigned to a shell variable before the command. A shell does
 * not parse the value of a variable again, whatever quotes, here-documents or substitutions
 * surround it. The quotes in the file only determine the form of the reference. An error there
 * could split a value into words, but never execute it.
 *
 * @throws UsageError if a value is in the position of the command name, or contains a NUL
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

/** Returns the quoting state at the end of a command. A `$(` begins a nested command. */
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
    `The prompt argument \`{{${key}}}\` is in the position of a command name in the shell expression \`${cut(source)}\`. A value is never executed. Write the command into the prompt file.`,
  );
}

function holdsNul(key: string, source: string): UsageError {
  return new UsageError(
    `Expected the prompt argument \`${key}\` to contain no NUL character: it is used in the shell expression \`${cut(source)}\`. Remove the character.`,
  );
}
