/**
 * Preparation of a run: reads repository, prompt, environment, program and session before anything
 * is created.
 */
import { resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { ensureStateFolder, repositoryStateFolder } from '@truecast/host/internal/state-folder';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { checkAttachments } from '../attachments/attachment.ts';
import type { ReadyTools } from '@truecast/model/internal/tools/read-tools';
import { decideEgress, type DecidedEgress } from '../options/decide-egress.ts';
import { readHostTools } from './read-host-tools.ts';
import { findAgentProgram, findProgram } from './find-program.ts';
import { assertPublishable } from './assert-publishable.ts';
import { assertCopyPaths } from '../../git/worktree/copy-to-worktree.ts';
import { openOnly, openReadable } from '../../git/repository/folder-copy.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import { preparePrompt, type PreparedPrompt } from '../prompt/prepare-prompt.ts';
import { resolveEnvironment, type RunEnvironment } from './run-environment.ts';

/** Facts about a run that are known before anything is created. */
export interface PreparedRun extends DecidedEgress {
  readonly repository: Repository;
  readonly prompt: PreparedPrompt;
  readonly environment: RunEnvironment;
  /** The caller's tools for the agent. Undefined without any. */
  readonly tools: ReadyTools | undefined;
  /** Host paths that the agent's program must be able to read in the sandbox. */
  readonly readonlyPaths: readonly string[];
  /** Removes the copy that a read-only run outside of a repository works on. */
  removeCopy(): Promise<void>;
}

/**
 * Inspects the host and rejects invalid runs.
 *
 * @throws UsageError, CwdError, RepositoryError
 */
export async function prepareRun(options: NormalizedRunOptions, signal: AbortSignal): Promise<PreparedRun> {
  const cwd = resolve(options.cwd);
  const tools = await readHostTools(options.tools);
  const preparing = preparePrompt(options);
  const checking = checkAttachments(options.attachments);
  for (const early of [preparing, checking]) early.catch(() => undefined);
  const open = options.isThrownAway ? openReadable : openOnly;
  const { repository, remove } = await open(cwd, {
    timeoutMs: options.timeouts.gitSetupMs,
    signal,
    isWithoutGuests: options.sandbox.tag === 'none' && options.branchStrategy.type === 'head',
    isUnguarded: options.sandbox.tag === 'none',
  });
  try {
    const [prompt] = await Promise.all([preparing, checking]);
    return { ...(await prepareIn(repository, options, prompt)), tools, removeCopy: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function prepareIn(
  repository: Repository,
  options: NormalizedRunOptions,
  prompt: PreparedPrompt,
): Promise<Omit<PreparedRun, 'removeCopy' | 'tools'>> {
  assertCopyPaths(repository.topLevel, options.copyToWorktree ?? []);
  if (options.output !== undefined && !prompt.hasExpressions) assertTagInPrompt(options.output, prompt.text);
  // Created early, because otherwise the run would fail halfway without a folder for its log.
  if (options.logging.type === 'file' && options.logging.path === undefined) {
    ensureStateFolder(repositoryStateFolder(repository.commonDir), 'logs');
  }
  await assertPublishable(options, repository, async (name) => {
    return (await findProgram(name, process.env['PATH'] ?? '')) !== undefined;
  });
  const environment = await resolveEnvironment(options, repository);
  const program = await findAgentProgram(options.agent, environment.host, options.sandbox);
  await assertSession(options);
  const programPaths = program === undefined ? [] : [program.path, program.realPath];
  const readonlyPaths = [...programPaths, ...(options.agent.readonlyPaths ?? [])];
  const decided = decideEgress([options.agent], options.sandbox, environment.host);
  return { repository, prompt, environment, readonlyPaths, ...decided };
}

/** Rejects a prompt that does not mention the answer's tag. */
export function assertTagInPrompt(output: AnyOutputDefinition, prompt: string): void {
  if (output.tag === undefined || prompt.includes(`<${output.tag}>`)) return;
  throw new UsageError(
    `The prompt does not contain \`<${output.tag}>\`, so the agent cannot know where to answer. Request the answer in a \`<${output.tag}>\` tag; \`Output.instructions(output)\` returns instructions to paste.`,
  );
}

async function assertSession({ agent, resumeSession }: NormalizedRunOptions): Promise<void> {
  if (resumeSession === undefined || agent.sessionStorage === undefined) return;
  if ((await agent.sessionStorage.findByIdOnHost(resumeSession)).path !== undefined) return;
  throw new UsageError(
    `The session \`${resumeSession}\` of the agent \`${agent.name}\` is not stored on this host. Pass the \`sessionId\` of an earlier result, or remove \`session.resume\`.`,
  );
}
