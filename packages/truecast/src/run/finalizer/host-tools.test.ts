import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StepCall } from '@truecast/core/internal/errors/base/answer-step';
import { readTools } from '@truecast/model/internal/tools/read-tools';
import type { GenerateTools } from '@truecast/model/internal/tools/generate-tool';
import { createHostTools, MAX_ARGUMENT_CHARS, type HostCall, type HostTools } from './host-tools.ts';

const SECRET = 's3cret'.repeat(40);

interface Started {
  readonly host: HostTools;
  readonly told: StepCall[];
  readonly stop: AbortController;
}

async function start(tools: GenerateTools): Promise<Started> {
  const told: StepCall[] = [];
  const stop = new AbortController();
  const host = createHostTools({
    tools: await readTools(tools),
    signal: stop.signal,
    mask: (text) => text.replaceAll(SECRET, '***'),
    onCall: (call) => void told.push(call),
  });
  return { host, told, stop };
}

function call(name: string, args: unknown = {}, signal = new AbortController().signal): HostCall {
  return { name, argumentsText: JSON.stringify(args), signal };
}

/** A tool that counts its starts, and ends when it is let go. */
function gate(): {
  readonly tool: GenerateTools[string];
  readonly state: { started: number; most: number };
  open(): void;
  readonly aborted: Promise<void>;
} {
  const opened = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const state = { started: 0, most: 0 };
  let running = 0;
  return {
    state,
    open: opened.resolve,
    aborted: aborted.promise,
    tool: {
      inputSchema: z.object({}),
      async execute(_input, { signal }) {
        state.started += 1;
        running += 1;
        state.most = Math.max(state.most, running);
        signal.addEventListener('abort', () => aborted.resolve());
        await opened.promise;
        running -= 1;
        return 'done';
      },
    },
  };
}

describe('host tools', () => {
  it('run between the begin and the end of a turn only', async () => {
    const { host } = await start({ now: { inputSchema: z.object({}), execute: () => 'noon' } });
    expect((await host.call(call('now'))).text).toContain('no turn');
    const end = host.beginTurn();
    expect(await host.call(call('now'))).toEqual({ isError: false, text: 'noon' });
    end();
    expect((await host.call(call('now'))).text).toContain('no turn');
  });

  it('are aborted by the end of the turn, and report that they are busy until then', async () => {
    const { tool, aborted, state } = gate();
    const { host, told } = await start({ wait: tool });
    const end = host.beginTurn();
    const result = host.call(call('wait'));
    await expect.poll(() => state.started).toBe(1);
    expect(host.isBusy).toBe(true);
    end();
    await aborted;
    expect(await result).toMatchObject({ isError: true, text: expect.stringContaining('ended') });
    expect(host.isBusy).toBe(false);
    expect(told).toMatchObject([{ name: 'wait', isError: true }]);
  });

  it('are aborted by the run, and by the agent that cancels its call', async () => {
    for (const by of ['run', 'agent'] as const) {
      const { tool, aborted, state } = gate();
      const { host, stop } = await start({ wait: tool });
      const cancel = new AbortController();
      host.beginTurn();
      const result = host.call(call('wait', {}, cancel.signal));
      await expect.poll(() => state.started).toBe(1);
      (by === 'run' ? stop : cancel).abort();
      await aborted;
      expect((await result).isError).toBe(true);
    }
  });

  it('do not start for a call that was cancelled while its arguments were validated', async () => {
    const validated = Promise.withResolvers<void>();
    let started = 0;
    const slow = z.object({}).refine(async () => {
      await validated.promise;
      return true;
    });
    const { host } = await start({ slow: { inputSchema: slow, execute: () => (started += 1) } });
    const cancel = new AbortController();
    host.beginTurn();
    const result = host.call(call('slow', {}, cancel.signal));
    cancel.abort();
    expect((await result).isError).toBe(true);
    validated.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(0);
  });

  it('run at most eight at a time, however many are called', async () => {
    const { tool, open, state } = gate();
    const { host } = await start({ wait: tool });
    host.beginTurn();
    const results = Array.from({ length: 40 }, () => host.call(call('wait')));
    await expect.poll(() => state.started).toBe(8);
    open();
    expect((await Promise.all(results)).every(({ text }) => text === 'done')).toBe(true);
    expect(state).toEqual({ started: 40, most: 8 });
  });

  it('take 10,000 calls of a run, and report no more', async () => {
    let started = 0;
    const { host, told } = await start({
      count: { inputSchema: z.object({}), execute: () => (started += 1) },
    });
    host.beginTurn();
    for (let n = 0; n < 10_000; n += 1) await host.call(call('count'));
    expect(await host.call(call('count'))).toMatchObject({
      isError: true,
      text: expect.stringContaining('10000 calls'),
    });
    expect([started, told.length]).toEqual([10_000, 10_000]);
  });

  it('refuse arguments that are too long or no JSON, without a start', async () => {
    let started = 0;
    const { host } = await start({
      count: { inputSchema: z.looseObject({}), execute: () => (started += 1) },
    });
    host.beginTurn();
    const long = await host.call(call('count', { a: 'x'.repeat(MAX_ARGUMENT_CHARS) }));
    expect(long.text).toContain('more than 1048576 characters');
    const broken = await host.call({ ...call('count'), argumentsText: '{"a":' });
    expect(broken.text).toContain('not valid JSON');
    expect(started).toBe(0);
  });

  it('mask a secret before the result is cut, in an exception and in an issue', async () => {
    const { host } = await start({
      // The cut is within the secret.
      long: {
        inputSchema: z.object({}),
        execute: () => `${'x'.repeat(65_400)}${SECRET}${'y'.repeat(9_000)}`,
      },
      value: { inputSchema: z.object({}), execute: () => ({ token: SECRET }) },
      fail: {
        inputSchema: z.object({}),
        execute: () => {
          throw new RangeError(`no access with ${SECRET}`);
        },
      },
      refuse: {
        inputSchema: z.object({}).refine(() => false, { message: `Send ${SECRET}` }),
        execute: () => 1,
      },
    });
    host.beginTurn();
    const [long, value, fail, refuse] = await Promise.all(
      ['long', 'value', 'fail', 'refuse'].map((name) => host.call(call(name))),
    );
    expect(long?.text.length).toBe(65_536);
    expect(long?.text).not.toContain('s3');
    expect(value).toEqual({ isError: false, text: '{"token":"***"}' });
    expect(fail).toEqual({ isError: true, text: 'The tool failed: no access with ***' });
    expect(refuse?.text).toContain('Send ***');
  });
});
