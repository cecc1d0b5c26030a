/** Image of a container: its name and its metadata. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { z } from 'zod';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { callEngine, engineError, type EngineCall, type EngineName } from './container-engine.ts';

export interface ContainerImage {
  readonly name: string;
  /** The image's `USER`, unchanged. */
  readonly user: string;
  readonly path: string;
}

const config = z.object({
  User: z.string().nullish(),
  Env: z.array(z.string()).nullish(),
});

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const MISSING = /no such image|no such object|image not known|not found/i;

/**
 * Returns the default image name of a repository, used by `build-image` and by container sandboxes.
 *
 * @example
 * ```ts
 * console.log(defaultImageName('/work/My Project')); // truecast:my-project
 * ```
 */
export function defaultImageName(repositoryPath: string): string {
  assertKind(repositoryPath, 'a string', 'repositoryPath', 'Pass the path of the repository.');
  const name = (repositoryPath.split(/[/\\]+/).findLast((part) => part !== '') ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '');
  return `truecast:${name === '' ? 'repository' : name.slice(0, 128)}`;
}

/**
 * Inspects an image.
 *
 * @throws SandboxError `image` if the image does not exist, with the command that builds it
 */
export async function inspectImage(
  engine: EngineName,
  name: string,
  call: EngineCall,
): Promise<ContainerImage> {
  const result = await callEngine(engine, ['image', 'inspect', '--format', '{{json .Config}}', name], call);
  if (result.exitCode !== 0) {
    if (!MISSING.test(result.stderr)) {
      throw engineError(`\`${engine}\` cannot inspect the image \`${name}\``, result, {
        code: 'image',
        advice: `Try \`${engine} image ls\`.`,
      });
    }
    throw new SandboxError(
      `There is no image \`${name}\` in ${engine}. Build it: \`truecast ${engine} build-image --image-name ${name}\`, or pass another \`imageName\`.`,
      { code: 'image', stderrTail: result.stderr },
    );
  }
  const { User, Env } = config.parse(JSON.parse(result.stdout));
  const path = Env?.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length);
  return { name, user: User ?? '', path: path ?? DEFAULT_PATH };
}

/**
 * Compares the image's user with the container's user.
 *
 * @throws SandboxError `image` if both are numbers and differ: files that the image created for its
 *   user would belong to another one
 */
export function assertImageUser(engine: EngineName, image: ContainerImage, uid: number): void {
  const own = /^(\d+)(?::|$)/.exec(image.user)?.[1];
  // Root can write all files in the image, regardless of their owner.
  if (own === undefined || uid === 0 || Number(own) === uid) return;
  throw new SandboxError(
    `The image \`${image.name}\` was built for the user id ${own}, but the container would run as ${uid}, which owns no files in it. Build it again: \`truecast ${engine} build-image --image-name ${image.name}\`, or pass \`containerUid: ${own}\`.`,
    { code: 'image' },
  );
}
