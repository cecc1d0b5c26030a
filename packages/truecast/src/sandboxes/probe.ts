/**
 * Probe: tests whether bubblewrap works on this host by starting it, and suggests a fix if it does
 * not.
 */
import { readFileSync } from 'node:fs';
import { runProgram } from '../process/run-program.ts';
import { isolationFlags } from './bubblewrap/arguments.ts';
import { systemBinds } from './bubblewrap/system.ts';
import { findBubblewrap } from './bubblewrap/find-bubblewrap.ts';

/** Result of a probe: the sandbox works, or the reason and a remedy. */
export type ProbeResult = { readonly works: true } | { readonly works: false; readonly reason: string };

const PROBE_TIMEOUT_MS = 10_000;

/** Host facts that the probe reads. Tests pass their own values. */
export interface ProbeOptions {
  /** @default the host's */
  readonly platform?: NodeJS.Platform;
  /** @default the host's PATH */
  readonly searchPath?: string;
  /** Returns a kernel setting's value. @default reads `/proc/sys` */
  readonly readSetting?: (name: string) => string | undefined;
}

/**
 * Starts bubblewrap with the flags of a real command, and returns the reason of a failure. Never
 * throws.
 */
export async function probeBubblewrap(options: ProbeOptions = {}): Promise<ProbeResult> {
  const { platform = process.platform, searchPath, readSetting = readKernelSetting } = options;
  if (platform !== 'linux') {
    return no(
      `bubblewrap needs Linux, got ${platform}. Run in a Linux virtual machine or container, or pass \`--sandbox none\` to run without protection.`,
    );
  }
  const found = await findBubblewrap(searchPath);
  if (found === undefined) {
    return no(
      '`bwrap` is not on the PATH. Install it: `apt install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), `pacman -S bubblewrap` (Arch) or `apk add bubblewrap` (Alpine).',
    );
  }
  const isolation = {
    uid: 1000,
    gid: 1000,
    sharesNetwork: false,
    canDisableUserNamespaces: found.canDisableUserNamespaces,
  };
  const args = [
    ...isolationFlags(isolation),
    ...systemBinds({
      sharesNetwork: false,
      etcPath: undefined,
      hidden: { paths: [], emptyFilePath: '/dev/null' },
    }),
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/',
    '--',
    'true',
  ];
  const { exitCode, stderr } = await runProgram(found.path, args, { timeoutMs: PROBE_TIMEOUT_MS });
  return exitCode === 0 ? { works: true } : no(explainFailure(stderr, readSetting));
}

/** Names the kernel setting that prevents the start, with the command that changes it. */
function explainFailure(stderr: string, readSetting: (name: string) => string | undefined): string {
  const said = `bubblewrap does not start: ${stderr.trim().split('\n', 1)[0]?.slice(0, 200) || 'it printed nothing'}.`;
  if (readSetting('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return `${said} AppArmor blocks its user namespaces (Ubuntu 23.10 and later). Add a profile with \`userns,\` for \`bwrap\`, or run \`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\`.`;
  }
  if (readSetting('kernel/unprivileged_userns_clone') === '0') {
    return `${said} User namespaces are off: \`sudo sysctl -w kernel.unprivileged_userns_clone=1\`.`;
  }
  if (readSetting('user/max_user_namespaces') === '0') {
    return `${said} User namespaces are off: \`sudo sysctl -w user.max_user_namespaces=15000\`.`;
  }
  return `${said} In a container, allow user namespaces and a separate \`/proc\` (a privileged container, or \`--security-opt seccomp=unconfined --security-opt systempaths=unconfined\`); otherwise act on the message above.`;
}

function readKernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function no(reason: string): ProbeResult {
  return { works: false, reason };
}
