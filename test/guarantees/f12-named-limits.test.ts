/** Tests of F12: a rule that no engine is asked to hold, and an engine that reports a path as its model. */
import { expect } from 'vitest';
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { startService } from './hostile-service.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

const TAGGED: z.ZodType = z.strictObject({ tags: z.array(z.string()).meta({ uniqueItems: true }) });
const WEIGHTS = '/home/anna/weights/tiny.gguf';

/** Asks an engine that has these weights, and returns all that the route showed. */
async function shown(route: ModelRouteName, content: string): Promise<string> {
  const message = { role: 'assistant', content };
  await using service = await startService((request, response) => {
    const isChat = request.url === '/v1/chat/completions';
    const body = { id: '1', model: WEIGHTS, choices: [{ index: 0, message, finish_reason: 'stop' }] };
    response
      .writeHead(isChat ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(isChat ? body : {}));
  });
  const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url, schema: TAGGED });
  return `${outcome.message}\n${outcome.output}`;
}

function expectNamed(text: string, keyword: string): void {
  expect(text).toMatch(/"?unenforced"?: ?\[/u);
  expect(text).toMatch(new RegExp(`"?keyword"?: ?["']${keyword}["']`, 'u'));
}

async function nameRule(route: ModelRouteName, content: string): Promise<void> {
  const text = await shown(route, content);
  expectNamed(text, 'uniqueItems');
  expect(text).not.toContain('/home/anna');
}

/** The schema of an event has lengths alone, which this service refuses and is then asked without. */
async function nameLength(route: ModelRouteName): Promise<void> {
  const event = rightOf('ensemble');
  expect(await shown(route, event)).not.toContain('/home/anna');
  await using service = await scriptedModelServer({ script: () => reply.text(event) });
  const { output } = await MODEL_ROUTES[route]({ serviceUrl: service.openaiUrl });
  expectNamed(output, 'maxLength');
}

const TAGS = '{"tags":["a"]}';

declareGuarantee('F12', {
  generate: () => nameRule('generate', TAGS),
  ensemble: () => nameLength('ensemble'),
  chat: () => nameRule('chat', TAGS),
  // An answer on the wire has no place for it. A failure has.
  wire: () => nameRule('wire', '{"tags":5}'),
  command: () => nameLength('command'),
});
