/** Tests of the events with which a run previews the elements of a list. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { runOptions } from './fixture.ts';

const validated: unknown[] = [];
const element = z.object({ id: z.number() }).transform(({ id }) => {
  validated.push(id);
  return { id, isValid: true };
});
const output = Output.array({ tag: 'list', element });

/** An agent that corrects itself: the first list has a wrong element. */
const agent = scriptedAgent({
  steps: [
    step.print('<list>[{"id":1},{"id":2},{"i'),
    step.pause(50),
    step.print('d":"x"},{"id":4}]</list> No: <list>[{"id":1},{"id'),
    step.pause(50),
    step.print('":3},{"id":5}]</list>'),
  ],
});

it('previews each element of the text when it is valid, and begins anew with a later list', async () => {
  const running = run({ ...runOptions('', { agent }), prompt: 'Answer in <list>.', output });
  const events: RunEvent[] = [];
  for await (const event of running) events.push(event);
  const elements = events.flatMap((event) => {
    if (event.type !== 'element') return [];
    const { draft, index, value, iteration } = event;
    return [{ draft, index, value, iteration }];
  });
  const at = (draft: number, index: number, id: number): object => ({
    draft,
    index,
    value: { id, isValid: true },
    iteration: 1,
  });
  expect(elements).toEqual([at(1, 0, 1), at(1, 1, 2), at(2, 0, 1), at(2, 1, 3)]);
  const types = events.map(({ type }) => type);
  expect(types.lastIndexOf('element')).toBeLessThan(types.indexOf('attempt-end'));
  expect((await running).output.map(({ id }) => id)).toEqual([1, 3, 5]);
});

it('validates only the answer if nothing reads the events', async () => {
  validated.length = 0;
  const result = await run({ ...runOptions('', { agent }), prompt: 'Answer in <list>.', output });
  expect(result.output).toHaveLength(3);
  expect(validated).toEqual([1, 3, 5]);
});
