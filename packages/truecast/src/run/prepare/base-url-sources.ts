/** Check that a base URL comes from the same source as the key that is sent to it. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { BASE_URL_NAMES, type BaseUrlName } from '../../agents/base-url-names.ts';

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Values of an environment by source. The program's values take precedence over the file's, and
 * those over the process's.
 */
export interface EnvironmentValues {
  /** `env` options of the program that starts the run. */
  readonly program: Values;
  /** `.truecast/.env`, without names that it declares with an empty value. */
  readonly file: Values;
  readonly process: Values;
}

type Source = keyof EnvironmentValues;

const SOURCES: readonly Source[] = ['program', 'file', 'process'];
const SHOWN: Readonly<Record<Source, string>> = {
  program: 'the `env` of the program',
  file: '`.truecast/.env`',
  process: 'the environment of the process',
};

/**
 * Rejects a base URL that would receive a key from another source. The author of the URL must own
 * the key.
 *
 * A program's own `env` is trusted with any key, because its author wrote the call.
 *
 * @throws UsageError `base-url-source`
 */
export function assertBaseUrlSources(values: EnvironmentValues): void {
  for (const known of [...BASE_URL_NAMES, ...otherNames(values)]) {
    const urlSource = sourceOf(values, known.name);
    if (urlSource === undefined || urlSource === 'program') continue;
    const keys = known.keys.flatMap((key) => {
      const source = sourceOf(values, key);
      return source === undefined ? [] : [{ key, source }];
    });
    const foreign = keys.find(({ source }) => isForeign(urlSource, source));
    if (foreign !== undefined) throw refusal(known.name, urlSource, foreign);
    if (urlSource === 'file' && keys.length === 0 && known.sendsStoredLogin) throw withoutKey(known);
  }
}

/**
 * A program's key can go to a URL of the process's environment: both belong to the user who starts
 * it.
 */
function isForeign(urlSource: Source, keySource: Source): boolean {
  return urlSource === 'file' ? keySource !== 'file' : keySource === 'file';
}

function sourceOf(values: EnvironmentValues, name: string): Source | undefined {
  const source = SOURCES.find((one) => values[one][name] !== undefined);
  // An empty value in a program unsets the variable.
  return source !== undefined && values[source][name] !== '' ? source : undefined;
}

/** Services that are in no list: `X_BASE_URL` with `X_API_KEY`. */
function otherNames({ file }: EnvironmentValues): BaseUrlName[] {
  return Object.keys(file).flatMap((name) => {
    const service = /^(.+)_(?:BASE_URL|API_BASE|API_URL|ENDPOINT)$/u.exec(name)?.[1];
    if (service === undefined || BASE_URL_NAMES.some((known) => known.name === name)) return [];
    return [{ name, keys: [`${service}_API_KEY`, `${service}_TOKEN`], sendsStoredLogin: false }];
  });
}

function refusal(
  name: string,
  urlSource: Source,
  { key, source }: { readonly key: string; readonly source: Source },
): UsageError {
  return new UsageError(
    `Expected \`${name}\` and \`${key}\` to come from one source, got ${SHOWN[urlSource]} and ${SHOWN[source]}. The key would be sent to an address that its owner did not choose. Put both into ${SHOWN.file}, or set both in ${SHOWN.process}.`,
    { code: 'base-url-source' },
  );
}

function withoutKey({ name, keys }: BaseUrlName): UsageError {
  return new UsageError(
    `Expected \`${SHOWN.file}\` to contain a key next to \`${name}\`, got none. The agent's stored login would be sent to that address. Add ${keys.map((key) => `\`${key}\``).join(' or ')} to the file (any value, if the service needs no key), or set \`${name}\` in ${SHOWN.process}.`.replaceAll(
      '``',
      '`',
    ),
    { code: 'base-url-source' },
  );
}
