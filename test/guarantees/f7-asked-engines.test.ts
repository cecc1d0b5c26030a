/** Tests of F7: `truecast doctor --model` and the kind of engine that ends at what it cannot read. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { runCommand } from './routes/command.ts';

declareGuarantee('F7', {
  command: async () => {
    await using server = await scriptedModelServer({
      localServer: 'llama-cpp-python',
      contextTokens: 4_096,
      script: () => reply.text('blue'),
    });
    const { output } = await runCommand({
      cwd: temporaryFolder(),
      args: ['doctor', '--model', 'local:scripted', '--json'],
      env: { TRUECAST_BASE_URL: server.openaiUrl },
    });
    expect(output).toContain('"schema"');
    expect(server.turns.length).toBeGreaterThan(5);
    const alive = await fetch(`${server.openaiUrl}/models`);
    expect(alive.status).toBe(200);
  },
});
