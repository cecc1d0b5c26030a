/** Owns the kinds of events: how one is spelt, which the engine knows, and which only it may append. Pure. */

/** Appends what the engine has to tell. */
export const CONDUCTOR = 'conductor';
/** Appends what a user says into a run. */
export const VISITOR = 'visitor';

/** The kinds that only the conductor appends; an agent that they concern stands in the payload. */
const ENGINE_KINDS = [
  'run.started',
  'run.closing',
  'run.finished',
  'agent.abstained',
  'agent.failed',
  'agent.skipped',
  'model.called',
  'tool.called',
] as const;

/** What the conductor may append: the engine's kinds, and the first scene. */
export const CONDUCTOR_GRANT: readonly string[] = [...ENGINE_KINDS, 'world.observed'];
/** What a visitor may append. */
export const VISITOR_GRANT: readonly string[] = ['user.injected'];

/** What every member of a cast may append: a belief of its own, which nobody else sees unless subscribed to it. */
export const MEMBER_GRANT: readonly string[] = ['agent.reflected'];

/** Every member of a cast sees these, whoever appended them. */
export const PUBLIC_KINDS: ReadonlySet<string> = new Set([
  'agent.spoke',
  'judge.verdict',
  'run.started',
  'user.injected',
  'world.observed',
]);

/** Lowercase words, parted by dots, at least two. Without the flag `m`, `$` is the end of the text and no newline. */
const KIND = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)+$/u;
const MAX_KIND_CHARS = 100;

/** Tells whether `kind` is spelt as a kind. */
export function isEventKind(kind: unknown): kind is string {
  return typeof kind === 'string' && kind.length <= MAX_KIND_CHARS && KIND.test(kind);
}

/** Tells whether only the engine appends `kind`; a visitor's words are brought by it, too. */
export function isEngineKind(kind: string): boolean {
  return VISITOR_GRANT.includes(kind) || ENGINE_KINDS.some((engineKind) => engineKind === kind);
}
