/**
 * Hooks in a worktree that is kept: renamed, because they would run at the user's next git command
 * in it.
 */
import { lstatSync } from 'node:fs';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/sensitive-change';
import { moveAside } from './defuse-repository.ts';
import { toShownPath, toSystemPath } from './walk-checkout.ts';

/** Options of the quarantine. */
export interface QuarantineOptions {
  readonly warn: (message: string) => void;
  /** True for a worktree in which the agent goes on. Its committed files stay. */
  readonly keepsCommitted: boolean;
  /** Called with the old path of each hook. */
  readonly onMoved: (path: string) => void;
}

/**
 * Renames each hook that the agent added or changed, and warns about it. Returns the changes with the
 * new paths.
 *
 * Call it for a worktree that is kept, after its branch is merged or published.
 */
export function quarantineHooks(
  root: string,
  changes: readonly SensitiveChange[],
  { warn, keepsCommitted, onMoved }: QuarantineOptions,
): readonly SensitiveChange[] {
  return changes.map((change) => {
    if (change.reason !== 'hook' || change.runsAt !== 'git' || change.change === 'removed') return change;
    if (keepsCommitted && change.source === 'commits') return change;
    const path = Buffer.from(change.path).toString('latin1');
    if (lstatSync(toSystemPath(root, path), { throwIfNoEntry: false }) === undefined) return change;
    const moved = moveAside(root, path);
    if (moved === undefined) return change;
    const movedTo = toShownPath(moved);
    onMoved(change.path);
    warn(
      `The agent left the hook \`${cut(change.path)}\`, which would run at the next git command in this worktree. It was moved to \`${cut(movedTo)}\`.`,
    );
    return { ...change, movedTo };
  });
}
