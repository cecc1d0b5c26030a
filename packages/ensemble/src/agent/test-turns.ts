/**
 * Shared test fixtures for agents: turns that record charges, manifests, and providers with
 * scripted answers.
 */
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { AgentManifest } from '../manifest/agent-manifest.ts';
import type { AgentScenario } from '../scenario/agent-scenario.ts';
import type { AgentTurn, ModelCall } from '../scenario/ensemble-agent.ts';
import type { Provider, ProviderRequest, StructuredRequest } from '../providers/provider.ts';

/** A turn and its charges. */
export interface TestTurn extends AgentTurn {
  readonly charged: ModelCall[];
}

export function turnOf(parts: Partial<AgentTurn> = {}): TestTurn {
  const charged: ModelCall[] = [];
  return {
    runId: 'run',
    turn: 3,
    seed: 'seed',
    visible: [],
    unreflected: 0,
    scene: 'A lamp burns in the harbour.',
    isLast: false,
    signal: new AbortController().signal,
    charge: async (call) => void charged.push(call),
    ...parts,
    charged,
  };
}

export function manifestOf(parts: Partial<AgentManifest> = {}): AgentManifest {
  return {
    name: 'keeper',
    role: 'worker',
    persona: 'You keep the lighthouse, and trust no ship.',
    subscribesTo: [],
    mayEmit: ['agent.spoke'],
    schedule: { tickEvery: 0, maxConsecutive: 3 },
    modelProfile: 'fast',
    memory: { window: 8, useSalience: false, salienceTopK: 8 },
    outputExtraFields: [],
    ...parts,
  };
}

export function eventOf(parts: Partial<LedgerEvent> & { readonly text?: string } = {}): LedgerEvent {
  const { text = 'The tide is late.', ...others } = parts;
  return {
    id: crypto.randomUUID(),
    runId: 'run',
    offset: 1,
    turn: 1,
    kind: 'agent.spoke',
    actor: 'ada',
    payload: { text },
    createdAt: '2026-01-01T00:00:00.000Z',
    schemaVersion: 1,
    ...others,
  };
}

/** A contest of two players with a judge and an observer. */
export const CONTEST: AgentScenario = {
  goal: 'Find the better liar.',
  cast: [
    { name: 'ada-lovelace', role: 'worker' },
    { name: 'bob', role: 'worker' },
    { name: 'arbiter', role: 'judge' },
    { name: 'herald', role: 'observer' },
  ],
  competition: { kind: 'judged' },
};

/** The judge of `CONTEST`. */
export const JUDGE: AgentManifest = manifestOf({
  name: 'arbiter',
  role: 'judge',
  mayEmit: ['judge.verdict'],
  outputExtraFields: ['winner', 'scores'],
});

/** A reply, or an error to throw instead. */
export type TestReply = string | Error;

/** A provider with `complete` only, scripted by a list. It records its requests. */
export function wordsProvider(
  replies: readonly TestReply[],
): Provider & { readonly asked: ProviderRequest[] } {
  const asked: ProviderRequest[] = [];
  return {
    model: 'words',
    asked,
    async complete(request) {
      const reply = replies[asked.push(request) - 1];
      if (typeof reply !== 'string') throw reply ?? new RangeError('asked too often');
      const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 1 };
      await request.onCall({ model: 'words-1', usage, durationMs: 1, code: 'ok' });
      return { text: reply, usage, model: 'words-1' };
    },
  };
}

/** A provider with both methods, each scripted by its own list. */
export function bothProvider(
  values: readonly unknown[],
  replies: readonly TestReply[] = [],
): Provider & { readonly asked: ProviderRequest[]; readonly structured: StructuredRequest[] } {
  const structured: StructuredRequest[] = [];
  return {
    ...wordsProvider(replies),
    structured,
    async completeStructured(request) {
      const value = values[structured.push(request) - 1];
      if (value instanceof Error) throw value;
      const usage = { ...NO_USAGE, inputTokens: 20, outputTokens: 2 };
      await request.onCall({ model: 'both-1', usage, durationMs: 1, code: 'ok' });
      return { value, usage, attempts: 1, model: 'both-1' };
    },
  };
}
