/** Checks that the form that connects a model proposes the models that a server takes for a key. */
import { expect, it } from 'vitest';
import { MODEL_OF_PROVIDER } from '../../packages/server/src/serve/server-models.ts';
import { KINDS } from '../../web/src/connect/model-kinds.ts';

it('each hosted service has the default model of a server', () => {
  const hosted = KINDS.filter(({ address }) => address === undefined);
  expect(Object.fromEntries(hosted.map(({ provider, model }) => [provider, model]))).toEqual(
    MODEL_OF_PROVIDER,
  );
});
