/**
 * Artifacts of an execution, stored with its end: log, patches, recording and session. Secrets are masked. A
 * failure is a warning of the receipt, and never the end of the run.
 */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { declaredValues, processSecrets } from '@truecast/host/internal/masking/secret-values';
import { ensureStateFolder } from '@truecast/host/internal/state-folder';
import { patchOfCommits, patchOfWorktree, type WholePatch } from 'truecast/internal/git/worktree/whole-patch';
import { openRepository, type Repository } from 'truecast/internal/git/repository/repository';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import { logFileName } from 'truecast/internal/run/logging/log-file';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import { ENV_FILE, readEnvFile } from 'truecast/internal/run/prepare/env-file';
import { readRegularFileEnd, type FileEnd } from 'truecast/internal/support/open-regular-file';
import type { ClaimedRun, ExecutionEnding, RunReport } from '../../runs/agent-executor.ts';
import { ARTIFACT_TYPES, MAX_BLOB_BYTES, type ArtifactName, type RunBlob } from '../../runs/run-blob.ts';

export interface ArtifactParts {
  /** The repository. */
  readonly path: string;
  readonly topLevel: string;
  readonly stateFolder: string;
  /** Values that no artifact contains, besides those of the process. */
  readonly secrets: readonly string[];
}

/** Limits of git, in milliseconds. A worker that closes has little time. */
const GIT_MS = 60_000;
const LEAVING_MS = 3_000;

/** Logging of a run. Each has its own log, because a branch can have runs of several owners. */
export function loggingOf(
  { stateFolder }: Pick<ArtifactParts, 'stateFolder'>,
  { id, isRecorded }: { readonly id: string; readonly isRecorded: boolean },
): NonNullable<RunOptions['logging']> {
  const { log, recording } = artifactFiles(stateFolder, id);
  const logging = { type: 'file', path: log } as const;
  return isRecorded ? { ...logging, record: recording, maxRecordBytes: MAX_BLOB_BYTES } : logging;
}

/** Files of a run on this machine. Its executions append to the log. */
export function artifactFiles(
  stateFolder: string,
  id: string,
): { readonly log: string; readonly recording: string } {
  const name = logFileName({ branch: `truecast/runs/${id}` });
  const path = join(ensureStateFolder(stateFolder, 'logs'), name);
  return { log: path, recording: `${path}.recording.json` };
}

/** Returns the ending of an execution with its artifacts, and a warning for each that cannot be read. */
export async function withArtifacts(
  parts: ArtifactParts,
  { claimed, report, ending }: EndedExecution,
): Promise<ExecutionEnding> {
  if (report.signal.aborted && report.signal.reason === 'superseded') return ending;
  const collected: Collected = { blobs: [], warnings: [] };
  const found = await collect(parts, { claimed, report, ending }).catch((error: unknown) => ({
    ...collected,
    warnings: [notStored('artifacts', error)],
  }));
  const { blobs, warnings } = found;
  const { recording } = artifactFiles(parts.stateFolder, claimed.id);
  if (warnings.length > 0) {
    return { ...ending, artifacts: blobs, warnings: [...(ending.warnings ?? []), ...warnings] };
  }
  if (blobs.length === 0) return ending;
  return { ...ending, artifacts: blobs, onStored: () => rmSync(recording, { force: true }) };
}

export interface EndedExecution {
  readonly claimed: ClaimedRun;
  readonly report: RunReport;
  readonly ending: ExecutionEnding;
}

interface Collected {
  readonly blobs: readonly RunBlob[];
  readonly warnings: readonly string[];
}

