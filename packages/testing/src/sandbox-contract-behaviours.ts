/** Behaviours of the sandbox contract: each is a function that rejects if a provider lacks it. */
import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type {
  SandboxCreateOptions,
  SandboxExecOptions,
  SandboxHandle,
  SandboxProvider,
} from 'truecast/internal/ports/sandbox-provider';
import { asInRun, runSilently } from './sandbox-contract-run.ts';
import { createContractFixture, type ContractFixture } from './sandbox-contract-fixture.ts';

/** The provider under test, and the extra options of its `create`. */
export interface ContractSubject {
  readonly provider: SandboxProvider;
  readonly makeOptions?: (
    options: SandboxCreateOptions,
  ) => SandboxCreateOptions | Promise<SandboxCreateOptions>;
}

interface Started extends ContractFixture {
  readonly handle: SandboxHandle;
}

type Behaviour = (subject: ContractSubject) => Promise<void>;

const MEBIBYTE = 1024 * 1024;

/** Every behaviour, by its title. */
export const sandboxBehaviours: Readonly<Record<string, Behaviour>> = {
  'returns stdout, stderr and the exit code': started(async ({ handle }) => {
    const result = await handle.exec('printf out; printf err >&2; exit 7');
    assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['out', 'err', 7]);
  }),
  'returns 128 plus the signal that ended a command': started(async ({ handle }) => {
    assert.equal((await handle.exec('kill -TERM $$')).exitCode, 143);
  }),
  'reports each line as it is printed': started(async ({ handle }) => {
    const lines: string[] = [];
    let answered: Promise<unknown> | undefined;
    // The command continues only after the first line was received.
    const onLine = (line: string): void => {
      lines.push(line);
      if (line === 'first') answered = handle.exec('touch heard');
    };
    const result = await handle.exec(
      'echo first; until [ -e heard ]; do sleep 0.02; done; echo; printf last',
      { onLine },
    );
    // Awaited, because a sandbox that is closed earlier would end this command.
    await answered;
    assert.deepEqual(lines, ['first', '', 'last']);
    assert.equal(result.exitCode, 0);
  }),
  'reports chunks that join to the whole output, even if they split characters': chunked(
    async ({ handle }) => {
      const chunks: string[] = [];
      await handle.exec(
        String.raw`printf 'a\303'; sleep 0.05; printf '\251\360\237'; sleep 0.05; printf '\230\200z'`,
        {
          onChunk: (chunk) => chunks.push(chunk),
        },
      );
      assert.equal(chunks.join(''), 'aé😀z');
    },
  ),
  'reports stderr as it is printed': chunked(async ({ handle }) => {
    const chunks: string[] = [];
    await handle.exec('printf warn >&2', { onStderrChunk: (chunk) => chunks.push(chunk) });
    assert.equal(chunks.join(''), 'warn');
  }),
  'carries a stdin of 10 MB': started(async ({ handle }) => {
    const { stdout } = await handle.exec('wc -c', { stdin: 'x'.repeat(10_000_000) });
    assert.equal(stdout.trim(), '10000000');
  }),
  'tolerates a command that does not read its stdin': started(async ({ handle }) => {
    assert.equal((await handle.exec('exit 3', { stdin: 'x'.repeat(4_000_000) })).exitCode, 3);
    // Runs several commands at once: a client that sends its input late must still receive all
    // output.
    const said = Array.from({ length: 12 }, (_, index) => handle.exec(`echo ${index}`, { stdin: 'unread' }));
    const lines = (await Promise.all(said)).map(({ stdout }) => stdout);
    assert.deepEqual(
      lines,
      said.map((_, index) => `${index}\n`),
    );
  }),
  'keeps only the tail of 50 MB of reported output': started(async ({ handle }) => {
    let chars = 0;
    const result = await handle.exec(
      'head -c 52428800 /dev/zero | tr "\\0" "x" | fold -w 1000; echo; printf end',
      {
        onLine: (line) => {
          chars += line.length;
        },
      },
    );
    assert.equal(chars, 50 * MEBIBYTE + 'end'.length);
    assert.ok(result.stdout.endsWith('end') && result.stdout.length <= 64 * 1024);
  }),
  'does not start a command whose signal is aborted': chunked(async ({ handle }) => {
    const reason = new RangeError('too late');
    await assert.rejects(handle.exec('touch started', { signal: AbortSignal.abort(reason) }), reason);
    assert.equal((await handle.exec('[ -e started ]')).exitCode, 1);
  }),
  'ends the whole process tree on abort, including daemons and processes that ignore SIGTERM': chunked(
    async ({ handle, countLeft }) => {
      const command = `trap "" TERM; ${countLeft.command} & (setsid ${countLeft.command} > /dev/null 2>&1 &) ; echo ready; wait`;
      const reason = new RangeError('enough');
      await assert.rejects(abortWhenReady(handle, command, reason), (error) => error === reason);
      assert.equal(await countLeft.count(), 0);
    },
  ),
  'lets a terminated command shut down gracefully': chunked(async ({ handle }) => {
    const command = 'trap "echo ended > ended; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    await assert.rejects(abortWhenReady(handle, command, new RangeError('enough')), RangeError);
    assert.equal((await handle.exec('cat ended')).stdout, 'ended\n');
  }),
  'ends with its command, not with a child that holds the pipe': started(async ({ handle, countLeft }) => {
    const result = await handle.exec(`${countLeft.command} & echo done`);
    assert.deepEqual([result.stdout, result.exitCode], ['done\n', 0]);
    assert.equal(await countLeft.count(), 0);
  }),
  'runs in the worktree, or in the given directory': started(async ({ handle }) => {
    await handle.exec(String.raw`mkdir "it's a \"folder\" \$HOME"`);
    assert.equal((await handle.exec('pwd -P')).stdout.trim(), handle.worktreePath);
    const inside = `${handle.worktreePath}/it's a "folder" $HOME`;
    assert.equal((await handle.exec('pwd -P', { cwd: inside })).stdout.trim(), inside);
  }),
  'passes the environment unchanged': started(async ({ handle }) => {
    assert.equal((await handle.exec('printf %s "$CONTRACT_VALUE"')).stdout, CONTRACT_VALUE);
  }),
  'adds to the environment of one command': chunked(async ({ handle }) => {
    const env = { CONTRACT_VALUE: 'other', CONTRACT_MORE: 'ä\n=' };
    assert.equal(
      (await handle.exec('printf %s "$CONTRACT_VALUE$CONTRACT_MORE"', { env })).stdout,
      'otherä\n=',
    );
    assert.equal((await handle.exec('printf %s "$CONTRACT_MORE"')).stdout, '');
  }),
  'copies a file in and out, byte by byte': started(async ({ handle, folder }) => {
    if (handle.copyFileIn === undefined || handle.copyFileOut === undefined) return;
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    await writeFile(join(folder, 'source'), bytes);
    const inside = `${handle.worktreePath}/deep/er/copy`;
    await handle.copyFileIn(join(folder, 'source'), inside);
    assert.equal((await handle.exec('wc -c < deep/er/copy')).stdout.trim(), '70000');
    await handle.copyFileOut(inside, join(folder, 'far', 'result'));
    assert.deepEqual(new Uint8Array(await readFile(join(folder, 'far', 'result'))), bytes);
  }),
  'refuses to copy a missing file': started(async ({ handle, folder }) => {
    if (handle.copyFileOut === undefined) return;
    await assert.rejects(handle.copyFileOut(`${handle.worktreePath}/missing`, join(folder, 'result')), {
      code: 'copy',
    });
  }),
  'shows a commit made inside on the host': started(async ({ handle, git }) => {
    const result = await handle.exec(
      'echo text > new && git add new && git commit -q -m inside && git rev-parse HEAD',
    );
    assert.equal(result.exitCode, 0, result.stderr);
    await handle.syncOut?.();
    assert.equal(await git('log', '-1', '--format=%H %s', 'work'), `${result.stdout.trim()} inside`);
  }),
  'runs commands concurrently': started(async ({ handle }) => {
    const results = await Promise.all(['a', 'b', 'c'].map((text) => handle.exec(`printf ${text}`)));
    assert.deepEqual(
      results.map(({ stdout }) => stdout),
      ['a', 'b', 'c'],
    );
  }),
  'rejects an aborted run with its reason, and ends the command when it is closed': started(
    async ({ handle, countLeft }) => {
      const stoppable = asInRun(handle);
      const command = `echo ready; ${countLeft.command}`;
      const reason = new RangeError('enough');
      await assert.rejects(abortWhenReady(stoppable, command, reason), (error) => error === reason);
      await stoppable.close();
      assert.equal(await countLeft.count(), 0);
    },
  ),
  'ends a silent agent of a run at its idle timeout, and its processes when it is closed': started(
    async ({ handle, countLeft }) => {
      const stoppable = asInRun(handle);
      const turn = runSilently(stoppable, countLeft.command);
      await assert.rejects(turn, { name: 'AgentError', code: 'idle-timeout' });
      await stoppable.close();
      assert.equal(await countLeft.count(), 0);
    },
  ),
  'runs a session in the given directory': started(async ({ handle }) => {
    if (handle.interactiveExec === undefined) return;
    await handle.exec('mkdir folder');
    const cwd = `${handle.worktreePath}/folder`;
    const [stdin, stdout, stderr] = [new PassThrough().end(), new PassThrough(), new PassThrough()];
    const streams = { stdin, stdout: stdout.resume(), stderr: stderr.resume() };
    await handle.interactiveExec(['sh', '-c', 'pwd -P > where'], { ...streams, cwd });
    assert.equal((await handle.exec('cat folder/where')).stdout.trim(), cwd);
  }),
  'ends running commands when it is closed, can be closed twice, and then runs nothing': started(
    async ({ handle, countLeft }) => {
      const running = untilReady((onLine) => handle.exec(`echo ready; ${countLeft.command}`, { onLine }));
      await running.ready;
      const ended = assert.rejects(running.result);
      await Promise.all([handle.close(), handle.close()]);
      await ended;
      assert.equal(await countLeft.count(), 0);
      await handle.close();
      await assert.rejects(handle.exec('true'), { code: 'exec' });
    },
  ),
  'leaves nothing in the temporary folder': async (subject) => {
    const fixture = await createContractFixture();
    try {
      const list = await fixture.useOwnTemporaryFolder();
      const handle = await startOn(subject, fixture);
      await handle.exec('true');
      await handle.close();
      assert.deepEqual(await list(), []);
    } finally {
      await fixture.remove();
    }
  },
};

