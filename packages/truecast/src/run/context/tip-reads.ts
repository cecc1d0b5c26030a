/** Tip reads: git reads of a run's new commits, which a sandbox can run during the hand-over. */
import type { GitResult } from '../../git/command/git.ts';
import type { TipRead } from '../../git/command/tip-read.ts';
import type { HandedOverTip } from '../../ports/own-git.ts';

/** Reads of one run, and their last results. */
export interface TipReads {
  /** Commands for the sandbox. */
  readonly commands: readonly TipRead[];
  /** Replaces the results by those of a new tip. */
  keep(tip: HandedOverTip): void;
  /** List of the commits. Undefined if the sandbox has not read it. */
  readonly listing: GitResult | undefined;
  /** Comparison with the base. Undefined as well if a merge follows, which compares other commits. */
  readonly comparison: GitResult | undefined;
}

/** Creates the reads without results. */
export function createTipReads(listing: TipRead, comparison: TipRead | undefined): TipReads {
  let results: readonly GitResult[] = [];
  return {
    commands: comparison === undefined ? [listing] : [listing, comparison],
    keep({ reads }) {
      results = reads;
    },
    get listing() {
      return results[0];
    },
    get comparison() {
      return results[1];
    },
  };
}
