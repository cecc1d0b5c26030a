/** Unset variables: the environment that an adapter needs, below the one of its caller. Pure. */

/** Returns the variables that the caller has not set. */
export function unsetVariables(
  variables: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !Object.hasOwn(own, name)));
}
