/**
 * Sandbox selection from `--sandbox` and `--egress`. The default is the best sandbox that starts
 * here. `none` must be named explicitly.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { defaultImageName } from 'truecast/internal/sandboxes/containers/container-image';
import { probeEngine } from 'truecast/internal/sandboxes/containers/probe-engine';
import type { EngineName } from 'truecast/internal/sandboxes/containers/container-engine';
import {
  CONTAINER_SANDBOXES,
  isSandboxName,
  SANDBOX_NAMES,
  SANDBOXES,
  type SandboxName,
  type SandboxSettings,
} from 'truecast/internal/sandboxes/registry/sandboxes';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import { gotUnknown } from '@truecast/core/internal/options/known-options';
import { parseEgress } from './parse-egress.ts';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';

export interface SandboxFlags {
  readonly sandbox?: string;
  readonly egress?: string;
  /** Used for containers only. */
  readonly imageName?: string;
  /** Folder that determines the container image's name. @default the current folder */
  readonly cwd?: string;
  /**
   * Falls back to the host, with a message, if no sandbox works. Set only for agents that ship with
   * Truecast.
   * @default false
   */
  readonly mayUseNone?: boolean;
}

/**
 * Chooses the sandbox, and reports the choice.
 *
 * @throws UsageError for an unknown name; SandboxError `unavailable` with a remedy if no sandbox
 *   works
 */
export async function chooseSandbox(
  flags: SandboxFlags,
  tell: (line: string) => void,
): Promise<SandboxProvider> {
  const name = flags.sandbox;
  if (name !== undefined && !isSandboxName(name)) {
    throw new UsageError(
      `Expected \`--sandbox\` to be one of ${SANDBOX_NAMES.join(', ')}, ${gotUnknown(name, SANDBOX_NAMES)}`,
    );
  }
  const policy = flags.egress === undefined ? undefined : parseEgress(flags.egress);
  if (name === 'none') {
    if (policy !== undefined && policy !== 'host') {
      throw new UsageError(
        `\`--egress ${flags.egress}\` needs a sandbox. Remove it, or pass another \`--sandbox\` than \`none\`.`,
      );
    }
    tell('sandbox: none; the agent has all rights of this user');
    return make('none', {});
  }
  const settings = {
    ...(policy !== undefined && { egress: policy }),
    ...(flags.imageName !== undefined && { imageName: flags.imageName }),
  };
  const start = (chosen: SandboxName): Promise<SandboxProvider> => {
    tell(`sandbox: ${chosen}`);
    return make(chosen, settings);
  };
  if (name !== undefined && SANDBOXES[name].container !== undefined) return start(name);
  const probe = await probeBubblewrap();
  if (probe.works) return start('bubblewrap');
  const engine = name === 'bubblewrap' ? undefined : await findEngine(flags);
  if (engine !== undefined) return start(engine);
  if (flags.mayUseNone !== true) {
    throw new SandboxError(
      `No sandbox works here. ${probe.reason} To use a container, build its image: \`truecast docker build-image\` or \`truecast podman build-image\`. To run without one, pass \`--sandbox none\`.`,
      { code: 'unavailable' },
    );
  }
  tell(`sandbox: none, because no sandbox works here. ${probe.reason}`);
  return make('none', {});
}

/** Returns the engine that can start a container of the repository's image. */
async function findEngine({ imageName, cwd = process.cwd() }: SandboxFlags): Promise<EngineName | undefined> {
  const image = imageName ?? (await imageOf(cwd));
  for (const { engine } of CONTAINER_SANDBOXES) if ((await probeEngine(engine, image)).works) return engine;
  return undefined;
}

/** Returns the image name of the repository that contains `cwd`. */
export async function imageOf(cwd: string): Promise<string> {
  try {
    return defaultImageName((await openRepository(cwd, { timeoutMs: GIT_TIMEOUT_MS })).mainTopLevel);
  } catch {
    // The run itself reports the problem with the folder.
    return defaultImageName(cwd);
  }
}

async function make(name: SandboxName, settings: SandboxSettings): Promise<SandboxProvider> {
  return (await SANDBOXES[name].load())(settings);
}
