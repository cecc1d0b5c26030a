/**
 * Compares with the published types of sandcastle 0.12.0: its options are accepted here, and the
 * results have the fields that its programs read.
 */
import type * as theirs from '@ai-hero/sandcastle';
import type * as theirDaytona from '@ai-hero/sandcastle/sandboxes/daytona';
import type * as theirDocker from '@ai-hero/sandcastle/sandboxes/docker';
import type * as theirNoSandbox from '@ai-hero/sandcastle/sandboxes/no-sandbox';
import type * as theirPodman from '@ai-hero/sandcastle/sandboxes/podman';
import type * as theirVercel from '@ai-hero/sandcastle/sandboxes/vercel';
import { describe, expectTypeOf, it } from 'vitest';
import type * as ours from '../../packages/truecast/src/exports/sandcastle.ts';
import type * as daytona from '../../packages/truecast/src/sandboxes/daytona.ts';
import type * as docker from '../../packages/truecast/src/sandboxes/docker.ts';
import type * as noSandbox from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type * as podman from '../../packages/truecast/src/sandboxes/podman.ts';
import type * as vercel from '../../packages/truecast/src/sandboxes/vercel.ts';

/** Its sandboxes are opaque types. A program creates them by functions, which are replaced too. */
type WithoutSandbox<TOptions> = Omit<TOptions, 'sandbox'>;

describe('what a program passes in', () => {
  it('is taken by run()', () => {
    expectTypeOf<WithoutSandbox<theirs.RunOptions>>().toExtend<WithoutSandbox<ours.RunOptions>>();
  });

  it('is taken by interactive()', () => {
    expectTypeOf<WithoutSandbox<theirs.InteractiveOptions>>().toExtend<
      WithoutSandbox<ours.InteractiveOptions>
    >();
  });

  it('is taken by createSandbox() and its methods', () => {
    expectTypeOf<WithoutSandbox<theirs.CreateSandboxOptions>>().toExtend<
      WithoutSandbox<ours.CreateSandboxOptions>
    >();
    expectTypeOf<theirs.SandboxRunOptions>().toExtend<ours.SandboxRunOptions>();
    expectTypeOf<theirs.SandboxInteractiveOptions>().toExtend<ours.SandboxInteractiveOptions>();
    expectTypeOf<theirs.SandboxExecOptions>().toExtend<ours.SandboxExecOptions>();
    expectTypeOf<theirs.ResumeSandboxRunResultOptions>().toExtend<ours.ResumeSandboxRunResultOptions>();
  });

  it('is taken by createWorktree() and its methods', () => {
    expectTypeOf<theirs.CreateWorktreeOptions>().toExtend<ours.CreateWorktreeOptions>();
    expectTypeOf<WithoutSandbox<theirs.WorktreeRunOptions>>().toExtend<
      WithoutSandbox<ours.WorktreeRunOptions>
    >();
    expectTypeOf<WithoutSandbox<theirs.WorktreeInteractiveOptions>>().toExtend<
      WithoutSandbox<ours.WorktreeInteractiveOptions>
    >();
    expectTypeOf<WithoutSandbox<theirs.WorktreeCreateSandboxOptions>>().toExtend<
      WithoutSandbox<ours.WorktreeCreateSandboxOptions>
    >();
  });

  it('is a strategy for branches', () => {
    expectTypeOf<theirs.BindMountBranchStrategy>().toExtend<ours.BindMountBranchStrategy>();
    expectTypeOf<theirs.IsolatedBranchStrategy>().toExtend<ours.IsolatedBranchStrategy>();
    expectTypeOf<theirs.NoSandboxBranchStrategy>().toExtend<ours.NoSandboxBranchStrategy>();
  });

  it('is an agent of its own', () => {
    expectTypeOf<theirs.AgentProvider>().toExtend<ours.AgentProvider>();
    expectTypeOf<ours.AgentProvider>().toExtend<Omit<theirs.AgentProvider, 'sessionStorage'>>();
    expectTypeOf<ReturnType<typeof ours.claudeCode>>().toExtend<ours.AgentProvider>();
  });

  it('is a sandbox of its own', () => {
    type Theirs = Parameters<typeof theirs.createBindMountSandboxProvider>[0];
    type Ours = Parameters<typeof ours.createBindMountSandboxProvider>[0];
    expectTypeOf<Awaited<ReturnType<Theirs['create']>>>().toExtend<Awaited<ReturnType<Ours['create']>>>();
    expectTypeOf<Omit<Theirs, 'create'>>().toExtend<Omit<Ours, 'create'>>();
  });

  it('is an option of an agent', () => {
    expectTypeOf<theirs.ClaudeCodeOptions>().toExtend<ours.ClaudeCodeOptions>();
    expectTypeOf<theirs.CodexOptions>().toExtend<ours.CodexOptions>();
    expectTypeOf<theirs.PiOptions>().toExtend<ours.PiOptions>();
    expectTypeOf<theirs.OpenCodeOptions>().toExtend<ours.OpenCodeOptions>();
    expectTypeOf<theirs.CopilotOptions>().toExtend<ours.CopilotOptions>();
    expectTypeOf<theirs.CursorOptions>().toExtend<ours.CursorOptions>();
  });

  it('is an option of a sandbox', () => {
    expectTypeOf<theirDocker.DockerOptions>().toExtend<docker.DockerOptions>();
    expectTypeOf<theirPodman.PodmanOptions>().toExtend<podman.PodmanOptions>();
    expectTypeOf<theirNoSandbox.NoSandboxOptions>().toExtend<noSandbox.NoSandboxOptions>();
    expectTypeOf<theirVercel.VercelOptions>().toExtend<vercel.VercelOptions>();
    expectTypeOf<theirDaytona.DaytonaOptions>().toExtend<daytona.DaytonaOptions>();
  });
});

