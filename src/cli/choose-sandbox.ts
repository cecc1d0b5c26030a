/** Owns turning `--sandbox` and `--egress` into a sandbox: the best that works here, by trying it; none only by name. */
import { SandboxError } from '../errors/sandbox-error.ts';
import { UsageError } from '../errors/usage-error.ts';
import { bubblewrap } from '../run/sandboxes/bubblewrap.ts';
import { noSandbox } from '../run/sandboxes/no-sandbox.ts';
import { probeBubblewrap } from '../run/sandboxes/probe.ts';
import type { SandboxProvider } from '../run/sandboxes/sandbox-provider.ts';
import { parseEgress } from './parse-egress.ts';

/** What the caller says about the sandbox. */
export interface SandboxFlags {
  readonly sandbox?: string;
  readonly egress?: string;
  /** Runs on the host where no sandbox works, and says so: only for an agent that is our own. @default false */
  readonly mayUseNone?: boolean;
}

/**
 * Chooses the sandbox, and tells which.
 *
 * @throws UsageError for an unknown name; SandboxError `unavailable` with what to do where none works
 */
export async function chooseSandbox(
  flags: SandboxFlags,
  tell: (line: string) => void,
): Promise<SandboxProvider> {
  const { sandbox, egress } = flags;
  if (sandbox !== undefined && sandbox !== 'bubblewrap' && sandbox !== 'none') {
    throw new UsageError(`Expected \`--sandbox\` to be \`bubblewrap\` or \`none\`, got \`${sandbox}\`.`);
  }
  const policy = egress === undefined ? undefined : parseEgress(egress);
  if (sandbox === 'none') {
    if (policy !== undefined && policy !== 'host')
      throw new UsageError(`\`--egress ${egress}\` needs a sandbox, and \`--sandbox none\` has none.`);
    tell('sandbox: none; the agent has all rights of this user');
    return noSandbox();
  }
  const probe = await probeBubblewrap();
  if (probe.works) {
    tell('sandbox: bubblewrap');
    return bubblewrap(policy === undefined ? {} : { egress: policy });
  }
  if (flags.mayUseNone !== true) {
    throw new SandboxError(
      `No sandbox works here. ${probe.reason} To run without one, pass \`--sandbox none\`.`,
      { code: 'unavailable' },
    );
  }
  tell(`sandbox: none, since none works here. ${probe.reason}`);
  return noSandbox();
}
