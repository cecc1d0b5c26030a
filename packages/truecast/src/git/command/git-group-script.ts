/** Shell script that starts the calls of a group, and prints their exit codes. Pure. */
import { quoteArgument } from '../../support/shell-quote.ts';
import { gitCommand, memoryLimit, type GitOptions } from './git.ts';

export interface GroupedCall {
  /** Lowercase letters and digits. */
  readonly name: string;
  readonly args: readonly string[];
  readonly options: Omit<GitOptions, 'input'>;
  /** True if its stdout is returned. @default false */
  readonly hasOutput?: boolean;
  /**
   * True if the shell appends the first line of the input to the arguments, and starts git only
   * then. Without a line it does not start git. @default false
   */
  readonly takesArgument?: boolean;
}

/**
 * File descriptor of the first call's input. A POSIX shell redirects only one digit, so a group has
 * at most seven calls.
 */
export const FIRST_INPUT = 3;

/** File that collects stderr of all calls. */
export const ERRORS_FILE = 'git-errors';

/** Returns the name of the file with a call's stdout. */
export function outputFile(name: string): string {
  return `git-${name}`;
}

/**
 * Returns the script and its environment. It writes files to the folder in its first argument, and
 * prints `<name> <exit code>` when a call has ended.
 *
 * Each call has its input at its own descriptor, and inherits none of the others.
 */
export function groupScript(calls: readonly GroupedCall[]): {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
} {
  const closeAll = calls.map((_, index) => `${FIRST_INPUT + index}<&-`).join(' ');
  const commands = calls.map((call) => ({ ...call, ...gitCommand(call.args, call.options) }));
  const env = commands[0]?.env ?? {};
  const starts = commands.map((call, index) => {
    const output = call.hasOutput === true ? `"$1/${outputFile(call.name)}"` : '/dev/null';
    const line = call.args.map(quoteArgument).join(' ');
    const run =
      call.takesArgument === true
        ? `read -r TRUECAST_ARGUMENT && git ${line} "$TRUECAST_ARGUMENT"`
        : `git ${line}`;
    const steps = [
      ...changedVariables(env, call.env),
      `${memoryLimit(call.options)}cd ${quoteArgument(call.options.cwd)} &&`,
      `${run}; } <&${FIRST_INPUT + index} >${output} 2>>"$1/${ERRORS_FILE}" ${closeAll}`,
      `echo "${call.name} $?" ) &`,
    ];
    return `( { ${steps.join('\n')}`;
  });
  return { script: [`: >"$1/${ERRORS_FILE}"`, ...starts, `exec ${closeAll}`, 'wait'].join('\n'), env };
}

/** Returns the commands that turn one environment into another. */
function changedVariables(
  from: Readonly<Record<string, string>>,
  to: Readonly<Record<string, string>>,
): readonly string[] {
  const removed = Object.keys(from).filter((name) => !(name in to));
  const changed = Object.entries(to).filter(([name, value]) => from[name] !== value);
  return [
    ...removed.map((name) => `unset ${name}`),
    ...changed.map(([name, value]) => `export ${name}=${quoteArgument(value)}`),
  ];
}
