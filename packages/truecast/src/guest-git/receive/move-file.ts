/** Moves a received file to its place in the repository. */
import { copyFile, rename, unlink } from 'node:fs/promises';

/**
 * Renames the file. If the target is on another file system, copies it to a temporary name first.
 */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    const draft = `${to}.truecast-draft`;
    await copyFile(from, draft);
    await rename(draft, to);
    await unlink(from);
  }
}