describe('what a program reads', () => {
  it('is in the result of run()', () => {
    type Continuing = 'resume' | 'fork';
    expectTypeOf<Omit<ours.RunResult, Continuing>>().toExtend<Omit<theirs.RunResult, Continuing>>();
    expectTypeOf<Parameters<NonNullable<ours.RunResult['resume']>>[0]>().toEqualTypeOf<string>();
    expectTypeOf<
      Omit<
        theirs.RunOptions,
        'agent' | 'sandbox' | 'promptFile' | 'prompt' | 'resumeSession' | 'maxIterations'
      >
    >().toExtend<NonNullable<Parameters<NonNullable<ours.RunResult['fork']>>[1]>>();
  });

  it('is in the results of the others', () => {
    expectTypeOf<ours.InteractiveResult>().toExtend<theirs.InteractiveResult>();
    expectTypeOf<Omit<ours.SandboxRunResult, 'resume' | 'fork'>>().toExtend<
      Omit<theirs.SandboxRunResult, 'resume' | 'fork'>
    >();
    expectTypeOf<ours.WorktreeRunResult>().toExtend<theirs.WorktreeRunResult>();
    expectTypeOf<ours.SandboxInteractiveResult>().toExtend<theirs.SandboxInteractiveResult>();
    expectTypeOf<ours.CloseResult>().toExtend<theirs.CloseResult>();
  });

  it('is disposed as there, by `await using` and by hand', () => {
    type Dispose<THandle extends AsyncDisposable> = THandle[typeof Symbol.asyncDispose];
    expectTypeOf<Dispose<ours.Sandbox>>().toExtend<Dispose<theirs.Sandbox>>();
    expectTypeOf<Dispose<ours.Worktree>>().toExtend<Dispose<theirs.Worktree>>();
  });

  it('is told to its callback', () => {
    type Theirs = NonNullable<Extract<theirs.LoggingOption, { type: 'file' }>['onAgentStreamEvent']>;
    type Ours = NonNullable<Extract<ours.LoggingOption, { type: 'file' }>['onAgentStreamEvent']>;
    expectTypeOf<Theirs>().toExtend<Ours>();
  });

  it('is in its error', () => {
    type Fields = 'rawMatched' | 'commits' | 'preservedWorktreePath' | 'sessionId' | 'sessionFilePath';
    expectTypeOf<Pick<ours.StructuredOutputError, Fields>>().toExtend<
      Pick<theirs.StructuredOutputError, Fields>
    >();
  });
});
