/** Risk of a value in a shell expression: positions in which a program could execute it, or take it for an option. Pure. */

export type Quote = 'none' | 'double' | 'single';

/** Where the next character of a shell text is. */
interface ShellPosition {
  readonly quote: Quote;
  /** Text of the simple command so far, without the commands before it. */
  readonly simpleCommand: string;
}

/** Characters outside of quotes that begin the next simple command. */
const SEPARATORS = new Set(';&|(\n');

/** Returns the position at the end of a command. A `$(` begins a nested command. */
export function positionAtEnd(command: string): ShellPosition {
  const outer: { readonly quote: Quote; readonly start: number }[] = [];
  let quote: Quote = 'none';
  let start = 0;
  for (let index = 0; index < command.length; index += 1) {
    const char = command[index] ?? '';
    if (quote === 'single') {
      if (char === "'") quote = 'none';
    } else if (char === '\\') index += 1;
    else if (char === '$' && command[index + 1] === '(') {
      outer.push({ quote, start });
      quote = 'none';
      index += 1;
      start = index + 1;
    } else if (char === '"') quote = quote === 'double' ? 'none' : 'double';
    else if (quote === 'none' && char === "'") quote = 'single';
    else if (quote === 'none' && char === ')') ({ quote, start } = outer.pop() ?? { quote: 'none', start });
    else if (quote === 'none' && SEPARATORS.has(char)) start = index + 1;
  }
  return { quote, simpleCommand: command.slice(start) };
}

/** Words without a special meaning in any position of a command, including nested shells. */
export const PLAIN: RegExp = /^[A-Za-z0-9_][A-Za-z0-9_./:@-]*$/u;

/** A number is no option that an attacker can use. */
const OPTION = /^-(?![\d.]+$)/u;

/** Names as an alternative of a pattern. */
const anyOf = (names: string): string => `(?:${names.replaceAll(' ', '|')})`;

const SHELLS = anyOf('sh bash dash ash zsh ksh mksh fish csh tcsh');
const LANGUAGES = anyOf('python[\\d.]* perl node deno bun ruby php lua tclsh osascript');
/** Run their arguments or their input as code, in every position of an expression: pipes lead there. */
const RUNNERS = anyOf('eval source xargs parallel ssh su busybox');
/** Run their arguments as code, but not their input. */
const SCRIPTED = anyOf('[gmn]?awk sed watch make trap');
/** Start the program that their arguments name. */
const STARTERS = anyOf(
  'env nohup nice time timeout setsid stdbuf ionice chrt sudo doas exec command builtin',
);
const KEYWORDS = anyOf('then do else if while until !');
/** These only print or compare. */
const HARMLESS = anyOf('echo printf : true test \\[ \\[\\[');

const PATH = String.raw`(?:\S*/)?`;
const ASSIGNMENT = String.raw`\w+=\S*`;
/** An option, also with a value as the next word, an assignment, or a number. */
const PREFIX = String.raw`(?:-[a-zA-Z]\s+\w+|-\S*|${ASSIGNMENT}|[\d.]+[smhd]?)`;
const BEGIN = String.raw`^\s*["']?`;
const BEFORE_NAME = String.raw`(?:^|[\s;&|({"'/])`;

/** After one of these, the next word is a command. */
const BEFORE_COMMAND = /(?:^|[;&|({\n]|\b(?:then|do|else|eval|exec|if|while|until)\b|!)\s*["']?$/u;
const COMMAND_POSITION = new RegExp(
  String.raw`${BEGIN}(?:(?:${ASSIGNMENT}|\.|${KEYWORDS}|${PATH}(?:${SHELLS}|${RUNNERS}|watch|${STARTERS})(?:\s+${PREFIX})*)\s+)*["']*$`,
  'u',
);
const AFTER_EXEC = /\s-(?:exec|ok)(?:dir)?\s+["']*$/u;
/** A script that an interpreter runs, for example `node scripts/find.js`: what follows are its arguments. */
const SCRIPT_CALL = new RegExp(
  String.raw`${BEFORE_NAME}(?:${SHELLS}|${LANGUAGES})\s+(?:run\s+)?(?:[\w@.-]*[./][\w./@-]*|-m\s+\w+|--test)(?=\s|$)`,
  'gu',
);
const named = (names: string): RegExp => new RegExp(String.raw`${BEFORE_NAME}${names}(?=[\s"';)]|$)`, 'u');
const RUNS_ANYTHING = named(`(?:${SHELLS}|${LANGUAGES}|${RUNNERS})`);
const RUNS_ARGUMENTS = named(`(?:${SCRIPTED}|env\\s.*(?:-\\w*S|--split-string))`);
const IS_HARMLESS = new RegExp(String.raw`${BEGIN}(?:${ASSIGNMENT}\s+)*${HARMLESS}\s`, 'u');

interface PlacedValue extends Pick<ShellPosition, 'simpleCommand'> {
  readonly value: string;
  /** The whole expression before the value. */
  readonly before: string;
  /** The expression as written in the file. */
  readonly source: string;
}

/** Returns the risk of a value in its place, or undefined. */
export function riskOf(placed: PlacedValue): 'command' | 'code' | 'option' | undefined {
  const { value, before, simpleCommand, source } = placed;
  if ([BEFORE_COMMAND, AFTER_EXEC].some((one) => one.test(before)) || COMMAND_POSITION.test(simpleCommand)) {
    return 'command';
  }
  if (PLAIN.test(value) || value === '') return undefined;
  if (RUNS_ANYTHING.test(source.replace(SCRIPT_CALL, ' ')) || RUNS_ARGUMENTS.test(simpleCommand)) {
    return 'code';
  }
  return OPTION.test(value) && beginsWord(simpleCommand) ? 'option' : undefined;
}

/** A word after `--` or a redirection is not an option. */
function beginsWord(simpleCommand: string): boolean {
  return (
    /[\s(]["']*$/u.test(simpleCommand) &&
    !/(?:\s--\s|[<>]\s*["']*$)/u.test(simpleCommand) &&
    !IS_HARMLESS.test(simpleCommand)
  );
}