async function collect(
  parts: ArtifactParts,
  { claimed, report, ending }: EndedExecution,
): Promise<Collected> {
  const { path: cwd, stateFolder } = parts;
  const { id } = claimed;
  const isLeaving = report.signal.aborted && report.signal.reason === 'leaving';
  const limits = { maxBytes: MAX_BLOB_BYTES, timeoutMs: isLeaving ? LEAVING_MS : GIT_MS };
  const worktree = openExecutionStore(stateFolder, id).read()?.worktreePath;
  const hasWorktree = worktree !== undefined && existsSync(worktree);
  const hasEnvFile = existsSync(join(parts.topLevel, ENV_FILE));
  // Its start takes three git calls, which most ended runs do not need.
  const repository =
    hasWorktree || hasEnvFile ? await openRepository(cwd, { timeoutMs: limits.timeoutMs }) : undefined;
  const mask = byteMask([...parts.secrets, ...(await declaredIn(repository))]);
  const blobs: RunBlob[] = [];
  const warnings: string[] = [];
  const files = artifactFiles(stateFolder, id);
  const add = async (
    name: ArtifactName,
    read: () => Promise<Partial<RunBlob> | undefined>,
  ): Promise<void> => {
    try {
      const { bytes, ...rest } = (await read()) ?? {};
      if (bytes === undefined || bytes.length === 0) return;
      blobs.push({ name, mediaType: ARTIFACT_TYPES[name], ...rest, bytes: mask(bytes) });
    } catch (error) {
      warnings.push(notStored(name, error));
    }
  };
  const whole = (name: ArtifactName, patch: WholePatch): { readonly bytes: Buffer } | undefined => {
    if (patch !== undefined) return { bytes: patch };
    warnings.push(
      `\`${name}\` was not stored: it is larger than ${MAX_BLOB_BYTES} bytes. Read the branch in the repository of the worker.`,
    );
    return undefined;
  };
  await add('log', async () => {
    const own = await readEnd(files.log);
    // The first execution finds no earlier log.
    return claimed.earlier === undefined ? own : withEarlier(own, report);
  });
  await add('recording.jsonl', () => readEnd(files.recording));
  const { baseSha: base, headSha: tip } = ending;
  if (base !== undefined && tip !== undefined && base !== tip) {
    await add('changes.patch', async () =>
      whole('changes.patch', await patchOfCommits({ base, tip }, { ...limits, cwd })),
    );
  }
  if (hasWorktree && repository !== undefined) {
    await add('uncommitted.patch', async () =>
      whole('uncommitted.patch', await patchOfWorktree(worktree, repository, limits)),
    );
  }
  return { blobs, warnings };
}

/** Values of the environment file. */
async function declaredIn(repository: Repository | undefined): Promise<readonly string[]> {
  return repository === undefined ? [] : declaredValues((await readEnvFile(repository)) ?? {});
}

/** Adds the log that an earlier execution stored on another machine. */
async function withEarlier(own: FileEnd | undefined, report: RunReport): Promise<FileEnd | undefined> {
  const earlier = await report.readBlob('log');
  if (earlier === undefined || own === undefined) return own;
  if (own.omittedBytes > 0 || own.bytes.includes(Buffer.from(earlier.bytes))) return own;
  const bytes = Buffer.concat([earlier.bytes, own.bytes]);
  const extra = Math.max(0, bytes.length - MAX_BLOB_BYTES);
  return { bytes: bytes.subarray(extra), omittedBytes: (earlier.omittedBytes ?? 0) + extra };
}

/** Reads the end of a file of this worker. Undefined without one. */
function readEnd(path: string): Promise<FileEnd | undefined> {
  return readRegularFileEnd({ root: dirname(path), path: basename(path), maxBytes: MAX_BLOB_BYTES });
}

/** Masks bytes of any encoding. The length stays, so the counts of a patch stay true. */
function byteMask(secrets: readonly string[]): (bytes: Uint8Array) => Buffer {
  const values = [...secrets, ...processSecrets()];
  const encoded = values.map((value) => Buffer.from(value).toString('latin1'));
  const { mask } = createSecretMask([...new Set([...values, ...encoded])]);
  return (bytes) => Buffer.from(mask(Buffer.from(bytes).toString('latin1')), 'latin1');
}

function notStored(name: string, error: unknown): string {
  return `\`${name}\` was not stored: ${cut(error instanceof Error ? error.message : String(error))}`;
}
