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

/** Returns the names of variables in a text, each once. */
export function namesIn(text: string): readonly string[] {
  const names = [...text.matchAll(VARIABLE)].map(([, bare, braced]) => bare ?? braced);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns the name of the variable that is the whole text. */
export function onlyNameIn(text: string): string | undefined {
  const match = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/u.exec(text.trim());
  return match?.[1] ?? match?.[2];
}
