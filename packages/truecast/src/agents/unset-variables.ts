/** Unset variables: the environment that an adapter needs, below that of the caller. Pure. */

/**
 * Without it, Gemini CLI loads itself twice: a first process only starts a second one with a larger heap. An
 * interactive session keeps the first, which restarts the second after a login.
 */
export const ONE_PROCESS: Readonly<Record<string, string>> = { GEMINI_CLI_NO_RELAUNCH: 'true' };

/** Returns the variables that the caller has not set. */
export function unsetVariables(
  variables: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !Object.hasOwn(own, name)));
}
