/** Tests of A2: valid answers as text, in a fence, as reasoning, in a call and in an envelope. */
import { expect } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { play, rightOf } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { stream, type AnsweringRoute } from './said-by-agent.ts';

async function acceptElsewhere(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const fence = `\`\`\`json\n${right}\n\`\`\``;
  for (const first of [reply.text(right), reply.text(fence), reply.thinking(right)]) {
    expect(await play(route, first)).toEqual([true, 1]);
  }
}

const END = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' };
const call = { type: 'tool_use', id: 'c1', name: 'StructuredOutput', input: { answer: 42 } };
/** Streams of Claude Code by the label of their answer. */
const STREAMS: Readonly<Record<string, readonly object[]>> = {
  'answer-in-tool-call': [{ type: 'assistant', message: { id: 'm1', content: [call] } }, END],
  'unwrapped-output': [{ ...END, structured_output: { output: { answer: 42 } } }],
  'parsed-string': [{ ...END, structured_output: '{"answer":42}' }],
};

async function acceptFromCall(route: AnsweringRoute): Promise<void> {
  for (const [label, lines] of Object.entries(STREAMS)) {
    const { isAccepted, output, message } = await stream(route, lines);
    expect(isAccepted, message).toBe(true);
    // A receipt has the codes of the wire.
    expect(output).toContain(route === 'runs' ? label.replaceAll('-', '_') : label);
  }
}

declareGuarantee('A2', {
  'run/none': () => acceptFromCall('run/none'),
  'run/bubblewrap': () => acceptFromCall('run/bubblewrap'),
  'run/podman': () => acceptFromCall('run/podman'),
  kept: () => acceptFromCall('kept'),
  batch: () => acceptFromCall('batch'),
  generate: () => acceptElsewhere('generate'),
  ensemble: () => acceptElsewhere('ensemble'),
  chat: () => acceptElsewhere('chat'),
  wire: () => acceptElsewhere('wire'),
  runs: inBubblewrap(() => acceptFromCall('runs')),
  command: () => acceptFromCall('command'),
});
