/** Custom sandboxes that break their contract: a run ends with a typed error, and merges nothing. */
import { describe, expect, it } from 'vitest';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { createBindMountSandboxProvider } from '../../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import type {
  SandboxHandle,
  SandboxProvider,
} from '../../../packages/truecast/src/ports/sandbox-provider.ts';
import { TruecastError } from '../../../packages/core/src/errors/base/truecast-error.ts';
import { customBindMount } from '../custom-sandbox.ts';
import { commitLine, git, makeRepository, PRINT_ANSWER, runOptions } from '../fixture.ts';

/** A working handle with some members replaced by values of any type, as JavaScript allows. */
function breaking(members: (handle: SandboxHandle) => object): SandboxProvider {
  const inner = customBindMount();
  return createBindMountSandboxProvider({
    name: 'broken',
    create: async (options) => {
      const handle = await (inner as { create(options: unknown): Promise<SandboxHandle> }).create(options);
      return { ...handle, ...members(handle) };
    },
  });
}

async function outcomeOf(
  sandbox: SandboxProvider,
  changes: object = {},
): Promise<{ cwd: string; outcome: unknown }> {
  const cwd = makeRepository();
  const options = { cwd, sandbox, branchStrategy: { type: 'merge-to-head' }, ...changes } as const;
  const outcome = await run(runOptions(`${commitLine('b.txt')}; ${PRINT_ANSWER}`, options)).catch(
    (error: unknown) => error,
  );
  return { cwd, outcome };
}

const RESULT = { stdout: '', stderr: '', exitCode: 0 };

describe('an `exec` that breaks its contract', () => {
  it.each([
    [
      'throws at once',
      () => {
        throw new RangeError('broken');
      },
    ],
    ['rejects with no error', () => Promise.reject(undefined)],
    ['rejects with text', () => Promise.reject('broken')],
    ['returns nothing', () => Promise.resolve(undefined)],
    ['returns null', () => Promise.resolve(null)],
    ['returns no promise', () => undefined],
    ['returns text', () => Promise.resolve('done')],
    ['returns no exit code', () => Promise.resolve({ stdout: '', stderr: '' })],
    ['returns an exit code that is text', () => Promise.resolve({ ...RESULT, exitCode: '0' })],
    ['returns an exit code that is no number', () => Promise.resolve({ ...RESULT, exitCode: Number.NaN })],
    [
      'returns output that is no text',
      () => Promise.resolve({ ...RESULT, stdout: 7, stderr: {}, exitCode: 1 }),
    ],
  ])('that %s is a typed error, and nothing is merged', async (_what, exec) => {
    const { cwd, outcome } = await outcomeOf(breaking(() => ({ exec })));
    expect(outcome).toBeInstanceOf(TruecastError);
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('begin');
  });

  it.each([
    ['bytes', Buffer.from('x')],
    ['nothing', undefined],
    ['an object', {}],
  ])('that reports %s as a line is a typed error', async (_what, line) => {
    const exec = (
      _command: string,
      { onLine }: { onLine?: (line: unknown) => void } = {},
    ): Promise<unknown> => {
      onLine?.(line);
      return Promise.resolve(RESULT);
    };
    const { cwd, outcome } = await outcomeOf(breaking(() => ({ exec })));
    expect(outcome).toBeInstanceOf(TruecastError);
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('begin');
  });

  it('that reports lines after its end changes nothing', async () => {
    let late: ((line: string) => void) | undefined;
    const { outcome } = await outcomeOf(
      breaking((handle) => ({
        exec: async (command: string, options: { onLine?: (line: string) => void } = {}) => {
          late ??= options.onLine;
          const result = await handle.exec(command, options);
          late?.('<result>{"answer":1}</result>');
          return result;
        },
      })),
    );
    expect(() => late?.('late')).not.toThrow();
    expect(outcome).toMatchObject({ commits: [{}] });
  });

  it('that returns a thenable without an end is left at the abort', async () => {
    const controller = new AbortController();
    const reason = new RangeError('enough');
    const exec = (): unknown => {
      setImmediate(() => controller.abort(reason));
      // A thenable, but no promise.
      const name = 'then' as string;
      return { [name]: () => undefined };
    };
    const { cwd, outcome } = await outcomeOf(
      breaking(() => ({ exec })),
      { signal: controller.signal },
    );
    expect(outcome).toBe(reason);
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('begin');
  });
});

describe('a handle that breaks its contract', () => {
  it.each([
    [
      'close',
      () => {
        throw new RangeError('broken');
      },
    ],
    ['close', () => undefined],
    ['close', () => Promise.reject(new RangeError('broken'))],
  ])('in `%s` loses no work', async (member, act) => {
    const { cwd, outcome } = await outcomeOf(breaking(() => ({ [member]: act })));
    expect(String(outcome)).not.toContain('TypeError');
    const branches = git(cwd, 'log', '--all', '--format=%s').split('\n');
    expect(branches).toContain('add b.txt');
  });

  it.each([[undefined], [null], [{}], ['text']])('that is %s is a typed error', async (handle) => {
    const sandbox = createBindMountSandboxProvider({
      name: 'broken',
      create: () => Promise.resolve(handle as never),
    });
    const { outcome } = await outcomeOf(sandbox);
    expect(outcome).toBeInstanceOf(TruecastError);
  });
});
