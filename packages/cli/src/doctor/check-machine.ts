/** Tests of this machine: each capability is tried, and a missing one comes with its fix. */
import { runProgram } from 'truecast/internal/process/run-program';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { FOUND_AGENTS, MODEL_KEYS, type AgentEntry } from 'truecast/internal/agents/registry/agents';
import { hostSearchPath } from 'truecast/internal/support/search-path';
import { findProgram } from 'truecast/internal/run/prepare/find-program';
import type { EngineName } from 'truecast/internal/sandboxes/containers/container-engine';
import { probeEngine } from 'truecast/internal/sandboxes/containers/probe-engine';
import {
  readEngineLimits,
  unenforcedContainerLimits,
} from 'truecast/internal/sandboxes/containers/container-limits';
import { hasControlGroups } from 'truecast/internal/sandboxes/bubblewrap/control-group';
import { unenforcedLimits } from 'truecast/internal/sandboxes/bubblewrap/limits';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';
import { CONTAINER_SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { imageOf } from '../flags/choose-sandbox.ts';
import { checkProxies } from './check-proxies.ts';

export interface DoctorResult {
  readonly name: string;
  readonly works: boolean;
  /** Its version, or the suggested fix. */
  readonly detail: string;
  /** A few words instead of the detail, for the short report. */
  readonly brief?: string;
  readonly group: DoctorGroup;
}

/** Part of the report. Only tests of the group `needed` must pass. */
export type DoctorGroup = 'needed' | 'sandbox' | 'agent' | 'key' | 'network' | 'egress';

const MIN_GIT = [2, 31] as const;
/** All agents are started at once. On two slow cores, one of them needs 10 seconds. */
const VERSION_TIMEOUT_MS = 60_000;

/** Tests everything that a run needs. */
export async function checkMachine(): Promise<readonly DoctorResult[]> {
  const checked = await Promise.all([
    checkNode(),
    checkGit(),
    checkBubblewrap(),
    ...CONTAINER_SANDBOXES.map(({ engine }) => checkEngine(engine)),
    ...FOUND_AGENTS.map((entry) => checkAgent(entry)),
  ]);
  const proxies = checkProxies();
  const network: DoctorResult[] =
    proxies === undefined ? [] : [{ name: 'proxy', group: 'network', ...proxies }];
  return [...checked, checkKeys(), ...network, EGRESS_FINDING];
}

/** Agents with their own login need no key. */
function checkKeys(): DoctorResult {
  const set = MODEL_KEYS.filter(isSet);
  const detail =
    set.length > 0 ? set.join(', ') : `none set (${MODEL_KEYS.join(', ')}); agents can use their own login`;
  return { name: 'API keys', works: set.length > 0, detail, group: 'key' };
}

function checkNode(): Promise<DoctorResult> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const works = major > 22 || (major === 22 && minor >= 18);
  return Promise.resolve({
    name: 'node',
    group: 'needed',
    works,
    detail: works ? process.version : `${process.version}; install 22.18 or later`,
  });
}

async function checkGit(): Promise<DoctorResult> {
  const version = await versionOf('git');
  const [major = 0, minor = 0] = (/\d+\.\d+/u.exec(version ?? '')?.[0] ?? '').split('.').map(Number);
  const works = major > MIN_GIT[0] || (major === MIN_GIT[0] && minor >= MIN_GIT[1]);
  return {
    name: 'git',
    group: 'needed',
    works,
    ...(works && { brief: version?.replace('git version ', '') ?? '' }),
    detail: works ? (version ?? '') : `${version ?? 'not found'}; install git ${MIN_GIT.join('.')} or later`,
  };
}

async function checkBubblewrap(): Promise<DoctorResult> {
  const probe = await probeBubblewrap();
  const unenforced = unenforcedLimits(await hasControlGroups());
  return {
    name: 'bubblewrap',
    group: 'sandbox',
    works: probe.works,
    detail: probe.works ? `starts; the default sandbox${describeUnenforced(unenforced)}` : probe.reason,
  };
}

function describeUnenforced(limits: readonly string[]): string {
  return limits.length === 0 ? '' : `; limits not enforced: ${limits.join(', ')}`;
}

async function checkEngine(engine: EngineName): Promise<DoctorResult> {
  const image = await imageOf(process.cwd());
  const probe = await probeEngine(engine, image);
  if (probe.works) {
    const unenforced = unenforcedContainerLimits(await readEngineLimits(engine));
    const detail = `${probe.version}; starts \`${image}\`${describeUnenforced(unenforced)}`;
    return { name: engine, group: 'sandbox', works: true, detail };
  }
  const answers = probe.version === undefined ? '' : `${probe.version} responds. `;
  const brief =
    probe.version === undefined
      ? 'not running, or not installed'
      : `no image yet: truecast ${engine} build-image`;
  return { name: engine, group: 'sandbox', works: false, brief, detail: `${answers}${probe.reason}` };
}

function isSet(name: string): boolean {
  return (process.env[name] ?? '') !== '';
}

async function checkAgent({ make, keys }: AgentEntry): Promise<DoctorResult> {
  const agent = make();
  const program = agent.program ?? agent.name;
  const found = await findProgram(program, process.env['PATH'] ?? '');
  if (found === undefined) {
    return {
      name: agent.name,
      group: 'agent',
      works: false,
      brief: agent.installHint ?? 'not installed',
      detail: `\`${program}\` is not on the PATH; install it: ${agent.installHint ?? ''}`,
    };
  }
  const isOutside = (await findProgram(program, hostSearchPath())) !== undefined;
  const version = isOutside
    ? ((await versionOf(program)) ?? 'does not respond to --version')
    : `${found.path}, a file of this checkout, which is not started here`;
  return {
    name: agent.name,
    group: 'agent',
    works: true,
    brief: version,
    detail: `${version}; ${describeDefaultEgress(agent, keys)}`,
  };
}

function describeDefaultEgress(agent: AgentProvider, keys: readonly string[]): string {
  if (agent.modelAccess?.(process.env) !== undefined) {
    return 'its key can stay outside the sandbox (`--egress model`, the default)';
  }
  const hosts = agent.hosts?.(process.env);
  // Only an agent whose key the proxy adds has `modelAccess`.
  const key = agent.modelAccess === undefined ? keys.find(isSet) : undefined;
  if (key !== undefined) {
    return `in a sandbox it has \`${key}\` only if \`.truecast/.env\` names it; ${describeHosts(hosts)}`;
  }
  return hosts === undefined
    ? `none of ${keys.join(', ')} in the environment; ${describeHosts(hosts)}`
    : `no key in the environment: with the agent's own login, ${describeHosts(hosts)}`;
}

function describeHosts(hosts: readonly string[] | undefined): string {
  return hosts === undefined
    ? 'its hosts are unknown: pass `--egress allow=HOST,HOST`'
    : `the sandbox reaches ${hosts.join(', ')} (the default)`;
}

/** Always listed, because sandboxes differ in egress control. */
const EGRESS_FINDING: DoctorResult = {
  name: 'egress',
  group: 'egress',
  works: true,
  detail:
    'bubblewrap, docker and podman enforce `--egress`, and are closed by default; `--sandbox none`, remote and custom sandboxes cannot enforce it',
};

async function versionOf(program: string): Promise<string | undefined> {
  const { stdout, exitCode } = await runProgram(program, ['--version'], {
    timeoutMs: VERSION_TIMEOUT_MS,
    needsWindowsShell: true,
  });
  return exitCode === 0 ? stdout.split('\n')[0] : undefined;
}
