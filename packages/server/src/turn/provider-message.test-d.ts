import type { ModelMessage } from 'ai';
import { expectTypeOf, it } from 'vitest';
import type { ProviderMessage } from './provider-message.ts';

it('is assignable to the AI SDK type', () => {
  expectTypeOf<ProviderMessage>().toExtend<ModelMessage>();
});
