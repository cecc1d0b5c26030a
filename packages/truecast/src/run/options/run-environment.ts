/**
 * Environment variables of a run's agent: only those that the caller names, never the host's whole
 * environment.
 */
import { assertBaseUrlSources } from './base-url-sources.ts';
import { isEnvFileIgnored, readEnvFile } from './env-file.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { sandcastleWarnings } from './sandcastle-folder.ts';
import { splitHostVariables } from './host-variables.ts';
import { traceVariables } from './trace-variables.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Environment of a run, by use. */
export interface RunEnvironment {
  /** For every command in the sandbox. */
  readonly inside: Readonly<Record<string, string>>;
  /** For the agent's provider on the host: the process's environment, overridden by declared variables. */
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly warnings: readonly string[];
}

/** Sources of an environment. */
export interface EnvironmentSources {
  readonly sandbox: Pick<SandboxProvider, 'env' | 'tag'>;
  readonly agent?: { readonly env: Readonly<Record<string, string>> };
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Merges `.truecast/.env`, the sandbox's `env`, the agent's and the run's. Later ones take
 * precedence.
 *
 * Variables of the file that steer programs of the host reach commands in a sandbox only.
 * A key that the file declares with an empty value is copied from the process's environment.
 * Undeclared keys are not passed on, except those of the process's trace.
 *
 * @throws RepositoryError `untrusted-env-file`, `unsafe-path`; UsageError `base-url-source`
 */
export async function resolveEnvironment(
  { sandbox, agent, env }: EnvironmentSources,
  repository: Repository,
): Promise<RunEnvironment> {
  const program = { ...sandbox.env, ...agent?.env, ...env };
  const declared = await readEnvFile(repository);
  const left = await sandcastleWarnings(repository, { hasEnvFile: declared !== undefined });
  if (declared === undefined)
    return {
      inside: { ...traceVariables(process.env, program), ...program },
      host: { ...process.env, ...program },
      warnings: left,
    };
  const written = Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== ''));
  assertBaseUrlSources({ program, file: written, process: process.env });
  const { plain, steering } = splitHostVariables(written);
  const inherited = inheritedFrom(Object.keys(declared).filter((name) => !Object.hasOwn(written, name)));
  const trace = traceVariables(process.env, { ...declared, ...program });
  const isOnHost = sandbox.tag === 'none';
  const warnings = [
    ...left,
    ...((await isEnvFileIgnored(repository)) ? [] : [NOT_IGNORED]),
    ...(isOnHost ? leftOut(Object.keys(steering).filter((name) => !Object.hasOwn(program, name))) : []),
  ];
  return {
    inside: { ...trace, ...inherited, ...plain, ...(!isOnHost && steering), ...program },
    host: { ...process.env, ...plain, ...program },
    warnings,
  };
}

function inheritedFrom(names: readonly string[]): Readonly<Record<string, string>> {
  const entries = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const NOT_IGNORED =
  'env-file-not-ignored: Git does not ignore `.truecast/.env`, so `git add -A` would commit its keys. Add the line `.env` to `.truecast/.gitignore`.';

function leftOut(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => `\`${name}\``).join(', ');
  return [
    `env-file-host-variable: ${shown} of \`.truecast/.env\` would affect programs on this host and ${names.length === 1 ? 'was' : 'were'} ignored. Set ${names.length === 1 ? 'it' : 'them'} in the environment of the process or in \`env\`, or use a sandbox.`,
  ];
}
