import type { ModelMessage } from 'ai';
import { expectTypeOf, it } from 'vitest';
import type { ProviderMessage } from './provider-message.ts';

it('is what the AI SDK takes', () => {
  expectTypeOf<ProviderMessage>().toExtend<ModelMessage>();
});
