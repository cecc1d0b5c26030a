/**
 * Shared test fixtures of the engine: scripted members, a scenario of four, and failing ledgers.
 */
import type { AgentAct, AgentTurn, EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { EventDraft, Ledger } from '../ledger/ledger.ts';
import type { EventProvenance, LedgerEvent } from '../ledger/ledger-event.ts';
import { memoryLedger } from '../ledger/memory-ledger.ts';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import type { EnsembleOptions } from './ensemble.ts';

export const PROVENANCE: EventProvenance = {
  path: 'prompted',
  rung: 'prompted',
  attempts: 0,
  tier: 'strict',
};

const NO_USAGE = {
  inputTokens: 10,
  outputTokens: 5,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
} as const;

/** A seat. Default: a worker that is asked every turn. */
export function seat(name: string, change: Partial<CastMember> = {}): CastMember {
  return {
    name,
    role: 'worker',
    mayEmit: ['agent.spoke', 'agent.thought', 'agent.reflected'],
    subscribesTo: [],
    tickEvery: 0,
    maxConsecutive: 1000,
    memory: { window: 8 },
    model: `model-of-${name}`,
    ...change,
  };
}

function scenario(cast: readonly CastMember[], change: Partial<EnsembleScenario> = {}): EnsembleScenario {
  return {
    name: 'harbour',
    goal: 'Find the lantern.',
    seed: 'fog',
    genesisText: 'The harbour lies in {seed}.',
    cast,
    ...change,
  };
}

export function speaks(
  text: string,
  kind = 'agent.spoke',
  extra: Readonly<Record<string, unknown>> = {},
): AgentAct {
  return { type: 'event', kind, payload: { text, ...extra }, provenance: PROVENANCE, model: 'scripted' };
}

/** A scripted agent. */
export function player(name: string, act: (turn: AgentTurn) => AgentAct | Promise<AgentAct>): EnsembleAgent {
  return { name, act: async (turn) => await act(turn) };
}

/** An agent that makes one call and reports in which turn it was asked, and why. */
export function talker(name: string): EnsembleAgent {
  return player(name, async (turn) => {
    await charge(turn);
    return speaks(
      `${name} in turn ${turn.turn} after ${turn.visible.length}: ${turn.cause?.kind ?? 'schedule'}`,
    );
  });
}

export async function charge(
  turn: AgentTurn,
  change: Partial<Parameters<AgentTurn['charge']>[0]> = {},
): Promise<void> {
  await turn.charge({ model: 'scripted', usage: NO_USAGE, durationMs: 1, code: 'ok', ...change });
}

/** Options of a play on a ledger in memory. */
export function options(
  cast: readonly CastMember[],
  agents: readonly EnsembleAgent[],
  change: Partial<EnsembleOptions> & { readonly scenarioChange?: Partial<EnsembleScenario> } = {},
): EnsembleOptions & { readonly runId: string } {
  const { scenarioChange, ...rest } = change;
  return {
    scenario: scenario(cast, scenarioChange),
    agents,
    ledger: memoryLedger({ cast }),
    runId: 'run-1',
    ...rest,
  };
}

export async function eventsOf(ledger: Ledger, runId = 'run-1'): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  for await (const event of ledger.read(runId)) events.push(event);
  return events;
}

/** One line per event: actor, kind and turn. */
export function linesOf(events: readonly LedgerEvent[]): string[] {
  return events.map(({ turn, actor, kind, payload }) => {
    const about = typeof payload['agent'] === 'string' ? `(${payload['agent']})` : '';
    return `${turn} ${actor} ${kind}${about}`;
  });
}

/**
 * The story of a run without ids, times, and calls wasted by a crash. Those are charged, and
 * subtracted here.
 */
export function storyOf(events: readonly LedgerEvent[]): unknown[] {
  const told = events.filter((_event, index) => !isInVain(events, index));
  const isTold = new Set(told);
  const tokensInVain = events
    .filter((event) => !isTold.has(event))
    .reduce((sum, event) => sum + tokensOf(event), 0);
  const places = new Map(told.map(({ id }, index) => [id, index]));
  return told.map(({ id: _id, offset: _offset, createdAt: _createdAt, causedBy, payload, ...rest }) => {
    const { duration_ms: _duration, tokens, ...words } = payload;
    const sum = typeof tokens === 'number' ? { tokens: tokens - tokensInVain } : {};
    const cause = causedBy === undefined ? null : places.get(causedBy);
    return { ...rest, payload: { ...words, ...sum }, causedBy: cause };
  });
}

function tokensOf({ payload }: LedgerEvent): number {
  const usage = payload['usage'];
  if (typeof usage !== 'object' || usage === null) return 0;
  const amounts = new Map<string, unknown>(Object.entries(usage));
  return Number(amounts.get('inputTokens')) + Number(amounts.get('outputTokens'));
}

/**
 * A call of an interrupted turn: the same member makes its first call again before its turn has
 * ended.
 */
function isInVain(events: readonly LedgerEvent[], index: number): boolean {
  const event = events[index];
  if (event?.kind !== 'model.called') return false;
  const next = events
    .slice(index + 1)
    .find(({ kind, payload }) => kind !== 'model.called' || payload['call'] === 1);
  return next?.kind === 'model.called';
}

/**
 * A ledger that fails after a number of appends: before the next one, or (`isLate`) after it and
 * before its acknowledgement.
 */
export function breakingLedger(ledger: Ledger, appends: number, isLate = false): Ledger {
  let made = 0;
  return {
    ...ledger,
    as(actor) {
      const handle = ledger.as(actor);
      return {
        async append(draft: EventDraft) {
          made += 1;
          if (made <= appends) return await handle.append(draft);
          if (isLate && made === appends + 1) await handle.append(draft);
          throw new RangeError('The power went out.');
        },
      };
    },
  };
}
