/** The displayed lines of a run, derived from its events. */
import { describe, expect, it } from 'vitest';
import type { EventProvenance, LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { labelAnswer } from '../pages/answer-label.ts';
import { createEnsembleView, type EnsembleViewOptions } from './ensemble-view.ts';
import { wrapText } from '../../terminal/wrap-text.ts';

const FIRST_TRY: EventProvenance = { path: 'validated', rung: 'validated', attempts: 1 };

type Draft = Pick<LedgerEvent, 'kind' | 'payload'> & Partial<LedgerEvent>;

function recorded(drafts: readonly Draft[]): readonly LedgerEvent[] {
  return drafts.map((draft, index) => ({
    id: `e${index}`,
    runId: 'r',
    offset: index + 1,
    turn: 0,
    actor: 'conductor',
    createdAt: '2026-01-01T00:00:00.000Z',
    schemaVersion: 1,
    ...draft,
  }));
}

function shown(drafts: readonly Draft[], options: Partial<EnsembleViewOptions> = {}): readonly string[] {
  const view = createEnsembleView({ columns: 61, ...options });
  return recorded(drafts)
    .flatMap((event) => view.show(event))
    .map((line) => line.map(({ text }) => text).join(''));
}

const called = (turn: number, code = 'ok'): Draft => ({
  kind: 'model.called',
  turn,
  payload: {
    agent: 'ada',
    model: 'm',
    code,
    usage: {
      inputTokens: 1_000,
      outputTokens: 30,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      costUsd: 0.005,
    },
    duration_ms: 5,
  },
});

it('shows a run from its cast to its outcome', () => {
  const lines = shown(
    [
      {
        kind: 'run.started',
        payload: {
          seed: 'fog',
          goal: 'Find the cat.',
          scenario: 's',
          cast: { ada: { model: 'qwen3', role: 'worker' }, pilot: {} },
        },
      },
      { kind: 'world.observed', payload: { text: 'A quay in fog.' } },
      called(1),
      {
        kind: 'agent.spoke',
        actor: 'ada',
        turn: 1,
        model: 'qwen3',
        payload: { text: 'I hear a bell on the water, and it is not ours.', mood: 'restless' },
        provenance: FIRST_TRY,
      },
      called(2, 'http'),
      { kind: 'agent.failed', turn: 2, payload: { agent: 'ada', code: 'http', message: 'No route.' } },
      { kind: 'run.closing', turn: 2, payload: { reason: 'budget', limit: 'calls' } },
      {
        kind: 'judge.verdict',
        actor: 'pilot',
        turn: 2,
        payload: {
          text: 'It was Ada.',
          accused: 'ada',
          correct: true,
          winner: 'crew',
          scores: { bob: 2, ada: 9 },
        },
        provenance: { ...FIRST_TRY, attempts: 2 },
      },
      {
        kind: 'run.finished',
        turn: 2,
        payload: {
          reason: 'budget',
          winner: 'crew',
          winner_kind: 'team',
          winners: ['ada', 'bob'],
          winning_models: [],
          turns: 2,
          tokens: 2_060,
        },
      },
    ],
    { title: 'The cat', limits: { turns: 3, calls: 4 } },
  );
  expect(lines).toEqual([
    'The cat',
    '  Find the cat.',
    '  Seed: fog',
    '  Cast: ada (qwen3), pilot',
    '',
    '  A quay in fog.',
    '',
    '── turn 1 of 3 · 3 of 4 calls left · 1,030 tokens · $0.01 ──',
    '',
    'ada · first try · qwen3',
    '  I hear a bell on the water, and it is not ours.',
    '  mood: restless',
    '',
    '── turn 2 of 3 · 2 of 4 calls left · 2,060 tokens · $0.01 ──',
    '',
    'ada call failed: http',
    'ada failed, http: No route.',
    '',
    '── the budget is spent (calls) ──',
    '',
    'pilot judge.verdict · re-asked 1×',
    '  It was Ada.',
    '  Accuses ada, correctly.',
    '  Winner: crew',
    '  Scores: ada 9, bob 2',
    '',
    'Winner: crew (ada, bob) · the budget is spent',
    '  2 turns · 2 calls · 2,060 tokens · $0.01 · 1 of 2 answers',
    '  valid on the first try',
    '  pilot judge.verdict: 0 of 1 on the first try, 1 re-asked',
  ]);
});

it('names a shared model once, and groups the notes of one member', () => {
  const cast = { ada: { model: 'qwen3' }, bob: { model: 'qwen3' } };
  const lines = shown([
    { kind: 'run.started', payload: { seed: 'fog', goal: 'Go.', scenario: 's', cast } },
    called(1, 'unsupported'),
    called(1, 'schema-mismatch'),
    {
      kind: 'agent.spoke',
      actor: 'ada',
      turn: 1,
      model: 'qwen3',
      payload: { text: 'Fog.' },
      provenance: { ...FIRST_TRY, attempts: 2 },
    },
    { kind: 'agent.abstained', turn: 1, payload: { agent: 'bob' } },
  ]);
  expect(lines).toContain('  Cast: ada, bob; all played by qwen3');
  expect(lines.slice(-7)).toEqual([
    '',
    'ada asked in another way: the server rejected the request',
    'ada answer not valid: schema-mismatch',
    'ada · re-asked 1×',
    '  Fog.',
    '',
    'bob abstained',
  ]);
});

it('hands nothing on that would steer a terminal', () => {
  const lines = shown([
    {
      kind: 'agent.spoke',
      actor: 'ada',
      turn: 1,
      payload: { text: 'a\u001B[2J\u202Eb\nc', mood: '\u0007x' },
      provenance: FIRST_TRY,
    },
    {
      kind: 'user.injected',
      actor: 'visitor',
      turn: 1,
      payload: { text: 'hi', label: '\u001B]0;t\u0007me' },
    },
  ]);
  const codes = Array.from(lines.join(''), (character) => character.codePointAt(0) ?? 0);
  expect(codes.filter((code) => code < 0x20 || code === 0x202e)).toEqual([]);
  expect(lines).toContain('  ab c');
});

it('throws for no payload, whatever it contains', () => {
  const kinds = [
    'run.started',
    'world.observed',
    'judge.verdict',
    'agent.skipped',
    'model.called',
    'run.finished',
    'a.b',
    'constructor.x',
  ];
  const payloads = [
    {},
    { text: 1, cast: [null, 3], scores: [1], usage: 'x', no_contest: 4 },
    { scores: null, cast: 'x' },
  ];
  for (const kind of kinds) {
    for (const payload of payloads) expect(() => shown([{ kind, payload }])).not.toThrow();
  }
});

it('prints why there is no winner', () => {
  const payload = { text: 'Hm.', winner: null, no_contest: { reason: 'unknown winner', rejected: 'x' } };
  expect(shown([{ kind: 'judge.verdict', actor: 'p', turn: 1, payload }])).toContain(
    '  No contest: unknown winner',
  );
});

describe('how an answer was got', () => {
  it.each<[string, EventProvenance]>([
    ['first try', FIRST_TRY],
    ['first try', { path: 'prompted', rung: 'prompted', attempts: 0, tier: 'strict' }],
    ['re-asked 2×', { ...FIRST_TRY, attempts: 3 }],
    ['re-asked 2× · found in prose', { path: 'validated', rung: 'received', attempts: 3, tier: 'embedded' }],
    ['found in prose', { path: 'validated', rung: 'received', attempts: 1, tier: 'embedded' }],
    ['read leniently', { path: 'validated', rung: 'received', attempts: 1, tier: 'strict' }],
    [
      'asked in the prompt · re-asked 2×',
      { path: 'validated', rung: 'prompted', attempts: 3, tier: 'strict' },
    ],
    [
      'repaired · trailing-comma',
      {
        path: 'prompted',
        rung: 'prompted',
        attempts: 0,
        tier: 'repaired',
        repairs: [{ kind: 'trailing-comma', path: [] }],
      },
    ],
    ['raw text', { path: 'prompted', rung: 'raw', attempts: 0, tier: 'raw' }],
    [
      'wanted run.finished',
      { path: 'prompted', rung: 'prompted', attempts: 0, tier: 'strict', requestedKind: 'run.finished' },
    ],
    [
      'field-missing mood',
      {
        path: 'prompted',
        rung: 'prompted',
        attempts: 0,
        tier: 'strict',
        violations: [{ code: 'field-missing', field: 'mood', got: 'undefined' }],
      },
    ],
    ['winner re-asked', { ...FIRST_TRY, winnerReAsked: true }],
  ])('is "%s"', (words, provenance) => {
    expect(labelAnswer(provenance)).toEqual({ words, isFirstTry: words === 'first try' });
  });
});

describe('wrapping', () => {
  it('breaks between words, and cuts a word that has no room', () => {
    expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapText('a incomprehensible b', 7)).toEqual(['a', 'incomp…', 'b']);
    expect(wrapText('日本語 日本', 6)).toEqual(['日本語', '日本']);
    expect(wrapText(' \n ', 7)).toEqual([]);
  });
});
