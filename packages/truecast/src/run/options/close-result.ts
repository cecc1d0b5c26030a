/** Result of `close()` of a sandbox or a worktree. */
import type { SensitiveChange } from '@truecast/core/internal/errors/base/sensitive-change';

/** Result of closing a place. */
export interface CloseResult {
  /** The worktree, kept because it holds uncommitted work. */
  readonly preservedWorktreePath?: string;
  /** Changes that run code on the host later, made by `exec()` after the last run of a sandbox. Absent if there are none. */
  readonly sensitiveChanges?: readonly SensitiveChange[];
}
