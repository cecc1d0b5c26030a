/** Tests of A1: parts and drafts of broken answers, and the schema. */
import { expect } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { ANSWER, play, rightOf } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { say, type AnsweringRoute } from './said-by-agent.ts';

const SCHEMA = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';

async function refuseParts(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const broken = right.replace(':', '');
  for (const said of [`{"step" 1,"best":${right}}`, `${right}\nNo, better:\n${broken}`, SCHEMA]) {
    expect((await play(route, reply.text(said)))[0], said).toBe(false);
  }
}

async function refuseTaggedParts(route: AnsweringRoute): Promise<void> {
  const draft = `<result>${ANSWER}</result>\nNo, better: <result>`;
  const parts = [
    `<result>{"step" 1,"best":${ANSWER}}</result>`,
    `${draft}${ANSWER.replace(':', '')}</result>`,
    `${draft}{"answer":4`,
    `<result>${SCHEMA}</result>`,
    '<result>{"answer":…}</result>',
  ];
  for (const said of parts) expect((await say(route, said)).isAccepted, said).toBe(false);
  expect(await say(route, `<result>{"answer":41}</result> No: <result>${ANSWER}</result>`)).toMatchObject({
    isAccepted: true,
    output: expect.stringMatching(/answer\W*42/u),
  });
}

declareGuarantee('A1', {
  'run/none': () => refuseTaggedParts('run/none'),
  'run/bubblewrap': () => refuseTaggedParts('run/bubblewrap'),
  'run/podman': () => refuseTaggedParts('run/podman'),
  kept: () => refuseTaggedParts('kept'),
  batch: () => refuseTaggedParts('batch'),
  generate: () => refuseParts('generate'),
  ensemble: () => refuseParts('ensemble'),
  chat: () => refuseParts('chat'),
  wire: () => refuseParts('wire'),
  runs: inBubblewrap(() => refuseTaggedParts('runs')),
  command: () => refuseTaggedParts('command'),
});
