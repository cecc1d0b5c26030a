/** Models of a test server: their names alone, with the facts of the scripted one. */
import type { ServerModels } from './server-parts.ts';

/** Creates them. The first is the default. */
export function testModels(...ids: readonly [string, ...string[]]): ServerModels {
  return {
    default: ids[0],
    list: () => ids,
    facts: () => ({
      provider: 'openai-compatible',
      isScripted: true,
      mode: 'tool',
      dialect: 'openai',
    }),
  };
}
