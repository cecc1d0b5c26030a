/** Tests of the defaults of a manifest: those of TypeScript are those of YAML. */
import { expect, expectTypeOf, it } from 'vitest';
import { manifestAgent } from '../agent/manifest-agent.ts';
import { stubProvider } from '../providers/stub-provider.ts';
import { completeManifest, type AgentManifest } from './agent-manifest.ts';
import { parseAgentManifest } from './load-ensemble.ts';
import { toCastMember } from './to-ensemble-scenario.ts';

const SHORT: AgentManifest = {
  name: 'keeper',
  persona: 'You keep the lighthouse.',
  mayEmit: ['agent.spoke'],
  schedule: { tickEvery: 0 },
};
const YAML = `name: keeper
persona: You keep the lighthouse.
may_emit: [agent.spoke]
schedule: { tick_every: 0 }
`;

it('a manifest with its required members has the defaults of the same YAML', async () => {
  const parsed = await parseAgentManifest(YAML, 'keeper.yaml');
  expect(completeManifest(SHORT)).toEqual(parsed);
  expect(toCastMember(SHORT, 'stub')).toEqual(toCastMember(parsed, 'stub'));
});

it('an agent is made of a manifest with its required members', () => {
  expect(manifestAgent({ manifest: SHORT, provider: stubProvider() }).name).toBe('keeper');
});

it('what is given stays', () => {
  const given = { ...SHORT, role: 'judge', memory: { window: 3 }, schedule: { maxConsecutive: 1 } } as const;
  expect(completeManifest(given)).toMatchObject({
    role: 'judge',
    memory: { window: 3, useSalience: false, salienceTopK: 8 },
    schedule: { maxConsecutive: 1 },
  });
});

it('only name, persona and grant are required', () => {
  type Optional = { [K in keyof AgentManifest]-?: object extends Pick<AgentManifest, K> ? never : K };
  expectTypeOf<Optional[keyof AgentManifest]>().toEqualTypeOf<'mayEmit' | 'name' | 'persona'>();
});
