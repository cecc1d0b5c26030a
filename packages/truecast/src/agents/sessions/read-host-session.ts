/** Session file reader on the host: regular files only, with a size limit. */
import { basename, dirname } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { readRegularFile } from '../../support/open-regular-file.ts';

/** Size limit of a session file. Interactive work with a CLI does not reach it. */
const MAX_BYTES: number = 256 * 1024 * 1024;

/**
 * Reads a session file from the host's store.
 *
 * @throws SandboxError `copy` if it is missing; RepositoryError `unsafe-path` if it is not a
 *   regular file or too large
 */
export async function readHostSession(path: string): Promise<string> {
  const content = await readRegularFile({ root: dirname(path), path: basename(path), maxBytes: MAX_BYTES });
  if (content !== undefined) return content.toString('utf8');
  throw new SandboxError(`The session file \`${path}\` is missing. Run again without \`resumeSession\`.`, {
    code: 'copy',
  });
}
