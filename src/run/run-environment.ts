/** Owns which environment variables a run's agent sees: those that the caller names, never the host's as a whole. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** The environment of a run, by where it is used. */
export interface RunEnvironment {
  /** For every command in the sandbox. */
  readonly inside: Readonly<Record<string, string>>;
  /** What the agent's provider may look at on the host: the process's own, with `inside` over it. */
  readonly host: Readonly<Record<string, string | undefined>>;
}

/** Who adds to an environment. */
export interface EnvironmentSources {
  readonly sandbox: { readonly env: Readonly<Record<string, string>> };
  readonly agent?: { readonly env: Readonly<Record<string, string>> };
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Merges `.truecast/.env`, the sandbox's `env`, the agent's and the run's, the later ones winning.
 *
 * A key that the file declares with an empty value is taken from the process's environment; keys that nothing declares stay outside.
 */
export async function resolveEnvironment(
  { sandbox, agent, env }: EnvironmentSources,
  topLevel: string,
): Promise<RunEnvironment> {
  const declared = await readEnvFile(join(topLevel, '.truecast', '.env'));
  const fromFile = Object.entries(declared).map(
    ([key, value]) => [key, value === '' ? process.env[key] : value] as const,
  );
  const inside = {
    ...Object.fromEntries(fromFile.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    ...sandbox.env,
    ...agent?.env,
    ...env,
  };
  return { inside, host: { ...process.env, ...inside } };
}

async function readEnvFile(path: string): Promise<Record<string, string>> {
  try {
    const parsed = parseEnv(await readFile(path, 'utf8'));
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
