/**
 * Folder of a run's attachments in the agent's worktree, which git ignores.
 *
 * made, with `.gitignore` first → agent → removed, before the work is settled
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import type { SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { openRegularFile } from '../../support/open-regular-file.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import { copyAttachments, nameOf, type Attachment } from './attachment.ts';
import { recordFolder } from './left-attachments.ts';

/** Start of the names of these folders, in the top folder of a worktree. */
const ATTACHMENTS_PREFIX = '.truecast-attachments-';

/** Worktree that an agent works in. */
export interface AttachmentPlace {
  readonly worktree: { readonly path: string; readonly commonDir: string };
  readonly handle: SandboxHandle;
  readonly tag: SandboxProvider['tag'];
  readonly signal: AbortSignal;
}

/** Where attachments are. */
export interface Attached {
  /** Name of their folder in the worktree's top folder. */
  readonly folder: string;
  /** Paths inside the sandbox, in the order of the attachments. */
  readonly paths: readonly string[];
}

/** The files inside. */
export interface AttachmentFolder extends Attached {
  /**
   * Removes the folder. While a guest can still run, a command inside removes it, because a guest could
   * replace folders by links at the same time.
   */
  remove(state: { readonly isClosed: boolean }): Promise<void>;
}

/**
 * Copies attachments into a new folder. A failure removes it again.
 *
 * @throws UsageError `invalid-attachment`; SandboxError `copy`; the signal's reason
 */
export async function makeAttachmentFolder(
  attachments: readonly Attachment[],
  place: AttachmentPlace,
): Promise<AttachmentFolder> {
  const name = `${ATTACHMENTS_PREFIX}${randomBytes(4).toString('hex')}`;
  const isShared = place.tag !== 'isolated';
  const record = isShared ? recordFolder(place.worktree, name) : undefined;
  const remove: AttachmentFolder['remove'] = async ({ isClosed }) => {
    if (place.tag === 'none' || (isClosed && isShared)) {
      await rm(join(place.worktree.path, name), { recursive: true, force: true });
    } else if (!isClosed) await removeInside(place, name);
    record?.forget();
  };
  try {
    await (isShared ? writeShared(attachments, place, name) : sendInside(attachments, place, name));
  } catch (error) {
    await remove({ isClosed: false }).catch(() => undefined);
    throw error;
  }
  const inside = attachments.map((attachment, index) => insidePath(place, name, fileName(attachment, index)));
  return { folder: name, paths: inside, remove };
}

/** The number keeps equal names apart, and tools from taking a file for their settings or instructions. */
function fileName(attachment: Attachment, index: number): string {
  return `${index + 1}-${nameOf(attachment)}`;
}

function insidePath({ handle }: AttachmentPlace, ...names: readonly string[]): string {
  return posix.join(handle.worktreePath, ...names);
}

/** Ignores all files of its folder, and itself. */
const IGNORE_FILE = { name: '.gitignore', data: '*\n' } as const;

/** Writes below the worktree without following a link of it. */
async function writeShared(
  attachments: readonly Attachment[],
  { worktree, signal }: AttachmentPlace,
  name: string,
): Promise<void> {
  const create = (file: string): ReturnType<typeof openRegularFile> =>
    openRegularFile({ root: worktree.path, path: join(name, file), mode: 'create', makesFolders: true });
  await copyAttachments([IGNORE_FILE], () => create(IGNORE_FILE.name), signal);
  await copyAttachments(attachments, (attachment, index) => create(fileName(attachment, index)), signal);
}

/** Copies them to a temporary folder, and from there to the other machine. */
async function sendInside(
  attachments: readonly Attachment[],
  place: AttachmentPlace,
  name: string,
): Promise<void> {
  const { handle, signal } = place;
  if (handle.copyFileIn === undefined) {
    throw new SandboxError(
      '`attachments` need a sandbox that copies files in, and the handle of this one has no `copyFileIn`. Add it to its provider.',
      { code: 'copy' },
    );
  }
  const root = await makeTemporaryFolder('attachments');
  try {
    const create = (file: string): ReturnType<typeof openRegularFile> =>
      openRegularFile({ root, path: file, mode: 'create' });
    const files = attachments.map((attachment, index) => ({ attachment, file: fileName(attachment, index) }));
    await copyAttachments([IGNORE_FILE], () => create(IGNORE_FILE.name), signal);
    await copyAttachments(attachments, (attachment, index) => create(fileName(attachment, index)), signal);
    for (const file of [IGNORE_FILE.name, ...files.map((each) => each.file)]) {
      signal.throwIfAborted();
      await handle.copyFileIn(join(root, file), insidePath(place, name, file));
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function removeInside(place: AttachmentPlace, name: string): Promise<void> {
  const path = insidePath(place, name);
  const { exitCode, stderr } = await place.handle.exec(`rm -rf -- ${quoteArgument(path)}`);
  if (exitCode === 0) return;
  throw new SandboxError(`The attachments in \`${path}\` could not be removed: ${stderr.slice(-500)}`, {
    code: 'copy',
    exitCode,
  });
}

/** Names the files at the end of a prompt. */
export function withAttachments(prompt: string, paths: readonly string[]): string {
  const list = paths.map((path) => `- ${path}`).join('\n');
  return `${prompt}\n\nAttached files. They are not part of the repository: read them by their paths, and do not commit them.\n${list}`;
}
