/** Accepted answer of a run. */
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';

/** A valid answer, and how it was obtained. */
export interface RunAnswer {
  readonly value: unknown;
  readonly provenance: Provenance;
  /** True if its check used the files of the worktree. */
  readonly isTreeChecked: boolean;
}
