import { expect, it } from 'vitest';
import { claimOrder, reachedLimit, type ClaimFacts, type RunLane } from './claim-order.ts';

const lane = (owner: string, repository = 'web', agent = 'claude-code'): RunLane => ({
  owner,
  repository,
  agent,
});

function order(facts: Partial<ClaimFacts>): readonly string[][] {
  const ordered = claimOrder({
    lanes: [],
    held: [],
    limits: {},
    offers: { repositories: ['web', 'api'], agents: ['claude-code', 'codex'] },
    lastStart: () => 0,
    ...facts,
  });
  return ordered.map((lanes) =>
    lanes.map(({ owner, repository, agent }) => `${owner} ${repository} ${agent}`),
  );
}

it('puts the owner with the fewest running runs first, however many are queued', () => {
  const held = [{ ...lane('busy'), count: 1 }];
  const lanes = [lane('busy'), lane('busy', 'api'), lane('idle')];
  expect(order({ lanes, held })).toEqual([
    ['idle web claude-code'],
    ['busy web claude-code', 'busy api claude-code'],
  ]);
});

it('puts the owner whose last run started the longest time ago first, of equal ones', () => {
  const starts: Record<string, number> = { a: 2, b: 1 };
  expect(order({ lanes: [lane('a'), lane('b')], lastStart: (owner) => starts[owner] ?? 0 })).toEqual([
    ['b web claude-code'],
    ['a web claude-code'],
  ]);
});

it('leaves out what the process does not offer', () => {
  expect(
    order({ lanes: [lane('a', 'other'), lane('a', 'web', 'other'), lane('a', 'api', 'codex')] }),
  ).toEqual([['a api codex']]);
});

it('leaves out lanes at a limit, and counts over all other members', () => {
  const held = [
    { ...lane('a', 'web', 'codex'), count: 1 },
    { ...lane('b', 'web', 'claude-code'), count: 1 },
  ];
  const of = (limits: ClaimFacts['limits']): unknown => [
    reachedLimit(lane('c'), held, limits),
    reachedLimit(lane('a', 'api'), held, limits),
    reachedLimit(lane('c', 'api', 'codex'), held, limits),
  ];
  expect(of({ perRepository: 2 })).toEqual(['repository_limit', undefined, undefined]);
  expect(of({ perOwner: 1 })).toEqual([undefined, 'owner_limit', undefined]);
  expect(of({ perAgent: 1 })).toEqual(['agent_limit', 'agent_limit', 'agent_limit']);
  expect(of({})).toEqual([undefined, undefined, undefined]);
  expect(order({ lanes: [lane('c'), lane('c', 'api')], held, limits: { perRepository: 2 } })).toEqual([
    ['c api claude-code'],
  ]);
});
