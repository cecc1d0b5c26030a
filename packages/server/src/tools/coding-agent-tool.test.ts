import { expect, it } from 'vitest';
import { AgentError } from '@truecast/core/internal/errors/agent-error';
import type { AgentReply, AgentRunner, AgentTask } from '../agents/agent-runner.ts';
import { codingAgentTools } from './coding-agent-tool.ts';
import type { ToolOutcome } from './server-tool.ts';
import { context } from './test-context.ts';

async function run(
  input: Parameters<ReturnType<typeof codingAgentTools>[number]['run']>[0],
  answer: (task: AgentTask) => Promise<AgentReply>,
  signal: AbortSignal = context.signal,
): Promise<ToolOutcome | undefined> {
  const agents: AgentRunner = { list: () => ['claude-code', 'codex'], run: answer };
  return codingAgentTools(agents)[0]?.run(input, { ...context, signal });
}

it('returns the answer with its branch and its commits', async () => {
  const work = { branch: 'truecast/x', commits: ['abc'] };
  expect(
    await run({ agent: 'codex', task: 'Mend it' }, async (task) => ({ text: `did: ${task.prompt}`, work })),
  ).toEqual({
    result: { answer: 'did: Mend it', branch: 'truecast/x', commits: ['abc'] },
    isError: false,
  });
});

it('returns a value for a schema', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const asked = await run({ agent: 'codex', task: 'Count', schema }, async ({ output }) => ({
    text: JSON.stringify({ n: output === undefined ? 0 : 7 }),
  }));
  expect(asked).toEqual({ result: { answer: { n: 7 } }, isError: false });
});

it.each([
  [{ agent: 'gemini', task: 'x' }, 'agent'],
  [{ agent: 'codex', task: '' }, 'task'],
  [{ agent: 'codex', task: 'x', schema: { type: 'nothing' } }, 'type'],
])('starts no agent for %j', async (input, told) => {
  let started = 0;
  const outcome = await run(input, async () => {
    started += 1;
    return { text: '' };
  });
  expect(outcome).toMatchObject({ isError: true, result: expect.stringContaining(told) });
  expect(started).toBe(0);
});

it('reports why an agent returned no answer', async () => {
  const outcome = await run({ agent: 'codex', task: 'x' }, () =>
    Promise.reject(new AgentError('It ended with exit code 3.', { code: 'exit' })),
  );
  expect(outcome).toEqual({ result: 'It ended with exit code 3.', isError: true });
});

it('returns the digits next to a value if a parsed number would lose them', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const text = '{"n":9007199254740993}';
  const asked = await run({ agent: 'codex', task: 'Count', schema }, async () => ({ text }));
  expect(asked).toMatchObject({ result: { answer_text: text }, isError: false });
});

it('names the branch of an agent that failed with commits', async () => {
  const evidence = { branch: 'truecast/x', commits: [{ sha: 'abc' }] };
  const outcome = await run({ agent: 'codex', task: 'x' }, () =>
    Promise.reject(new AgentError('It ended with exit code 3.', { code: 'exit', ...evidence })),
  );
  expect(outcome).toMatchObject({ isError: true, result: expect.stringMatching(/truecast\/x.*abc/u) });
});

it('names the branch of an agent that was stopped', async () => {
  const stop = new AbortController();
  const outcome = await run(
    { agent: 'codex', task: 'x' },
    async ({ onBranch, signal }) => {
      onBranch?.('truecast/y');
      stop.abort();
      signal.throwIfAborted();
      return { text: '' };
    },
    stop.signal,
  );
  expect(outcome).toMatchObject({ isError: true, result: expect.stringContaining('`truecast/y`') });
});

it('waits for a durable agent without its slot, and names the run', async () => {
  const asked: AgentTask[] = [];
  const agents: AgentRunner = {
    isDurable: true,
    list: () => ['codex'],
    run: async (task) => {
      asked.push(task);
      return { text: 'Done.', runId: task.caller.taskId };
    },
  };
  const [tool] = codingAgentTools(agents);
  expect(tool).toMatchObject({ isDurable: true, idempotentHint: true });
  let waits = 0;
  const call = (messageId: number): Promise<ToolOutcome> | undefined =>
    tool?.run(
      { agent: 'codex', task: 'x' },
      {
        ...context,
        messageId,
        whileWaiting: (wait) => {
          waits += 1;
          return wait();
        },
      },
    );
  const first = await call(1);
  const repeated = await call(1);
  await call(2);
  const [id, same, other] = asked.map(({ caller }) => caller.taskId);
  expect(first).toEqual({ result: { answer: 'Done.', run_id: id }, isError: false });
  expect(repeated).toEqual(first);
  expect(same).toBe(id);
  expect(other).not.toBe(id);
  expect(asked[0]?.caller).toMatchObject({ owner: 'o', parent: { id: 'c', relation: 'chat' } });
  expect(waits).toBe(3);
});

it('does not exist without an agent', () => {
  expect(codingAgentTools({ list: () => [], run: () => Promise.reject(new TypeError('none')) })).toEqual([]);
});
