/** Main argument of a tool call, for one line of a display. Pure. */

/** Names of the most informative argument of a call, most informative first. */
const MAIN_ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'path',
  'query',
  'url',
  'pattern',
  'description',
] as const;

/** Returns the most informative argument of a tool call, else its whole input as JSON. */
export function mainArgument(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input === 'object' && input !== null) {
    const values: Readonly<Record<string, unknown>> = { ...input };
    for (const name of MAIN_ARGUMENTS) {
      const value = values[name];
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(input) ?? '';
}
