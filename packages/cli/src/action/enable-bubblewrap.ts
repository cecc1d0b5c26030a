/**
 * Bubblewrap on a runner: installs it, and allows its user namespaces, which Ubuntu 23.10 and later refuse
 * by AppArmor. Changes the machine only in a job, and only if sudo asks for no password.
 */
import { findBubblewrap } from 'truecast/internal/sandboxes/bubblewrap/find-bubblewrap';
import { runProgram } from 'truecast/internal/process/run-program';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';

const TIMEOUT_MS = 300_000;
const PROFILE_PATH = '/etc/apparmor.d/truecast-bwrap';

/** Returns a profile that allows a program to create user namespaces, and restricts nothing else. */
function profileOf(program: string): string {
  return `abi <abi/4.0>,
include <tunables/global>

profile truecast-bwrap ${program} flags=(unconfined) {
  userns,
}
`;
}

/** Programs and facts of the runner. Tests pass their own. */
export interface EnableOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The input `sandbox`. @default the first sandbox that works */
  readonly sandbox: string | undefined;
  readonly tell: (line: string) => void;
  /** @default starts bubblewrap */
  readonly probe?: typeof probeBubblewrap;
}

/** Makes bubblewrap work if it can, and reports each change. Never throws: the run chooses another sandbox. */
export async function enableBubblewrap(options: EnableOptions): Promise<void> {
  const { env, sandbox, tell, probe = probeBubblewrap } = options;
  const isWanted = sandbox === undefined || sandbox === 'bubblewrap';
  if (!isWanted || env['GITHUB_ACTIONS'] !== 'true' || process.platform !== 'linux') return;
  if ((await probe()).works) return;
  if (!(await sudo(['true']))) {
    tell(
      'bubblewrap does not work here, and sudo needs a password. Another sandbox is tried: docker, podman.',
    );
    return;
  }
  if ((await findBubblewrap()) === undefined) {
    await sudo(['apt-get', 'update', '-qq']);
    await sudo(['apt-get', 'install', '--yes', '-qq', '--no-install-recommends', 'bubblewrap']);
    tell('bubblewrap was not installed: installed it with apt-get.');
  }
  const first = await probe();
  if (!first.works) await allowNamespaces(tell);
  const second = first.works ? first : await probe();
  if (!second.works) tell(`${second.reason} Another sandbox is tried: docker, podman.`);
}

async function allowNamespaces(tell: (line: string) => void): Promise<void> {
  const program = (await findBubblewrap())?.path;
  if (program === undefined) return;
  const isWritten = await sudo(['tee', PROFILE_PATH], profileOf(program));
  if (isWritten && (await sudo(['apparmor_parser', '--replace', PROFILE_PATH]))) {
    tell(`AppArmor refused user namespaces to ${program}: allowed them with the profile ${PROFILE_PATH}.`);
  }
}

async function sudo(args: readonly string[], input?: string): Promise<boolean> {
  const stdin = input === undefined ? undefined : Buffer.from(input);
  const { exitCode } = await runProgram('sudo', ['-n', ...args], { timeoutMs: TIMEOUT_MS, stdin });
  return exitCode === 0;
}
