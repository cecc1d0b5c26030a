/** Sensitive changes: files of an agent that run code on the host at a later command. Types only, pure. */

/**
 * The kind of program that runs the code: git, an editor, an agent CLI, Truecast itself, or a shell
 * with the tools it starts.
 */
export type RunsAt = 'git' | 'editor' | 'agent' | 'truecast' | 'shell';

/** Why a path runs code. Stable codes. */
export type SensitiveReason =
  /** A `.git` folder, file or link below the checkout. */
  | 'nested-repository'
  /** A folder with `HEAD`, `objects` and `refs`: git takes it for a repository when started inside. */
  | 'bare-repository'
  /**
   * A new commit entry without its own files (a submodule, or a nested repository that was added).
   */
  | 'gitlink'
  /** A file below `core.hooksPath`, or the configuration of a hook manager. */
  | 'hook'
  /** A file that git's configuration or an installed hook names as a program. */
  | 'configured-program'
  /** A file that git's configuration includes. */
  | 'git-config'
  /** A line of `.gitattributes` that activates a driver of git's configuration. */
  | 'attributes-driver'
  | 'git-modules'
  | 'lfs-config'
  /** A rebase, sequencer or merge state in the git directory. */
  | 'unfinished-operation'
  /**
   * A name that only Truecast and its user write, such as `.truecast/.env`, or a link at or below
   * `.truecast`.
   */
  | 'reserved-name'
  | 'agent-settings'
  /** A file that Truecast executes or takes settings from, such as `truecast.config.ts`. */
  | 'truecast-settings'
  /** A folder of another version control system, such as `.hg`, whose settings name programs. */
  | 'foreign-repository'
  | 'editor-settings'
  | 'shell-startup'
  | 'package-manager-settings'
  /** The change could not be reviewed completely: too many entries, or a tree that git cannot read. */
  | 'not-reviewed';

/** A path that an agent changed and that runs code on the host later. */
export interface SensitiveChange {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly reason: SensitiveReason;
  readonly runsAt: RunsAt;
  readonly change: 'added' | 'changed' | 'removed';
  /** `commits`: part of a merge. `files`: in the worktree only, uncommitted or ignored. */
  readonly source: 'commits' | 'files';
  /** New path of a nested repository or a hook, moved so that no git command runs it. */
  readonly movedTo?: string;
}
