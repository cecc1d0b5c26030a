/** Hooks of a place: runs the caller's commands, with their order, limits and errors. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { describeEgress } from '../../sandboxes/egress/egress-policy.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import type { SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';
import type { HostHook, SandboxHooks } from '../options/hooks.ts';
import { runInTime } from '../../process/bounded-waits.ts';

export interface HookContext {
  /** The worktree on the host. */
  readonly worktreePath: string;
  readonly signal: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Runs the host's hooks for a new worktree, one after the other.
 *
 * @throws SandboxError `hook` or `timeout`, naming the command; the signal's reason on abort
 */
export async function runWorktreeHooks(hooks: SandboxHooks | undefined, context: HookContext): Promise<void> {
  for (const hook of hooks?.host?.onWorktreeReady ?? []) {
    await runHostHook('host.onWorktreeReady', hook, context);
  }
}

/**
 * Runs the hooks for a started sandbox in parallel, on the host and inside. The first failure stops
 * the others.
 *
 * @throws SandboxError `hook` or `timeout`, naming the command; the signal's reason on abort
 */
export async function runSandboxHooks(
  hooks: SandboxHooks | undefined,
  handle: SandboxHandle,
  context: HookContext,
): Promise<void> {
  const others = new AbortController();
  const signal = AbortSignal.any([context.signal, others.signal]);
  const started = [
    ...(hooks?.host?.onSandboxReady ?? []).map((hook) =>
      runHostHook('host.onSandboxReady', hook, { ...context, signal }),
    ),
    ...(hooks?.sandbox?.onSandboxReady ?? []).map((hook) =>
      runHook(
        'sandbox.onSandboxReady',
        hook,
        signal,
        (own) => handle.exec(hook.command, { signal: own, ...(hook.sudo === true && { sudo: true }) }),
        networkHint(handle),
      ),
    ),
  ];
  try {
    await Promise.all(started);
  } catch (error) {
    others.abort(error);
    await Promise.allSettled(started);
    throw error;
  }
}

/** Most hooks install something, and blocked network access is the usual reason for a failure. */
function networkHint({ egress, enforcesEgress }: SandboxHandle): string {
  if (enforcesEgress !== true || egress === undefined || egress === 'host') return '';
  return ` If it needs the network, list its hosts: \`egress: { allow: ['registry.npmjs.org'] }\`. The current value is \`${describeEgress(egress)}\`.`;
}

async function runHostHook(
  name: string,
  hook: HostHook,
  { worktreePath, signal }: HookContext,
): Promise<void> {
  const host = await noSandbox().create({ worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} });
  try {
    await runHook(name, hook, signal, (own) => host.exec(hook.command, { signal: own }));
  } finally {
    await host.close();
  }
}

async function runHook(
  name: string,
  { command, timeoutMs = DEFAULT_TIMEOUT_MS }: HostHook,
  signal: AbortSignal,
  exec: (signal: AbortSignal) => Promise<SandboxExecResult>,
  hint = '',
): Promise<void> {
  const { exitCode, stderr, stdout } = await runInTime(
    exec,
    { signal, timeoutMs },
    () =>
      new SandboxError(
        `Expected the hook \`${name}\` \`${cut(command)}\` to exit within ${timeoutMs} ms, but it did not. Raise its \`timeoutMs\`, or make it faster.`,
        { code: 'timeout', elapsedMs: timeoutMs },
      ),
  );
  if (exitCode === 0) return;
  throw new SandboxError(
    `The hook \`${name}\` \`${cut(command)}\` failed with exit code ${exitCode}: ${cut(stderr.trim() || stdout.trim() || 'it printed nothing')}. Run it by hand to see more, or remove it from \`hooks\`.${hint}`,
    { code: 'hook', exitCode, stderrTail: stderr.slice(-2_000) },
  );
}
