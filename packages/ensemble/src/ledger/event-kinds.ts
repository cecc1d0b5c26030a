/** Event kinds: syntax, kinds that the engine knows, and kinds that only it appends. Pure. */

/** Actor of the engine's own events. */
export const CONDUCTOR = 'conductor';
/** Actor of a user's messages. */
export const VISITOR = 'visitor';

/** Kinds that only the conductor appends. The payload names the agent concerned. */
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

/** Kinds that the conductor can append: the engine's, and the first scene. */
export const CONDUCTOR_GRANT: readonly string[] = [...ENGINE_KINDS, 'world.observed'];
/** Kinds that a visitor can append. */
export const VISITOR_GRANT: readonly string[] = ['user.injected'];

/**
 * Kinds that every cast member can append: a private reflection, visible only to its subscribers.
 */
export const MEMBER_GRANT: readonly string[] = ['agent.reflected'];

/** Kinds that every cast member sees, from any author. */
export const PUBLIC_KINDS: ReadonlySet<string> = new Set([
  'agent.spoke',
  'judge.verdict',
  'run.started',
  'user.injected',
  'world.observed',
]);

/**
 * At least two lowercase words, separated by dots. Without the flag `m`, `$` matches the end of the
 * text only.
 */
const KIND = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)+$/u;
const MAX_KIND_CHARS = 100;

/** Returns true if `kind` has the syntax of a kind. */
export function isEventKind(kind: unknown): kind is string {
  return typeof kind === 'string' && kind.length <= MAX_KIND_CHARS && KIND.test(kind);
}

/** Returns true if only the engine appends `kind`. It appends a visitor's messages too. */
export function isEngineKind(kind: string): boolean {
  return VISITOR_GRANT.includes(kind) || ENGINE_KINDS.some((engineKind) => engineKind === kind);
}
