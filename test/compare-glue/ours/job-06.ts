/** Job 6: a nightly batch over repositories. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claudeCode, noSandbox, Output, runBatch } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

const schema = z.object({ ok: z.boolean(), version: z.string().regex(/^\d+\.\d+\.\d+$/) });
const output = Output.object({ tag: 'answer', schema, maxCorrections: 2 });

export async function job({ repos = [], input }: World) {
  const { state, limitMs } = input as { state: string; limitMs: number };
  const results: Record<string, z.infer<typeof schema> | { error: string }> = {};
  const waiting = [...repos];
  const work = async () => {
    for (let repo = waiting.shift(); repo !== undefined; repo = waiting.shift()) {
      const out = join(state, `${basename(repo)}.jsonl`);
      await runBatch({
        agent: claudeCode(),
        sandbox: noSandbox(),
        cwd: repo,
        inputs: [{ id: repo }],
        prompt: `Which version is this, and is it in order? ${Output.instructions(output)}`,
        output,
        out,
        readOnly: true,
        timeouts: { runMs: limitMs / 2 },
      });
      const result = JSON.parse(readFileSync(out, 'utf8').trim().split('\n').at(-1) ?? '');
      results[repo] = result.status === 'ok' ? result.output : { error: result.error.message };
    }
  };
  await Promise.all([work(), work()]);
  return results;
}
