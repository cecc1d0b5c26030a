/** Job 4: three agents at one task, and a model that chooses. */
import { claudeCode, createSandbox, generate, noSandbox, openAICompatible, Output } from 'truecast';
import { z } from 'zod';
import type { World } from '../world.ts';

export async function job({ cwd, model, modelUrl, apiKey, input }: World) {
  const { limitMs } = input as { limitMs: number };
  const agent = claudeCode();
  const places = await Promise.all(
    [1, 2, 3].map((n) => createSandbox({ branch: `try-${n}`, cwd, sandbox: noSandbox(), agents: [agent] })),
  );
  try {
    const tries = await Promise.all(
      places.map(async (place, index) => {
        await place.run({ agent, prompt: 'Write solution.txt. Commit.', timeouts: { runMs: limitMs / 2 } });
        const { stdout } = await place.exec('git diff main HEAD');
        return `Solution ${index + 1}:\n${stdout}`;
      }),
    );
    const { output } = await generate({
      model: openAICompatible({ baseURL: modelUrl, model, apiKey }),
      prompt: `Which of these solutions is the best?\n${tries.join('\n')}`,
      output: Output.object({
        schema: z.object({ winner: z.literal([1, 2, 3]), why: z.string() }),
      }),
    });
    const winner = places[output.winner - 1];
    const losers = places.filter((place) => place !== winner);
    for (const loser of losers) await loser.close();
    await winner?.exec(`git branch -D ${losers.map(({ branch }) => branch).join(' ')}`);
    await winner?.close({ merge: { deleteBranch: true } });
    return { winner: output.winner };
  } finally {
    for (const place of places) await place.close();
  }
}
