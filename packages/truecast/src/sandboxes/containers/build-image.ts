/** Build and removal of the container image of a repository. */
import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { truecastFolder } from '../../support/truecast-folder.ts';
import { runProgram } from '../../process/run-program.ts';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';
import { assertReachable, callEngine, engineError, type EngineName } from './container-engine.ts';
import { containerUser } from './container-user.ts';

/** Name and sources of an image. */
export interface BuildImageOptions {
  readonly engine: EngineName;
  readonly imageName: string;
  /**
   * Top folder of the repository. Without `dockerfile`, its `.truecast` folder is the build
   * context.
   */
  readonly repositoryPath: string;
  /** Path of another Dockerfile. The build context is then `cwd`. */
  readonly dockerfile?: string | undefined;
  /** Base folder of a relative `dockerfile`. */
  readonly cwd: string;
  /** Called with the engine's output as it arrives. */
  readonly onOutput: (chunk: string) => void;
}

/** Files that never become part of an image: other runs' files, and keys. */
const LEFT_OUT = new Set(['worktrees', 'logs', 'locks', '.env', 'outcomes.jsonl']);
const FILE_NAMES: Readonly<Record<EngineName, readonly string[]>> = {
  docker: ['Dockerfile', 'Containerfile'],
  podman: ['Containerfile', 'Dockerfile'],
};
const MAX_TAIL_CHARS = 16_384;

/**
 * Builds an image for the containers' user (`AGENT_UID`, `AGENT_GID`).
 *
 * @throws UsageError if there is no Dockerfile; RepositoryError `unsafe-path` if a link leads to one
 *   outside of the checkout; SandboxError `unavailable` or `image`
 */
export async function buildImage(options: BuildImageOptions): Promise<void> {
  const { engine, dockerfile, cwd } = options;
  if (dockerfile !== undefined) {
    const { path: file } = trustedPath(resolve(cwd, dockerfile), { option: '`--dockerfile`' });
    if (existsSync(file)) return build(options, { file, context: cwd });
    throw new UsageError(
      `The file \`${file}\` does not exist. Pass the path of a Dockerfile as \`--dockerfile\`.`,
    );
  }
  const folder = truecastFolder(options.repositoryPath);
  const name = FILE_NAMES[engine].find((one) => existsSync(join(folder, one)));
  if (name === undefined) {
    throw new UsageError(
      `There is no \`${FILE_NAMES[engine].join('` or `')}\` in \`${folder}\`. Create one with \`truecast init --sandbox ${engine}\`, or pass \`--dockerfile\`.`,
    );
  }
  trustedPath(join(folder, name), { option: 'the image file' });
  const temporary = await makeTemporaryFolder('image');
  try {
    const context = join(temporary, 'context');
    await mkdir(context);
    const filter = (path: string): boolean => !LEFT_OUT.has(basename(path));
    await cp(folder, context, { recursive: true, filter, verbatimSymlinks: true });
    await build(options, { file: join(context, name), context });
  } finally {
    await removeTree(temporary);
  }
}

/**
 * Removes an image.
 *
 * @throws SandboxError `unavailable` or `image`
 */
export async function removeImage(engine: EngineName, imageName: string): Promise<void> {
  const result = await callEngine(engine, ['image', 'rm', imageName]);
  if (result.exitCode === 0) return;
  throw engineError(`The image \`${imageName}\` could not be removed`, result, {
    code: 'image',
    advice: `Check \`${engine} image ls\` and \`${engine} ps --all\`.`,
  });
}

async function build(
  { engine, imageName, onOutput }: BuildImageOptions,
  { file, context }: { readonly file: string; readonly context: string },
): Promise<void> {
  const { uid, gid } = await containerUser(engine, {}, {});
  const ids = ['--build-arg', `AGENT_UID=${uid}`, '--build-arg', `AGENT_GID=${gid}`];
  const args = ['build', '--tag', imageName, '--file', file, ...ids, context];
  let tail = '';
  const { exitCode } = await runProgram(engine, args, {
    onOutput: (chunk) => {
      tail = (tail + chunk).slice(-MAX_TAIL_CHARS);
      onOutput(chunk);
    },
  });
  if (exitCode === 0) return;
  // A missing engine would have failed before. But a build needs more engine features than a query.
  assertReachable(engine, tail);
  throw new SandboxError(
    `\`${engine} build\` failed with exit code ${exitCode ?? 'none'}. Read its output above, and correct \`${file}\`.`,
    { code: 'image', stderrTail: tail, ...(exitCode !== undefined && { exitCode }) },
  );
}
