import { expectTypeOf, it } from 'vitest';
import type { InferOutput } from '../output/definition/definition.ts';
import { Output } from '../output/output.ts';
import { eventSchema } from './event-schema.ts';
import { parseAgentOutput } from './parse-agent-output.ts';

it('knows the granted kinds', () => {
  const options = { allowedKinds: ['a.b', 'c.d'], fallbackKind: 'a.b' } as const;
  const { payload, tier } = parseAgentOutput('', options);
  expectTypeOf(payload.kind).toEqualTypeOf<'a.b' | 'c.d'>();
  expectTypeOf(payload.text).toEqualTypeOf<string>();
  expectTypeOf(payload['mood']).toEqualTypeOf<unknown>();
  expectTypeOf(tier).toEqualTypeOf<'strict' | 'embedded' | 'repaired' | 'raw'>();
});

it('refuses a fallback outside of the grant', () => {
  // @ts-expect-error -- `e.f` is not granted
  parseAgentOutput('', { allowedKinds: ['a.b'], fallbackKind: 'e.f' });
});

it('types an output of events', () => {
  const output = Output.object({ tag: 'event', schema: eventSchema({ allowedKinds: ['a.b', 'c.d'] }) });
  expectTypeOf<InferOutput<typeof output>['kind']>().toEqualTypeOf<'a.b' | 'c.d'>();
});
