import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentStep } from './agent-step.ts';
import { step } from './agent-step.ts';
import { scriptedAgent, type ScriptedAgent } from './scripted-agent.ts';

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(agent: ScriptedAgent, prompt = 'Go.'): Promise<Ended> {
  const { command, stdin } = agent.buildPrintCommand({ prompt, dangerouslySkipPermissions: true });
  const child = spawn('sh', ['-c', command]);
  child.stdin.end(stdin);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>, // the first argument of `close`
  ]);
  return { exitCode, stdout, stderr };
}

test('plays its steps in order', async () => {
  const agent = scriptedAgent({
    steps: [step.print('a'), step.complain('careful'), step.pause(1), step.print("b'\n", 2)],
  });

  expect(await start(agent)).toEqual({ exitCode: 0, stdout: "ab'\nb'\n", stderr: 'careful' });
});

test('ends with the exit code of a step, and does nothing after it', async () => {
  const agent = scriptedAgent({ steps: [step.print('a'), step.exit(3), step.print('b')] });

  expect(await start(agent)).toEqual({ exitCode: 3, stdout: 'a', stderr: '' });
});

test('prints a large text completely before it exits', async () => {
  const { stdout } = await start(
    scriptedAgent({ steps: [step.print('x'.repeat(1_000), 3_000), step.exit(0)] }),
  );

  expect(stdout).toHaveLength(3_000_000);
});

test('prints the output of a shell command only on request', async () => {
  const steps = [step.shell('echo quiet'), step.print('<r>'), step.shell('echo loud', { isPrinted: true })];

  expect((await start(scriptedAgent({ steps }))).stdout).toBe('<r>loud');
});

test('ends with the exit code and the stderr of a shell command that fails', async () => {
  const steps = [step.shell('echo broken >&2; exit 7'), step.print('never')];

  expect(await start(scriptedAgent({ steps }))).toEqual({ exitCode: 7, stdout: '', stderr: 'broken\n' });
});

test('decides the steps of each process from its prompt and its number', async () => {
  const agent = scriptedAgent({ steps: ({ prompt, callIndex }) => [step.print(`${callIndex}:${prompt}`)] });

  expect((await start(agent, 'one')).stdout).toBe('0:one');
  expect((await start(agent, 'two')).stdout).toBe('1:two');
  expect(agent.prompts).toEqual(['one', 'two']);
});

test('refuses an invalid step, with its position', () => {
  const wrong = { type: 'pause', pauseMs: -1 } as AgentStep;

  expect(() => scriptedAgent({ steps: [step.print('a'), wrong] })).toThrow(UsageError);
  expect(() => scriptedAgent({ steps: [step.print('a'), wrong] })).toThrow('steps[1]');
  // Values that a JavaScript user can pass.
  expect(() => scriptedAgent({ steps: [{ type: 'dance' } as unknown as AgentStep] })).toThrow('steps[0]');
});

test('reads its whole stdout as the text of the agent', () => {
  const parser = scriptedAgent({ steps: [] }).createStreamParser();

  expect([...parser.push('<res'), ...parser.push('ult>'), ...parser.end()]).toEqual([
    { type: 'text', text: '<res' },
    { type: 'text', text: 'ult>' },
  ]);
});
