/** Parser for the text that a guest's final script prints: references, index tree and stash. Every line is untrusted. Pure. */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

/** Content of a guest's store that the host lacks. */
export interface GuestState {
  /** Reference that HEAD names. Undefined if HEAD is detached. */
  readonly headReference: string | undefined;
  readonly headSha: string | undefined;
  /** Tree of the index. Undefined if the index has conflicts, or is missing. */
  readonly indexTree: string | undefined;
  /** New or moved references, by name. */
  readonly references: ReadonlyMap<string, string>;
  /** Commits of the stash, oldest first. */
  readonly stash: readonly string[];
  /** Commits of a detached HEAD that the guest left by a checkout, oldest first. */
  readonly left: readonly string[];
  /** Commits that were created at HEAD since the store exists, oldest first. */
  readonly made: readonly string[];
  /** Names of LFS objects in the store. The host can have some of them. */
  readonly lfsIds: readonly string[];
  /** True while a merge, rebase, cherry-pick or revert is unfinished. */
  readonly isUnfinished: boolean;
  /** True if nothing differs from the snapshot. No pack follows then. */
  readonly isUnchanged: boolean;
  /** Number of lines that are not valid references. */
  readonly refusedCount: number;
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const LFS_ID = /^[0-9a-f]{64}$/u;
const MAX_REFERENCES = 1_000;
const MAX_NAME_CHARS = 200;
const FORBIDDEN_NAME = /\.\.|[~^:?*[\\]|@\{|\/\.|\/\/|\.lock(?:\/|$)|[/.]$/u;

/**
 * Parses the text before the pack. `known` are the references at the last hand-over, by name.
 *
 * @throws SandboxError `sync` if more references changed than a run is allowed to change
 */
export function parseGuestState(text: string, known: ReadonlyMap<string, string>): GuestState {
  const references = new Map<string, string>();
  const stash: string[] = [];
  const left: string[] = [];
  const made: string[] = [];
  const lfsIds = new Set<string>();
  const facts = new Map<string, string>();
  let refusedCount = 0;
  for (const line of text.split('\n')) {
    const end = line.indexOf(' ');
    const [kind, rest] = end === -1 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    if (kind === 'stash' && ID.test(rest)) stash.push(rest);
    else if (kind === 'left' && ID.test(rest)) left.push(rest);
    else if (kind === 'made' && ID.test(rest)) made.push(rest);
    else if (kind === 'lfs' && LFS_ID.test(rest)) lfsIds.add(rest);
    else if (/^(?:head|index|busy|none)$/u.test(kind)) facts.set(kind, rest);
    else if (!ID.test(kind)) refusedCount += line === '' ? 0 : 1;
    else if (rest === 'HEAD') facts.set('sha', kind);
    else if (known.get(rest) === kind) continue;
    else if (isReferenceName(rest)) references.set(rest, kind);
    else refusedCount += 1;
  }
  if ([references.size, stash.length, left.length].some((count) => count > MAX_REFERENCES)) throw tooMany();
  const head = facts.get('head') ?? '';
  const index = facts.get('index') ?? '';
  const headReference = head.startsWith('ref: ') ? head.slice('ref: '.length) : undefined;
  return {
    headReference: headReference !== undefined && isReferenceName(headReference) ? headReference : undefined,
    headSha: facts.get('sha'),
    indexTree: ID.test(index) ? index : undefined,
    references,
    stash,
    left,
    made,
    lfsIds: [...lfsIds],
    isUnfinished: facts.has('busy'),
    isUnchanged: facts.has('none'),
    refusedCount,
  };
}

/**
 * Returns true for a full reference name that git accepts. Stricter than git, which allows any
 * Unicode.
 */
function isReferenceName(name: string): boolean {
  return (
    name.length <= MAX_NAME_CHARS &&
    /^refs\/[^\s/\p{Cc}][^\s\p{Cc}]*$/u.test(name) &&
    !FORBIDDEN_NAME.test(name)
  );
}

function tooMany(): SandboxError {
  return new SandboxError(
    `The guest changed more than ${MAX_REFERENCES} references. Its work is kept in its git store. Review it there before you trust it.`,
    { code: 'sync' },
  );
}
