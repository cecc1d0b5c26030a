/**
 * Environment variables of a run's agent: only those that the caller names, never the host's whole
 * environment.
 */
import { assertBaseUrlSources } from './base-url-sources.ts';
import { isEnvFileIgnored, readEnvFile } from './env-file.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface RunEnvironment {
  /** For every command in the sandbox. */
  readonly inside: Readonly<Record<string, string>>;
  /** For the agent's provider on the host: the process's environment, overridden by declared variables. */
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly warnings: readonly string[];
}

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
  if (declared === undefined) {
    return {
      inside: { ...traceVariables(process.env, program), ...program },
      host: { ...process.env, ...program },
      warnings: left,
    };
  }
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

/** Loaders, interpreters, git, certificates and proxies. Windows ignores the case of names. */
const HOST_VARIABLE =
  /^(?:PATH|HOME|ENV|BASH_ENV|SHELLOPTS|(?:LD|DYLD|GIT)_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|SSH_ASKPASS|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|SSL_CERT_.*|.*_PROXY)$/iu;

/** Variables of a file, split by use. */
export interface SplitVariables {
  /** Safe for programs of the host. */
  readonly plain: Readonly<Record<string, string>>;
  /** Only for programs in a sandbox. */
  readonly steering: Readonly<Record<string, string>>;
}

/** Separates the variables that host programs must not receive from a repository's file. */
function splitHostVariables(values: Readonly<Record<string, string>>): SplitVariables {
  const entries = Object.entries(values);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !HOST_VARIABLE.test(name))),
    steering: Object.fromEntries(entries.filter(([name]) => HOST_VARIABLE.test(name))),
  };
}

const FOLDER = '.sandcastle';

/**
 * Lists the unused contents of the folder: keys, if `.truecast/.env` is missing, and worktrees that
 * keep their branches in use. Only names are listed, and links are not followed.
 */
async function sandcastleWarnings(
  { topLevel }: Repository,
  { hasEnvFile }: { readonly hasEnvFile: boolean },
): Promise<readonly string[]> {
  const folder = join(topLevel, FOLDER);
  if ((await kindOf(folder)) !== 'folder') return [];
  const worktrees = join(folder, 'worktrees');
  const kept = (await kindOf(worktrees)) === 'folder' ? await readdir(worktrees).catch(() => []) : [];
  return [
    ...(!hasEnvFile && (await kindOf(join(folder, '.env'))) === 'file' ? [KEYS_NOT_READ] : []),
    ...(kept.length > 0 ? [worktreesKept(kept.length)] : []),
  ];
}

const KEYS_NOT_READ =
  'sandcastle-env-file: `.sandcastle/.env` is not read, so its keys are missing. Run `truecast init --from-sandcastle`, or copy the keys to `.truecast/.env`.';

function worktreesKept(count: number): string {
  const many = count === 1 ? 'has 1 entry' : `has ${count} entries`;
  return `sandcastle-worktrees: \`.sandcastle/worktrees\` ${many}. A worktree there keeps its branch in use. List them with \`git worktree list\`, and remove each with \`git worktree remove\`.`;
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) return 'folder';
  return stats?.isFile() === true ? 'file' : undefined;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/u;
/** Limits of W3C Trace Context: at most 512 printable characters. */
const TRACESTATE = /^[\u0020-\u007E]{1,512}$/u;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the W3C `TRACEPARENT` of a process, with its `TRACESTATE`. Empty for an invalid one, and if
 * `declared` has its own trace.
 */
export function traceVariables(
  process: Environment,
  declared: Environment,
): Readonly<Record<string, string>> {
  const { TRACEPARENT: parent = '', TRACESTATE: state = '' } = process;
  if (Object.hasOwn(declared, 'TRACEPARENT') || !TRACEPARENT.test(parent)) return {};
  return { TRACEPARENT: parent, ...(TRACESTATE.test(state) && { TRACESTATE: state }) };
}
