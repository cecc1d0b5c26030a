/** Attachments of a run: files and bytes that its agent reads, with their limits and names. */
import { stat, type FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openChosenFile } from '../../support/open-chosen-file.ts';

/** A file of the host by its path, or a name with its content. Text is written as UTF-8. */
export type Attachment = string | { readonly name: string; readonly data: string | Uint8Array };

const MAX_ATTACHMENTS = 32;
/** All attachments together: the agent's worktree holds a second copy of them. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** A file name has at most 255 bytes, and its number comes before it. */
const MAX_NAME_BYTES = 200;
const CHUNK_BYTES = 256 * 1024;

/** Separators, controls, lone surrogates, and what reverses or breaks a line of the prompt. */
const UNSAFE_IN_NAME = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/**
 * Rejects attachments that need no look at a file to be refused.
 *
 * @throws UsageError `invalid-attachment`
 */
export function assertAttachments(attachments: unknown): void {
  if (attachments === undefined) return;
  if (!Array.isArray(attachments)) {
    throw refused(
      `Expected \`attachments\` to be an array, got ${describeValue(attachments)}. Pass paths of files, or \`{ name, data }\`.`,
    );
  }
  const all: readonly unknown[] = attachments;
  if (all.length > MAX_ATTACHMENTS) {
    throw refused(
      `Expected at most ${MAX_ATTACHMENTS} \`attachments\`, got ${all.length}. Put them into one archive, or into the repository.`,
    );
  }
  let bytes = 0;
  for (const [index, attachment] of all.entries()) {
    assertForm(attachment, index);
    if (typeof attachment !== 'string') bytes += contentOf(attachment.data).byteLength;
  }
  if (bytes > MAX_TOTAL_BYTES) throw tooLarge();
}

function assertForm(attachment: unknown, index: number): asserts attachment is Attachment {
  if (typeof attachment === 'string' && attachment !== '') return assertName(nameOf(attachment), index);
  const isData =
    isRecord(attachment) &&
    typeof attachment['name'] === 'string' &&
    (typeof attachment['data'] === 'string' || attachment['data'] instanceof Uint8Array);
  if (isData) return assertName(String(attachment['name']), index);
  throw refused(
    `Expected \`attachments[${index}]\` to be the path of a file or \`{ name, data }\`, got ${describeValue(attachment)}. \`data\` is a string or a Uint8Array.`,
  );
}

function assertName(name: string, index: number): void {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !UNSAFE_IN_NAME.test(name);
  if (isPlain && Buffer.byteLength(name) <= MAX_NAME_BYTES) return;
  throw refused(
    `Expected \`attachments[${index}]\` to have a plain file name of at most ${MAX_NAME_BYTES} bytes, got ${describeValue(name)}. Pass \`{ name, data }\` with a name without separators and control characters.`,
  );
}

/** Returns the name that an agent sees. */
export function nameOf(attachment: Attachment): string {
  return typeof attachment === 'string' ? basename(resolve(attachment)) : attachment.name;
}

/**
 * Looks at each file, before anything is created for the run.
 *
 * @throws UsageError `invalid-attachment`; RepositoryError `unsafe-path` for a link in a checkout
 */
export async function checkAttachments(attachments: readonly Attachment[] = []): Promise<void> {
  let bytes = 0;
  for (const attachment of attachments) {
    if (typeof attachment === 'string') {
      await using file = await openAttached(attachment);
      bytes += (await file.stat()).size;
    } else bytes += contentOf(attachment.data).byteLength;
    if (bytes > MAX_TOTAL_BYTES) throw tooLarge();
  }
}

/**
 * Copies attachments one after the other. A file that grew since it was checked is refused.
 *
 * @param open - creates the copy of one
 */
export async function copyAttachments(
  attachments: readonly Attachment[],
  open: (attachment: Attachment, index: number) => Promise<FileHandle>,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  const count = (length: number): void => {
    signal.throwIfAborted();
    bytes += length;
    if (bytes > MAX_TOTAL_BYTES) throw tooLarge();
  };
  for (const [index, attachment] of attachments.entries()) {
    await using target = await open(attachment, index);
    for await (const chunk of chunksOf(attachment)) {
      count(chunk.byteLength);
      await target.appendFile(chunk);
    }
  }
}

async function* chunksOf(attachment: Attachment): AsyncGenerator<Uint8Array> {
  if (typeof attachment !== 'string') {
    yield contentOf(attachment.data);
    return;
  }
  await using file = await openAttached(attachment);
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function openAttached(path: string): Promise<FileHandle> {
  const found = await stat(path).catch((cause: unknown) => {
    throw refused(
      `Expected the attachment \`${path}\` to be a readable file: ${cause instanceof Error ? cause.message : String(cause)}. Correct the path; relative ones start at the process's working directory.`,
      cause,
    );
  });
  // A pipe would block the opening.
  if (found.isFile()) return openChosenFile(path, 'read');
  throw refused(
    `Expected the attachment \`${path}\` to be a file, got ${found.isDirectory() ? 'a folder' : 'a pipe, a socket or a device'}. Attach its files, or pass \`{ name, data }\`.`,
  );
}

function contentOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}

function tooLarge(): UsageError {
  return refused(
    `Expected \`attachments\` of at most ${MAX_TOTAL_BYTES} bytes together, got more. Attach less, or put large files into the repository.`,
  );
}

function refused(message: string, cause?: unknown): UsageError {
  return new UsageError(message, { code: 'invalid-attachment', cause });
}
