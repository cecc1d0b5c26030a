/** Marks of a repository before an agent. They show later what the agent changed outside of its branch. */
import { join } from 'node:path';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { markHeadLog, type HeadLogMark } from './head-log.ts';
import { readStash } from './stash-entries.ts';

/** State at the start of a run. */
export interface StartMarks {
  /** End of the log of the checkout's HEAD. */
  readonly headLog: HeadLogMark;
  /** Ids in the stash, which all checkouts of a repository share. */
  readonly stash: ReadonlySet<string>;
  /** Ids in the files of the caller's branch and of its remote branch. */
  readonly hostTips: ReadonlyMap<string, string>;
}

/** Directories of a checkout, and the branch that the caller's checkout is on. */
export interface MarkedPlace {
  readonly gitDir: string;
  readonly commonDir: string;
  readonly hostBranch: string | undefined;
}

/** Reads the marks. Starts no git. */
export function markStart({ gitDir, commonDir, hostBranch }: MarkedPlace): StartMarks {
  return {
    headLog: markHeadLog(gitDir),
    stash: new Set(readStash(commonDir).map(({ sha }) => sha)),
    hostTips: new Map(
      hostReferences(hostBranch).flatMap((name) => {
        const id = readReferenceFile(commonDir, name);
        return id === undefined ? [] : [[name, id] as const];
      }),
    ),
  };
}

const MAX_REFERENCE_BYTES = 4096;

/** Returns the id in a reference's own file. Undefined for a packed or missing one. */
export function readReferenceFile(commonDir: string, reference: string): string | undefined {
  const file = readRegularFileSync(join(commonDir, reference), { maxBytes: MAX_REFERENCE_BYTES });
  const text = file?.toString('latin1').trim();
  return text !== undefined && /^[0-9a-f]{40,64}$/u.test(text) ? text : undefined;
}

/** Returns the names of the caller's branch, and of its remote branch. */
export function hostReferences(branch: string | undefined): readonly string[] {
  return branch === undefined ? [] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
}
