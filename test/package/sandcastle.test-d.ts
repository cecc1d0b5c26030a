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
import type * as ours from '../../packages/truecast/src/index.ts';
import type * as daytona from '../../packages/truecast/src/sandboxes/daytona.ts';
import type * as docker from '../../packages/truecast/src/sandboxes/docker.ts';
import type * as noSandbox from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import type * as podman from '../../packages/truecast/src/sandboxes/podman.ts';
import type * as vercel from '../../packages/truecast/src/sandboxes/vercel.ts';

/** Providers are created by each package's own functions. */
type Providers = 'agent' | 'sandbox' | 'output';

describe('what a program passes in', () => {
  it('is taken by run()', () => {
    expectTypeOf<Omit<theirs.RunOptions, Providers>>().toExtend<Omit<ours.RunOptions, Providers>>();
  });

  it('is taken by interactive()', () => {
    expectTypeOf<Omit<theirs.InteractiveOptions, Providers>>().toExtend<
      Omit<ours.InteractiveOptions, Providers>
    >();
  });

  it('is taken by createSandbox() and its methods', () => {
    expectTypeOf<Omit<theirs.CreateSandboxOptions, Providers>>().toExtend<
      Omit<ours.CreateSandboxOptions, Providers>
    >();
    expectTypeOf<Omit<theirs.SandboxRunOptions, Providers>>().toExtend<
      Omit<ours.SandboxRunOptions, Providers>
    >();
    expectTypeOf<Omit<theirs.SandboxInteractiveOptions, Providers>>().toExtend<
      Omit<ours.SandboxInteractiveOptions, Providers>
    >();
    expectTypeOf<theirs.SandboxExecOptions>().toExtend<ours.SandboxExecOptions>();
    expectTypeOf<theirs.ResumeSandboxRunResultOptions>().toExtend<
      Omit<ours.ResumeSandboxRunResultOptions, never> & { readonly promptArgs?: ours.PromptArgs }
    >();
  });

  it('is taken by createWorktree() and its methods', () => {
    expectTypeOf<theirs.CreateWorktreeOptions>().toExtend<ours.CreateWorktreeOptions>();
    expectTypeOf<Omit<theirs.WorktreeRunOptions, Providers>>().toExtend<
      Omit<ours.WorktreeRunOptions, Providers>
    >();
    expectTypeOf<Omit<theirs.WorktreeInteractiveOptions, Providers>>().toExtend<
      Omit<ours.WorktreeInteractiveOptions, Providers>
    >();
    expectTypeOf<Omit<theirs.WorktreeCreateSandboxOptions, Providers>>().toExtend<
      Omit<ours.WorktreeCreateSandboxOptions, Providers>
    >();
  });

  it('is an agent of its own', () => {
    expectTypeOf<theirs.AgentProvider>().toExtend<ours.RunOptions['agent']>();
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
        Providers | 'promptArgs' | 'promptFile' | 'prompt' | 'resumeSession' | 'maxIterations'
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
