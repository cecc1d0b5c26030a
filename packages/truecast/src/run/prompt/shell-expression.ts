/**
 * Safe substitution of values into a shell command: values are never parsed as shell code. Pure.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ExpressionPart } from './prompt-template.ts';
import { positionAtEnd, type Quote, PLAIN, riskOf } from './value-risk.ts';

/**
 * Builds the command line of an expression.
 *
 * A value that is not a plain word is assigned to a shell variable before the command. A shell does
 * not parse the value of a variable again, whatever quotes, here-documents or substitutions
 * surround it. The quotes in the file only determine the form of the reference. An error there
 * could split a value into words, but never execute it.
 *
 * @throws UsageError if a value is in the position of a command name, could be executed by a program
 *   of the expression, is in the position of an option, or contains a NUL
 */
export function buildCommand({ parts, source }: ExpressionPart, valueOf: (key: string) => string): string {
  const assignments: string[] = [];
  let command = '';
  for (const part of parts) {
    if (part.type === 'text') {
      command += part.text;
      continue;
    }
    const value = valueOf(part.key);
    const { quote, simpleCommand } = positionAtEnd(command);
    const risk = riskOf({ value, before: command, simpleCommand, source });
    if (risk !== undefined) throw REFUSALS[risk](part.key, source);
    if (value.includes('\0')) throw holdsNul(part.key, source);
    if (PLAIN.test(value)) {
      command += value;
      continue;
    }
    const name = `truecast_${assignments.length}`;
    assignments.push(`${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
    command += REFERENCES[quote](name);
  }
  return assignments.join('') + command;
}

const REFERENCES = {
  none: (name) => `"\${${name}}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
} as const satisfies Record<Quote, (name: string) => string>;

const REFUSALS = {
  command: (key, source) =>
    new UsageError(
      `The prompt argument \`{{${key}}}\` is in the position of a command name in the shell expression \`${cut(source)}\`. A value is never executed. Write the command into the prompt file.`,
    ),
  code: (key, source) =>
    new UsageError(
      `The prompt argument \`${key}\` has characters other than letters, digits and \`_./:@-\`, and the shell expression \`${cut(source)}\` starts a program that can execute parts of its arguments. Write the command into a script of the repository, and pass the value to it as an argument.`,
    ),
  option: (key, source) =>
    new UsageError(
      `The prompt argument \`${key}\` begins with \`-\`, so the command in the shell expression \`${cut(source)}\` would read it as an option. Write \`--\` before \`{{${key}}}\`, or \`--name={{${key}}}\`.`,
    ),
} as const satisfies Record<string, (key: string, source: string) => UsageError>;

function holdsNul(key: string, source: string): UsageError {
  return new UsageError(
    `Expected the prompt argument \`${key}\` to contain no NUL character: it is used in the shell expression \`${cut(source)}\`. Remove the character.`,
  );
}
