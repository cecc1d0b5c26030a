/** Runs the standalone examples as a user does. Each asserts its own result. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

async function runExample(path: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await execa(process.execPath, [join(EXAMPLES, path)], { env, timeout: 60_000 });
  return stdout;
}

it('plays an ensemble of its own, offline, the same each time', async () => {
  const shown = await runExample('ensemble/two-fishers.ts');
  expect(shown).toMatch(/^scale: (ann|ben) was brief\.\nwinner: \1$/mu);
  expect(shown.match(/^(?:ann|ben): /gmu)).toHaveLength(6);
  expect(await runExample('ensemble/two-fishers.ts')).toBe(shown);
});

it('gets a typed answer from a local server, after one that was wrong', async () => {
  await using server = await scriptedModelServer({
    localServer: 'ollama',
    script: [
      reply.text('{"severity":"urgent","labels":[]}'),
      reply.text('{"severity":"high","labels":["crash","parser"]}'),
    ],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'qwen3:8b' };
  expect(await runExample('local-model/triage.ts', env)).toMatch(
    /^high: crash, parser\nroute native, asked 2 times, \d+ tokens written$/u,
  );
});
