/** Shell position: the quotes and the simple command at the end of a shell text. Pure. */

/** Quoting state. */
export type Quote = 'none' | 'double' | 'single';

/** Where the next character of a shell text is. */
export interface ShellPosition {
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
