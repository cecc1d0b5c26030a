/** Owns `truecast doctor`: what this machine has, found out by trying it, and what to do about what is missing. */
import { execa } from 'execa';
import type { AgentProvider } from '../run/agents/agent-provider.ts';
import { AGENT_MAKERS } from '../run/agents/make-agent.ts';
import { findProgram } from '../run/find-program.ts';
import type { EngineName } from '../run/sandboxes/containers/container-engine.ts';
import { probeEngine } from '../run/sandboxes/containers/probe-engine.ts';
import { probeBubblewrap } from '../run/sandboxes/probe.ts';
import { imageOf } from './choose-sandbox.ts';
import { printResult, tell, type Terminal } from './print.ts';

/** One thing that was tried. */
export interface Finding {
  readonly name: string;
  readonly works: boolean;
  /** Its version, or what to do. */
  readonly detail: string;
}

const MIN_GIT = [2, 31] as const;
const VERSION_TIMEOUT_MS = 10_000;

/** Tries everything that a run needs. The command fails only where no agent could be run at all: git is missing. */
export async function doctorCommand(
  { json }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const findings = await Promise.all([
    checkNode(),
    checkGit(),
    checkBubblewrap(),
    checkEngine('docker'),
    checkEngine('podman'),
    ...Object.values(AGENT_MAKERS).map((make) => checkAgent(make(undefined))),
  ]);
  if (json === true) await printResult({ findings }, terminal);
  else
    for (const { name, works, detail } of findings) tell(`${works ? '✓' : '✗'} ${name}: ${detail}`, terminal);
  if (findings.some(({ name, works }) => !works && REQUIRED.includes(name))) process.exitCode = 1;
}

const REQUIRED: readonly string[] = ['node', 'git'];

function checkNode(): Promise<Finding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const works = major > 22 || (major === 22 && minor >= 18);
  return Promise.resolve({
    name: 'node',
    works,
    detail: works ? process.version : `${process.version}; install 22.18 or later`,
  });
}

async function checkGit(): Promise<Finding> {
  const version = await versionOf('git');
  const [major = 0, minor = 0] = (/\d+\.\d+/u.exec(version ?? '')?.[0] ?? '').split('.').map(Number);
  const works = major > MIN_GIT[0] || (major === MIN_GIT[0] && minor >= MIN_GIT[1]);
  return {
    name: 'git',
    works,
    detail: works ? (version ?? '') : `${version ?? 'not found'}; install git ${MIN_GIT.join('.')} or later`,
  };
}

async function checkBubblewrap(): Promise<Finding> {
  const probe = await probeBubblewrap();
  return {
    name: 'bubblewrap',
    works: probe.works,
    detail: probe.works ? 'starts; the default sandbox' : probe.reason,
  };
}

async function checkEngine(engine: EngineName): Promise<Finding> {
  const image = await imageOf(process.cwd());
  const probe = await probeEngine(engine, image);
  if (probe.works) return { name: engine, works: true, detail: `${probe.version}; starts \`${image}\`` };
  const answers = probe.version === undefined ? '' : `${probe.version} answers. `;
  return { name: engine, works: false, detail: `${answers}${probe.reason}` };
}

async function checkAgent(agent: AgentProvider): Promise<Finding> {
  const program = agent.program ?? agent.name;
  const found = await findProgram(program, process.env['PATH'] ?? '');
  if (found === undefined)
    return {
      name: agent.name,
      works: false,
      detail: `\`${program}\` is not on the PATH; install it: ${agent.installHint ?? ''}`,
    };
  const version = (await versionOf(program)) ?? 'does not answer --version';
  const egress =
    agent.modelAccess?.(process.env) === undefined
      ? 'no key in the environment: it can use its own login with `--egress host`'
      : 'its key can stay outside the sandbox (`--egress model`)';
  return { name: agent.name, works: true, detail: `${version}; ${egress}` };
}

async function versionOf(program: string): Promise<string | undefined> {
  const { stdout, failed } = await execa(program, ['--version'], {
    reject: false,
    timeout: VERSION_TIMEOUT_MS,
  });
  return failed ? undefined : stdout.split('\n')[0];
}
