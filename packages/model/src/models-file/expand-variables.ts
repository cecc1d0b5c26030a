/** Expansion of `$NAME` and `${NAME}` in manifest strings. Pure. */

/** Variables by name, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/gu;

/** Expands variables. `$$` is a literal `$`. An empty variable counts as unset. */
export function expandVariables(
  text: string,
  env: Variables,
): { readonly value: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const value = text.replaceAll(VARIABLE, (whole, bare?: string, braced?: string) => {
    const name = bare ?? braced;
    if (name === undefined) return '$';
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found !== undefined && found !== '') return found;
    if (!missing.includes(name)) missing.push(name);
    return whole;
  });
  return { value, missing };
}
