/**
 * Files state: a fingerprint of each sensitive file of a worktree, and the difference between two
 * states.
 */
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { fingerprintOf, readContent } from './file-fingerprint.ts';
import { findSensitiveFiles, type SensitiveFile } from './find-sensitive-files.ts';
import { toSystemPath } from './walk-checkout.ts';
import type { HostPrograms } from './paths/host-programs.ts';

export interface KnownFile {
  readonly file: SensitiveFile;
  readonly fingerprint: string;
  /** Text of an attributes file. `''` for every other kind. */
  readonly text: string;
}

export interface FilesState {
  readonly files: ReadonlyMap<string, KnownFile>;
  readonly isComplete: boolean;
}

/** A file whose state differs. */
export interface FileChange {
  readonly known: KnownFile;
  readonly change: SensitiveChange['change'];
  /** Previous text of an attributes file. */
  readonly previousText: string;
}

/** Walks a worktree and reads its sensitive files. */
export async function readFilesState(root: string, programs: HostPrograms): Promise<FilesState> {
  const { files, isComplete } = await findSensitiveFiles(root, programs);
  const known = files.map((file): [string, KnownFile] => {
    const fingerprint = file.parts.map((part) => `${part}=${fingerprintOf(root, part)}`).join('\n');
    const content = file.kind === 'attributes' ? readContent(toSystemPath(root, file.path)) : undefined;
    return [file.path, { file, fingerprint, text: content?.toString('utf8') ?? '' }];
  });
  return { files: new Map(known), isComplete };
}

/** Compares two states. A removed attributes file enables nothing. */
export function compareStates(before: FilesState, after: FilesState): readonly FileChange[] {
  const present = [...after.files.values()].flatMap((known): readonly FileChange[] => {
    const previous = before.files.get(known.file.path);
    if (previous?.fingerprint === known.fingerprint) return [];
    const change = previous === undefined ? 'added' : 'changed';
    return [{ known, change, previousText: previous?.text ?? '' }];
  });
  const removed = [...before.files.values()]
    .filter(({ file }) => file.kind !== 'attributes' && !after.files.has(file.path))
    .map((known): FileChange => ({ known, change: 'removed', previousText: '' }));
  return [...present, ...removed];
}
