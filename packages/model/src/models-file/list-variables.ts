/** Variables in `models.yaml`: their expansion, and the addresses that get their values. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { type ModelEntry, MODELS_FILE } from './model-entry.ts';

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

export interface NamedVariables {
  /** Group and name, such as `profiles.fast`. */
  readonly model: string;
  /** The address in the file. If the file has none, the provider's own address gets the values. */
  readonly address: string;
  readonly names: readonly string[];
}

/** Returns the models that use variables. @throws UsageError for a value that is not a file of models */
export function listVariables(value: unknown, file: string): readonly NamedVariables[] {
  const parsed = MODELS_FILE.safeParse(value);
  if (!parsed.success) {
    throw new UsageError(
      `Expected \`${file}\` to be a file of models, got other content: ${parsed.error.issues[0]?.message ?? 'it is empty'}. Only such files can be allowed.`,
    );
  }
  const groups = Object.entries({ profiles: parsed.data.profiles, endpoints: parsed.data.endpoints });
  return groups
    .flatMap(([group, models]) =>
      Object.entries(models).map(([name, entry]) => of(`${group}.${name}`, entry)),
    )
    .filter(({ names }) => names.length > 0);
}

function of(model: string, { provider, endpoint, api_key: apiKey }: ModelEntry): NamedVariables {
  // Without a key in the file, the provider's own one is sent.
  const own = KEY_VARIABLES[provider];
  const key = apiKey === undefined ? (own === undefined ? [] : [own]) : namesIn(apiKey);
  return {
    model,
    address: endpoint ?? `the address of ${provider}`,
    names: [...new Set([...namesIn(endpoint ?? ''), ...key])],
  };
}

/** Variable of each provider's key. */
export const KEY_VARIABLES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};
