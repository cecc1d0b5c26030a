/** `truecast ensemble run` with a model that never complies, as a process. */
import { expect, it } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { temporaryFolder } from './cli-fixture.ts';
import { ensemble, writeFolder } from './ensemble-fixture.ts';

const AGENT = 'name: ada\npersona: You are Ada.\nmay_emit: [agent.spoke]\nschedule: { tick_every: 1 }\n';
const SCENARIO =
  'name: solo\ntitle: Solo\ngoal: Count.\ndefault_seed: fog\ncast: [ada]\ngenesis_text: A pier in {seed}.\n';

it('ends after two turns with `no-progress` and exit code 1', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, { 'ensembles/agents/ada.yaml': AGENT, 'ensembles/scenarios/solo.yaml': SCENARIO });
  // Each reply is withheld, so that no text is left to be used as speech.
  await using server = await scriptedModelServer({
    script: () => reply.text('', { finishReason: 'refusal' }),
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'm' };
  const { stdout, stderr, exitCode } = await ensemble(folder, ['run', 'solo'], env);
  expect(JSON.parse(stdout), stderr).toMatchObject({ reason: 'no-progress', turns: 2, winner: null });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('no usable answer in two turns');
});
