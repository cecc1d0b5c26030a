/** Wire format of what commits changed. Names and lines of files are written by agents. */
import {
  array,
  count,
  object,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';

const commitMembers = {
  id: string,
  /** First paragraph of the message, at most 200 characters. */
  subject: string,
  at: time,
  /** Lines against the first parent. Large and binary files count none. */
  added: count,
  removed: count,
};
/** A commit without its files. */
export interface ChangeCommitView extends ObjectOf<typeof commitMembers> {}
const changeCommitView: Shape<ChangeCommitView> = object(commitMembers);

const hunkMembers = {
  old_start: count,
  new_start: count,
  /** Line before the hunk that names its place, such as that of a function. Empty without one. */
  heading: string,
  /** Each begins with ` `, `+` or `-`, or with `\` for a missing newline. A long line ends with `…`. */
  lines: array(string),
};
/** Consecutive lines of a changed file. */
export interface ChangeHunkView extends ObjectOf<typeof hunkMembers> {}
const changeHunkView: Shape<ChangeHunkView> = object(hunkMembers);

const fileMembers = {
  path: string,
  /** Path before a rename. */
  old_path: optional(string),
  change: openOneOf('added', 'deleted', 'modified', 'renamed'),
  /** Octal modes of git, if they differ. */
  old_mode: optional(string),
  new_mode: optional(string),
  old_bytes: optional(count),
  new_bytes: optional(count),
  /** Lines of the whole file. Absent if they are not counted. */
  added: optional(count),
  removed: optional(count),
  hunks: array(changeHunkView),
  /** Lines that are left out behind the last hunk. */
  omitted_lines: count,
  /** Reason for a file without hunks. `large` is above 512 KiB, `limit` above the limit of all files together. */
  omitted: optional(openOneOf('binary', 'large', 'limit', 'unreadable')),
};
/** A file that commits changed. */
export interface ChangedFileView extends ObjectOf<typeof fileMembers> {}
const changedFileView: Shape<ChangedFileView> = object(fileMembers, 'ChangedFile');

const changesMembers = {
  /** Those that the repository still has, oldest first. */
  commits: array(changeCommitView),
  /** Number of commits that the repository no longer has. */
  missing_commits: count,
  /** At most 300, in the order of their paths. */
  files: array(changedFileView),
  /** Number of files after the last one. */
  omitted_files: count,
};
/** What the commits of a run changed together, or one of them. */
export interface ChangesView extends ObjectOf<typeof changesMembers> {}
export const changesView: Shape<ChangesView> = object(changesMembers, 'Changes');
