import { expect, it } from 'vitest';
import { stubEvent } from './stub-event.ts';

it('crowns the player with the highest score', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const contract = { allowedKinds: ['judge.verdict'], extraFields: ['winner', 'scores'] };
    const event = JSON.parse(stubEvent({ ...contract, winners: ['ada', 'bob', 'cyd'], seed: `${seed}` })) as {
      readonly winner: string;
      readonly scores: Readonly<Record<string, number>>;
    };
    const others = Object.entries(event.scores).filter(([name]) => name !== event.winner);
    expect(event.scores[event.winner]).toBeGreaterThan(Math.max(...others.map(([, score]) => score)));
  }
});
