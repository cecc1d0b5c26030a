/** Files of a question: read as Base64, with a limit for the whole body. */
import type { FilePart } from '@truecast/client/internal/wire/message-parts';

export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Base64. */
  readonly data: string;
}

/** The server refuses a body over 1 MiB unless it is configured otherwise. Base64 adds a third. */
const MAX_FILE_BYTES = 700_000;
const FALLBACK_TYPE = 'application/octet-stream';
/** Arguments of one call. */
const CHUNK = 8_192;

export function readFiles(files: Iterable<File>): Promise<readonly AttachedFile[]> {
  return Promise.all(
    Array.from(files, async (file) => ({
      name: file.name,
      mediaType: file.type === '' ? FALLBACK_TYPE : file.type,
      bytes: file.size,
      data: toBase64(new Uint8Array(await file.arrayBuffer())),
    })),
  );
}

/** Returns the problem of files that the server would refuse. Undefined without one. */
export function filesProblem(files: readonly AttachedFile[]): string | undefined {
  const empty = files.find(({ bytes }) => bytes === 0);
  if (empty !== undefined) return `${empty.name} is empty. Remove it.`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_FILE_BYTES) return undefined;
  return `The files have ${kilobytes(bytes)} together. A request takes ${kilobytes(MAX_FILE_BYTES)}. Remove one.`;
}

export function toPart({ name, mediaType, data }: AttachedFile): FilePart {
  return { type: 'file', media_type: mediaType, filename: name, data };
}

/** Formats a size. */
export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000).toLocaleString('en')} kB`;
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}
