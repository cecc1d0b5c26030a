/**
 * Escape suite: bubblewrap holds every attempt, and without a sandbox the suite detects each
 * escape.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import { matrixCases, matrixColumns } from '../../../../../test/matrix.ts';
import { bubblewrap } from '../../sandboxes/bubblewrap.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import type { SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { escapeSuite } from '../../../../testing/src/escape-suite.ts';
import { overrideHandle } from '../places/override-handle.ts';
import { tryOverspend } from './budget-escape.ts';
import { ESCAPE_ATTEMPTS, tryEscape } from './try-escapes.ts';

/**
 * Held without a sandbox too: the run itself prevents these, a machine can forbid user namespaces,
 * nothing is mounted, and a kernel can be built without these system calls.
 */
const HELD_ANYWAY = [
  'socket-to-hypervisor',
  'load-kernel',
  'create-user-namespace',
  'outlive-the-run',
  'plant-settings',
  'mount-by-link',
];

describeInBubblewrap('bubblewrap', () => {
  // The short form tries a third here, and each attempt in `test/cli/doctor-security.test.ts`.
  it.each(matrixColumns(1, ESCAPE_ATTEMPTS, { rows: 3 }))('does not let a guest $title', async (attempt) => {
    expect(await tryEscape(bubblewrap({ egress: 'none' }), attempt)).toMatchObject({ outcome: 'held' });
  });
});

describeInBubblewrap('a budget', () => {
  it('lets at most one request over it reach the model', async () => {
    expect(await tryOverspend(bubblewrap())).toMatchObject({ id: 'overspend', outcome: 'held' });
  });

  it('is reported as passed if it lets more requests through', async () => {
    expect(await tryOverspend(bubblewrap(), 1_000_000)).toMatchObject({ outcome: 'escaped' });
  });

  it('is not reported as held if no request was sent', async () => {
    const { create, ...provider } = bubblewrap();
    const without: typeof create = async (options) => {
      const handle = await create(options);
      return overrideHandle(handle, {
        exec: (line, more) => handle.exec(line.replaceAll('curl ', 'false '), more),
      });
    };
    expect(await tryOverspend({ ...provider, create: without })).toMatchObject({ outcome: 'not-tried' });
  });
});

/** The short form tries the suite itself with a third of the attempts. */
const NOTICEABLE = matrixColumns(
  0,
  ESCAPE_ATTEMPTS.filter(({ id }) => !HELD_ANYWAY.includes(id)),
  { rows: 3 },
);

it.each(NOTICEABLE)('notices that a guest without a sandbox can $title', async (attempt) => {
  expect(await tryEscape(noSandbox(), attempt)).toMatchObject({ outcome: 'escaped' });
});

/** A provider whose commands run after a line of shell, or not at all. */
function spoiled(before: string | undefined): SandboxProvider {
  const provider = noSandbox();
  return {
    ...provider,
    async create(options) {
      const handle = await provider.create(options);
      const nothing = { stdout: '', stderr: '', exitCode: 0 };
      const exec: SandboxHandle['exec'] = (line, execOptions) =>
        before === undefined ? Promise.resolve(nothing) : handle.exec(`${before}\n${line}`, execOptions);
      return overrideHandle(handle, { exec });
    },
  };
}

/** Declares the suite for a provider, and returns its tests. */
function declared(sandbox: SandboxProvider): ReadonlyMap<string, () => Promise<void>> {
  const tests = new Map<string, () => Promise<void>>();
  const it_ = (name: string, run: () => Promise<void>): void => void tests.set(name, run);
  escapeSuite('spoiled', { sandbox }, { describe: (_name, define) => define(), it: it_ });
  return tests;
}

it('takes no guest that did not run as held', async () => {
  const [attempt] = ESCAPE_ATTEMPTS;
  if (attempt === undefined) throw new TypeError('no attempt');
  await expect(tryEscape(spoiled(undefined), attempt)).rejects.toMatchObject({
    name: 'SandboxError',
    message: expect.stringContaining('did not run') as unknown,
  });
});

const OF_HISTORY = ESCAPE_ATTEMPTS.filter(({ promise }) => promise === 'history');
const WITH_PERL = ESCAPE_ATTEMPTS.filter(({ only }) => only !== undefined);

it('takes no attempt as held whose programs are missing in the sandbox', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'truecast-bin-'));
  for (const name of ['sh', 'cat', 'mkdir', 'chmod', 'touch', 'rm', 'mv', 'cp', 'grep', 'id']) {
    await symlink(`/bin/${name}`, join(bin, name));
  }
  const sandbox = spoiled(`PATH=${bin}`);
  try {
    for (const attempt of matrixCases(2, OF_HISTORY)) {
      expect(await tryEscape(sandbox, attempt), attempt.id).toMatchObject({ outcome: 'not-tried' });
    }
    for (const attempt of matrixCases(2, WITH_PERL)) {
      expect(await tryEscape(sandbox, attempt), attempt.id).toMatchObject({
        outcome: 'not-tried',
        reason: 'there is no perl in the sandbox',
      });
    }
    const test = declared(sandbox).get('does not let a guest move a tag');
    await expect(test?.()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining("skip: { 'move-tag': '") as unknown,
    });
  } finally {
    await rm(bin, { recursive: true });
  }
});
