/**
 * Scenario of four for crash and equality tests: members wake, defer, abstain, fail, skip and
 * judge.
 */
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { CastMember } from '../scenario/ensemble-scenario.ts';
import { player, charge, PROVENANCE, speaks, seat } from './test-ensemble.ts';

/** Two members that wake each other, one observer that fails, and a judge every third turn. */
export const FOUR: readonly CastMember[] = [
  seat('ada', { subscribesTo: ['agent.spoke'], tickEvery: 2, maxConsecutive: 2 }),
  seat('bo', {
    subscribesTo: [{ kind: 'agent.spoke', when: { mood: 'curious' } }, 'user.injected'],
    tickEvery: 0,
  }),
  seat('cy', { role: 'observer', tickEvery: 1, mayEmit: ['agent.thought'] }),
  seat('judge', { role: 'judge', tickEvery: 3, mayEmit: ['judge.verdict'], memory: { window: 20 } }),
];

/** The four agents. Their acts depend on their turn alone. */
export function four(winsInTurn: number): readonly EnsembleAgent[] {
  return [
    player('ada', async (turn) => {
      await charge(turn);
      if (turn.turn % 5 === 0) throw new RangeError(`ada stumbles in turn ${turn.turn}`);
      return speaks(`ada sees ${turn.visible.length}`, 'agent.spoke', {
        mood: turn.unreflected % 2 === 0 ? 'curious' : 'calm',
      });
    }),
    player('bo', async (turn) => {
      await charge(turn, turn.turn % 4 === 0 ? { code: 'rate-limit' } : {});
      await charge(turn);
      return turn.unreflected >= 9
        ? speaks('bo believes in fog', 'agent.reflected')
        : speaks(`bo answers ${turn.cause?.kind ?? 'nobody'}`, 'agent.spoke', { mood: 'curious' });
    }),
    player('cy', (turn) => {
      if (turn.turn % 2 === 0) return { type: 'abstained' };
      if (turn.turn % 3 === 0) {
        return {
          type: 'skipped',
          reason: 'no-text',
          provenance: { ...PROVENANCE, tier: 'raw' },
          model: 'scripted',
        };
      }
      return speaks(`cy notes ${turn.scene}`, 'agent.thought');
    }),
    player('judge', async (turn) => {
      await charge(turn);
      const winner = turn.turn >= winsInTurn || turn.isLast ? 'ada' : null;
      return speaks(`turn ${turn.turn}`, 'judge.verdict', { winner, scores: { ada: turn.turn % 10 } });
    }),
  ];
}
