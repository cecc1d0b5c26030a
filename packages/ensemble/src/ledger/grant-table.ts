/**
 * Grants: the kinds that each actor can append, with those of the engine. Rejects unsafe grants, and
 * each event outside its actor's grant. Pure.
 */
import { readOrRefuse, UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import {
  CONDUCTOR,
  CONDUCTOR_GRANT,
  isEngineKind,
  isEventKind,
  MEMBER_GRANT,
  VISITOR,
  VISITOR_GRANT,
} from './event-kinds.ts';

/** An actor and its grant. */
export interface Granted {
  readonly name: string;
  /** The kinds that it can append. */
  readonly mayEmit: readonly string[];
}

/** Options of a ledger. */
export interface LedgerOptions {
  /**
   * Actors and the kinds that they can append, for example a scenario's cast. `conductor` and
   * `visitor` have built-in grants. @default []
   */
  readonly cast?: readonly Granted[];
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/** Allowed kinds by actor name. */
export type GrantTable = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the grants, extended by those of `conductor`, `visitor` and every member.
 *
 * @throws UsageError `invalid-option` for a name or kind of the engine, or an invalid kind
 */
export function grantTable(cast: readonly Granted[]): GrantTable {
  const what = ['cast', 'a list of members, each with a name and `mayEmit`'] as const;
  return readOrRefuse(cast, what, () => readGrants(cast));
}

function readGrants(cast: readonly Granted[]): GrantTable {
  for (const { name, mayEmit } of cast) assertGrant(name, mayEmit);
  return new Map<string, ReadonlySet<string>>([
    ...cast.map(({ name, mayEmit }) => [name, new Set([...mayEmit, ...MEMBER_GRANT])] as const),
    [CONDUCTOR, new Set(CONDUCTOR_GRANT)],
    [VISITOR, new Set(VISITOR_GRANT)],
  ]);
}

/**
 * Checks that an actor's grant contains the kind of the event.
 *
 * @throws LedgerError `invalid-event`, `not-granted`
 */
export function assertGranted(actor: string, kind: unknown, granted: ReadonlySet<string>): void {
  if (!isEventKind(kind)) {
    throw new LedgerError(
      `Expected \`kind\` to be lowercase words separated by dots, such as \`agent.spoke\`, got ${describeValue(kind)}. Correct it.`,
      { code: 'invalid-event' },
    );
  }
  if (!granted.has(kind)) {
    throw new LedgerError(
      `Expected \`${actor}\` to append one of ${[...granted].join(', ')}, got \`${kind}\`. Add it to the grant, or emit another kind.`,
      { code: 'not-granted' },
    );
  }
}

function assertGrant(actor: string, kinds: readonly string[]): void {
  if (actor === CONDUCTOR || actor === VISITOR || actor.trim() === '') {
    refuse(
      `Expected a grant to name a member of the cast, got ${describeValue(actor)}. Choose another name.`,
    );
  }
  for (const kind of kinds) {
    if (!isEventKind(kind)) {
      refuse(
        `Expected the grant of \`${actor}\` to contain kinds such as \`agent.spoke\`, got ${describeValue(kind)}. Write lowercase words separated by dots.`,
      );
    }
    if (isEngineKind(kind)) {
      refuse(
        `Expected the grant of \`${actor}\` to contain no kind of the engine, got \`${kind}\`. Remove it: only the engine appends it.`,
      );
    }
  }
}

function refuse(message: string): never {
  throw new UsageError(message);
}