/** Contains every character that a shell, a line or a command line could interpret. */
const CONTRACT_VALUE = `it's "quoted" $HOME \`id\` \\ * ; & | < > # ! = %s é 😀\n\tend `;

function started(check: (started: Started) => Promise<void>): Behaviour {
  return async (subject) => {
    const fixture = await createContractFixture();
    try {
      const handle = await startOn(subject, fixture);
      try {
        await check({ ...fixture, handle });
      } finally {
        await handle.close();
      }
    } finally {
      await fixture.remove();
    }
  };
}

/** A behaviour of handles with `streamsChunks`. Custom handles can lack it. */
function chunked(check: (started: Started) => Promise<void>): Behaviour {
  return started(async (given) => {
    if (given.handle.streamsChunks === true) await check(given);
  });
}

async function startOn(
  { provider, makeOptions }: ContractSubject,
  fixture: ContractFixture,
): Promise<SandboxHandle> {
  const options = { ...fixture.options, env: { ...provider.env, ...fixture.options.env, CONTRACT_VALUE } };
  return provider.create(makeOptions === undefined ? options : await makeOptions(options));
}

async function abortWhenReady(handle: SandboxHandle, command: string, reason: Error): Promise<void> {
  const controller = new AbortController();
  const running = untilReady((onLine) => handle.exec(command, { onLine, signal: controller.signal }));
  await Promise.race([running.ready, running.result]);
  controller.abort(reason);
  await running.result;
}

function untilReady(start: (onLine: NonNullable<SandboxExecOptions['onLine']>) => Promise<unknown>): {
  readonly ready: Promise<void>;
  readonly result: Promise<unknown>;
} {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const result = start((line) => {
    if (line === 'ready') resolve();
  });
  return { ready, result };
}
