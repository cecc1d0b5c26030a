import { expect, it } from 'vitest';
import { decideTakeover, type TakeoverFacts } from './decide-takeover.ts';

/** A run of a lost machine whose agent was working, without its session. */
const LOST: TakeoverFacts = {
  phase: 'working',
  policy: 'auto',
  isHere: false,
  agentMayLive: false,
  hasSession: false,
  commits: 'none',
  hasBase: true,
  isContained: true,
};
const SESSION = { hasSession: true };
const OPEN = { isContained: false };

it.each<readonly [name: string, facts: Partial<TakeoverFacts>, decision: string]>([
  ['no agent has started', { phase: 'preparing' }, 'start'],
  ['no agent has started, and its worker can be alive', { phase: 'preparing', agentMayLive: true }, 'start'],
  ['the state is here', { isHere: true, ...OPEN }, 'continue'],
  ['the state is here, with an answer', { isHere: true, phase: 'answered', commits: 'lost' }, 'continue'],
  ['answered without commits', { phase: 'answered' }, 'finish'],
  ['answered, and its commits are reachable', { phase: 'answered', commits: 'reachable' }, 'finish'],
  ['settled, and its commits are reachable', { phase: 'settled', commits: 'reachable', ...OPEN }, 'finish'],
  ['answered, and its commits are lost', { phase: 'answered', commits: 'lost' }, 'no_tree'],
  ['settled, and its commits are lost', { phase: 'settled', commits: 'lost' }, 'no_tree'],
  ['answered in another history', { phase: 'answered', hasBase: false }, 'no_tree'],
  ['the agent can be alive', { agentMayLive: true, ...SESSION }, 'agent_may_live'],
  [
    'the agent can be alive, and is to be restarted',
    { agentMayLive: true, policy: 'restart' },
    'agent_may_live',
  ],
  ['a session', SESSION, 'resume'],
  ['a session, and it can have called a service', { ...SESSION, ...OPEN }, 'resume'],
  ['a session, and its commits are lost', { ...SESSION, commits: 'lost' }, 'resume'],
  ['a session, resume', { ...SESSION, policy: 'resume' }, 'resume'],
  ['a session, restart', { ...SESSION, policy: 'restart' }, 'resume'],
  ['a session, fail', { ...SESSION, policy: 'fail' }, 'no_tree'],
  ['a session, and another history', { ...SESSION, hasBase: false }, 'no_tree'],
  ['no session, contained', {}, 'restart'],
  ['no session, and it can have called a service', OPEN, 'no_session'],
  ['no session, restart', { ...OPEN, policy: 'restart' }, 'restart'],
  ['no session, resume', { policy: 'resume' }, 'no_session'],
  ['no session, fail', { policy: 'fail' }, 'no_session'],
  ['no session, and another history', { hasBase: false }, 'no_tree'],
])('%s', (_name, facts, expected) => {
  const decision = decideTakeover({ ...LOST, ...facts });
  expect(decision.type === 'lost' ? decision.reason : decision.type).toBe(expected);
});
