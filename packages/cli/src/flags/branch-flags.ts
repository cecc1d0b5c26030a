/** Flags that choose a run's branch. */
import { Option, type Command } from 'commander';

/** Flags that `addBranchFlags` adds. */
export interface BranchFlags {
  readonly branch?: string;
  readonly branchPrefix?: string;
  readonly publish?: 'pull-request';
  readonly merge?: boolean;
  readonly head?: boolean;
}

/** Adds `--branch`, `--branch-prefix`, `--publish`, `--merge` and `--head`. */
export function addBranchFlags(command: Command): Command {
  return command
    .option('--branch <name>', 'work on this branch (default: a new one, never merged)')
    .option('--branch-prefix <prefix>', 'prefix of the new branch (default: truecast)')
    .addOption(
      new Option(
        '--publish <how>',
        'push the branch to origin, and open a pull request with gh; not with --merge or --head',
      )
        .choices(['pull-request'])
        .conflicts(['merge', 'head']),
    )
    .option('--merge', 'merge into the current branch after a valid answer')
    .option('--head', 'work in the checkout itself, not in a new worktree');
}
