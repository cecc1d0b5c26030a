/** Blobs of an agent run: the agent's session and the artifacts, with their limit. Pure. */
import { AGENT_RUN_ARTIFACTS } from '@truecast/client/internal/wire/wire-codes';

/** Maximum size of one blob. */
export const MAX_BLOB_BYTES: number = 32 * 1024 * 1024;

/** Name of the blob that has the agent's last stored session. */
export const SESSION_BLOB = 'session';

/** Blobs that clients can read. The others belong to the workers. */
export type ArtifactName = (typeof AGENT_RUN_ARTIFACTS)[number];

/** Media types of artifacts. Patches can have any encoding. */
export const ARTIFACT_TYPES: Readonly<Record<ArtifactName, string>> = {
  log: 'text/plain',
  'changes.patch': 'text/x-diff',
  'uncommitted.patch': 'text/x-diff',
  'recording.jsonl': 'application/jsonl',
  session: 'application/jsonl',
};

export function isArtifactName(name: string): name is ArtifactName {
  return AGENT_RUN_ARTIFACTS.some((known) => known === name);
}

export interface RunBlob {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Of a session: its file below the folder in which the agent keeps its sessions. */
  readonly source?: string;
  /** Bytes that are left out at the beginning. @default 0 */
  readonly omittedBytes?: number;
}

/** A blob in a list. */
export interface RunBlobInfo extends Pick<RunBlob, 'name' | 'mediaType'> {
  /** In bytes. */
  readonly size: number;
  readonly omittedBytes: number;
}

/** Splits blobs into those that can be stored, and one warning for each that is too large. */
export function boundBlobs(blobs: readonly RunBlob[]): {
  readonly kept: readonly RunBlob[];
  readonly warnings: readonly string[];
} {
  const isKept = ({ bytes }: RunBlob): boolean => bytes.length <= MAX_BLOB_BYTES;
  return {
    kept: blobs.filter(isKept),
    warnings: blobs.filter((blob) => !isKept(blob)).map(tooLarge),
  };
}

function tooLarge({ name, bytes }: RunBlob): string {
  return `\`${name}\` has ${bytes.length} bytes and was not stored: the limit is ${MAX_BLOB_BYTES}. Read it on the machine of the worker.`;
}
