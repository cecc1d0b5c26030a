/** Owns what a run looks at on the host before it creates anything: repository, prompt, environment, program, session. */
import { resolve } from 'node:path';
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition } from '../output/definition.ts';
import type { ModelAccess } from './agents/model-access.ts';
import { findAgentProgram } from './find-program.ts';
import { assertCopyPaths } from './git/copy-to-worktree.ts';
import { openRepository, type Repository } from './git/repository.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import { preparePrompt, type PreparedPrompt } from './prompt/prepare-prompt.ts';
import { resolveEnvironment, type RunEnvironment } from './run-environment.ts';

/** What is known of a run when nothing was created yet. */
export interface PreparedRun {
  readonly repository: Repository;
  readonly prompt: PreparedPrompt;
  readonly environment: RunEnvironment;
  /** Host paths that the agent's program needs to see inside. */
  readonly readonlyPaths: readonly string[];
  readonly modelAccess: ModelAccess | undefined;
}

/**
 * Looks at the host and refuses what cannot work.
 *
 * @throws UsageError, CwdError, RepositoryError
 */
export async function prepareRun(options: NormalizedRunOptions, signal: AbortSignal): Promise<PreparedRun> {
  const cwd = resolve(options.cwd);
  const [repository, prompt] = await Promise.all([
    openRepository(cwd, {
      timeoutMs: options.timeouts.gitSetupMs,
      signal,
      isWithoutGuests: options.sandbox.tag === 'none' && options.branchStrategy.type === 'head',
    }),
    preparePrompt(options),
  ]);
  assertCopyPaths(repository.topLevel, options.copyToWorktree ?? []);
  if (options.output !== undefined && !prompt.hasExpressions) assertTagInPrompt(options.output, prompt.text);
  const environment = await resolveEnvironment(options, repository.topLevel);
  const program = await findAgentProgram(options.agent, environment.host, options.sandbox);
  await assertSession(options);
  const programPaths = program === undefined ? [] : [program.path, program.realPath];
  const readonlyPaths = [...programPaths, ...(options.agent.readonlyPaths ?? [])];
  return { repository, prompt, environment, readonlyPaths, modelAccess: accessModel(options, environment) };
}

/** Refuses a prompt that does not tell the agent where to put its answer. */
export function assertTagInPrompt(output: AnyOutputDefinition, prompt: string): void {
  if (output.tag === undefined || prompt.includes(`<${output.tag}>`)) return;
  throw new UsageError(
    `The prompt does not contain \`<${output.tag}>\`, so the agent cannot know where to answer. Tell it to answer in a \`<${output.tag}>\` tag; \`Output.instructions(output)\` returns a text to paste.`,
  );
}

async function assertSession({ agent, resumeSession }: NormalizedRunOptions): Promise<void> {
  if (resumeSession === undefined || agent.sessionStorage === undefined) return;
  if ((await agent.sessionStorage.findByIdOnHost(resumeSession)) !== undefined) return;
  throw new UsageError(
    `The session \`${resumeSession}\` of the agent \`${agent.name}\` is not in its store on this host. Pass the \`sessionId\` of an earlier result, or leave \`resumeSession\` out.`,
  );
}

function accessModel(
  { agent, sandbox }: NormalizedRunOptions,
  { host }: RunEnvironment,
): ModelAccess | undefined {
  const egress = sandbox.tag === 'bind-mount' ? sandbox.egress : 'host';
  if (egress === 'none' || egress === 'host') return undefined;
  const access = agent.modelAccess?.(host);
  // With a list the agent may also reach its model by itself, if it is listed.
  if (access !== undefined || egress !== 'model') return access;
  throw new UsageError(
    `\`egress: 'model'\` needs to know how the agent \`${agent.name}\` reaches its model, and finds no key for it in the environment. Set its key (see \`truecast doctor\`), or use \`egress: 'host'\`.`,
    { code: 'unsupported' },
  );
}
