/** Order of the steps to a started sandbox: its rules, and the state at the start of a sandbox. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, newRepository, place } from '../../git/test-repository.ts';
import type { SandboxCreateOptions, SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { createBindMountSandboxProvider } from '../../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import type { PlaceContext } from '../context/run-context.ts';
import { completeTimeouts, type PlaceSettings } from '../options/place-options.ts';
import { DEFAULT_SENSITIVE_CHANGES_POLICY } from '../review/sensitive-changes-policy.ts';
import { closeSandbox, openSandbox, type OpenSandbox } from './open-sandbox.ts';
import { OPENING_STEPS } from './opening-steps.ts';

afterEach(cleanUp);

/** Pairs in this order, with what another order would allow. */
const ORDER: readonly (readonly [first: string, then: string, otherwise: string])[] = [
  ['state folder', 'finalizer folder', 'something is made for a guest that must not start'],
  ['state folder', 'sandbox', 'a guest writes the records of the host'],
  ['search path', 'warnings', 'the host starts a git of the worktree'],
  ['search path', 'state before the guest', 'the host starts a git of the worktree'],
  ['state before the guest', 'checkout protection', 'placeholders count as files of the user'],
  ['state before the guest', 'sandbox', 'what a guest wrote counts as the state before it'],
  ['finalizer folder', 'sandbox', 'the folder of the sockets is not mounted'],
  ['files of killed runs', 'checkout protection', 'names of a killed run count as files of the user'],
  ['checkout protection', 'sandbox', 'a guest writes files that run on the host'],
  ['sandbox', 'filter programs', 'no sandbox can be asked for its programs'],
  ['filter programs', 'hooks', 'a hook commits unfiltered files'],
  ['sandbox', 'hooks', 'a hook runs outside of its sandbox'],
];

describe('the steps', () => {
  it.each(ORDER)('take `%s` before `%s`, or %s', (first, then) => {
    const names = OPENING_STEPS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([first, then]));
    expect(names.indexOf(first)).toBeLessThan(names.indexOf(then));
  });

  it('have a name of their own and a reason each, and each stands in a rule', () => {
    const ruled = new Set(ORDER.flatMap(([first, then]) => [first, then]));
    expect(OPENING_STEPS.map(({ name }) => name).toSorted()).toEqual([...ruled].toSorted());
    for (const { why } of OPENING_STEPS) expect(why).toMatch(/\.$/u);
  });
});

/** A sandbox that shares the worktree. `created` represents the first code of its guest. */
function sandboxThat(created: (options: SandboxCreateOptions) => void, execs: string[]): SandboxProvider {
  return createBindMountSandboxProvider({
    name: 'spy',
    create(options) {
      created(options);
      const handle: SandboxHandle = {
        worktreePath: options.worktreePath,
        exec(command) {
          execs.push(command);
          return Promise.resolve({ stdout: '', stderr: '', exitCode: command === 'fail' ? 1 : 0 });
        },
        close: () => Promise.resolve(),
      };
      return Promise.resolve(handle);
    },
  });
}

async function openIn(
  path: string,
  sandbox: SandboxProvider,
  settings: Partial<PlaceSettings> = {},
): Promise<OpenSandbox> {
  const context: PlaceContext = {
    options: {
      branchStrategy: { type: 'head' },
      timeouts: completeTimeouts(undefined),
      sensitiveChanges: DEFAULT_SENSITIVE_CHANGES_POLICY,
      ...settings,
    },
    signal: new AbortController().signal,
    warn: () => undefined,
  };
  const worktree = await place(path, { branchStrategy: context.options.branchStrategy });
  const decided = { egress: undefined, modelAccess: undefined };
  return openSandbox(context, {
    ...decided,
    sandbox,
    worktree,
    env: {},
    readonlyPaths: [],
    hasFinalizerFolder: true,
  });
}

const FAILING = { sandbox: { onSandboxReady: [{ command: 'fail' }] } };

describe('a sandbox in the checkout itself', () => {
  it('is created when every protection is in place, and before its hooks run', async () => {
    const path = newRepository();
    mkdirSync(join(path, '.vscode'));
    const execs: string[] = [];
    const found: unknown[] = [];
    const sandbox = sandboxThat(({ mounts }) => {
      found.push(
        execs.length,
        mounts.filter(({ readonly }) => readonly === true).map(({ hostPath }) => hostPath),
      );
    }, execs);
    const hooks = { sandbox: { onSandboxReady: [{ command: 'hook' }] } };
    const opened = await openIn(path, sandbox, { hooks });
    await closeSandbox(opened);
    expect(found[0]).toBe(0);
    expect(found[1]).toEqual(expect.arrayContaining([join(path, '.vscode')]));
    expect(execs).toEqual(['hook']);
  });

  it('is compared with the state before its guest', async () => {
    const path = newRepository();
    const plant = (): void => appendFileSync(join(path, '.git/config'), '[core]\n\tfsmonitor = evil\n');
    const before = readFileSync(join(path, '.git/config'), 'utf8');
    await expect(openIn(path, sandboxThat(plant, []), { hooks: FAILING })).rejects.toMatchObject({
      code: 'hook',
    });
    expect(readFileSync(join(path, '.git/config'), 'utf8')).toBe(before);
  });

  it('leaves no placeholder and no folder behind if it does not start', async () => {
    const path = newRepository();
    const folders: string[] = [];
    const refuse = ({ mounts }: SandboxCreateOptions): void => {
      folders.push(
        ...mounts
          .map(({ hostPath }) => hostPath)
          .filter((each) => !each.startsWith(path) && !each.startsWith('/dev/')),
      );
      throw new Error('no sandbox here');
    };
    writeFileSync(join(path, 'kept.txt'), 'kept\n');
    await expect(openIn(path, sandboxThat(refuse, []))).rejects.toMatchObject({ code: 'start' });
    expect(folders.length).toBeGreaterThan(0);
    expect(folders.filter((each) => existsSync(each))).toEqual([]);
    expect(existsSync(join(path, '.envrc'))).toBe(false);
    expect(existsSync(join(path, 'kept.txt'))).toBe(true);
  });
});
