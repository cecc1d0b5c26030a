/** Mistakes that newcomers made, and others like them: calls of the public functions, as untyped callers write them. */
import { z } from 'zod';
import * as truecast from '../../packages/truecast/src/index.ts';
import { row, type Mistake, type Untyped } from './mistake.ts';
import { GUESSES } from './guesses.ts';
import { SERVICE_MISTAKES } from './service-mistakes.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';

const {
  Output,
  run,
  runBatch,
  createSandbox,
  createWorktree,
  extractOutput,
  noSandbox,
  bubblewrap,
  claudeCode,
  codex,
  command,
} = truecast;

const schema = z.object({ line: z.number() });
const output = Output.object({ tag: 'bug', schema });
const agent = command({ command: ['true'] });
const logging = { type: 'file' } as const;

/** Runs an agent that does nothing, in a new repository. */
const start = (options: object): Promise<unknown> =>
  run({
    agent,
    sandbox: noSandbox(),
    prompt: 'Answer in <bug>.',
    output,
    cwd: makeRepository(),
    logging,
    ...options,
  } as Untyped);

/** A class where a schema belongs. */
class Bug {
  readonly line: number = 1;
}

const RUNS: readonly Mistake[] = [
  row(
    'a prompt without the tag',
    () => start({ prompt: 'Answer in <result>.' }),
    /does not contain `<bug>`/u,
    /where to answer/u,
    /`Output\.instructions/u,
  ),
  row(
    'no sandbox',
    () => start({ sandbox: undefined }),
    /`sandbox` to be a sandbox provider/u,
    /got `undefined`/u,
    /Pass `bubblewrap\(\)/u,
  ),
  row(
    'no agent',
    () => start({ agent: undefined }),
    /`agent` to be an agent provider/u,
    /got `undefined`/u,
    /Pass `claudeCode\(\)`/u,
  ),
  row(
    'an agent by its name',
    () => start({ agent: 'claude-code' }),
    /an agent provider/u,
    /"claude-code"/u,
    /Pass `claudeCode\(\)`/u,
  ),
  row(
    'a sandbox by its name',
    () => start({ sandbox: 'docker' }),
    /a sandbox provider/u,
    /"docker"/u,
    /Pass `/u,
  ),
  row(
    'a sandbox that is not called',
    () => start({ sandbox: bubblewrap }),
    /a sandbox provider/u,
    /bubblewrap/u,
    /Pass `bubblewrap\(\)`/u,
  ),
  row(
    'an agent that is not called',
    () => start({ agent: claudeCode }),
    /an agent provider/u,
    /claudeCode/u,
    /Pass `claudeCode\(\)`/u,
  ),
  row(
    'a mistyped option',
    () => start({ maxRetry: 2 }),
    /known options of `run\(\)`/u,
    /`maxRetry`/u,
    /Write `output: Output\.object\(\{ maxCorrections \}\)`/u,
  ),
  row(
    'a schema as the output',
    () => start({ output: schema }),
    /created with `Output`/u,
    /got/u,
    /Write `Output\.object/u,
  ),
  row('logging: false', () => start({ logging: false }), /`logging`/u, /`false`/u, /type/u),
  row(
    'a folder without a repository',
    () => start({ cwd: temporaryFolder() }),
    /repository/u,
    /truecast-run-test/u,
    /git init/u,
  ),
  row(
    'a folder that does not exist',
    () => start({ cwd: '/nope' }),
    /folder|directory/u,
    /\/nope/u,
    /Check|Create|Correct|Pass/u,
  ),
  row(
    'two prompts',
    () => start({ promptFile: 'x.md' }),
    /exactly one of `prompt` and `promptFile`/u,
    /both/u,
    /Remove|Leave|Pass/u,
  ),
  row(
    'a prompt file that is missing',
    () => start({ prompt: undefined, promptFile: 'x.md' }),
    /promptFile/u,
    /x\.md/u,
    /Pass the path of a text file/u,
  ),
  row(
    'a mistyped branch strategy',
    () => start({ branchStrategy: { type: 'merge' } }),
    /one of head, merge-to-head, branch/u,
    /"merge"/u,
    /\{ type: '/u,
  ),
  row(
    'a branch strategy as a string',
    () => start({ branchStrategy: 'merge-to-head' }),
    /branchStrategy/u,
    /"merge-to-head"/u,
    /\{ type: 'merge-to-head' \}/u,
  ),
  row(
    'an agent that is not installed',
    () => start({ agent: command({ command: ['no-such-program-here'] }), output: undefined }),
    /not on the PATH/u,
    /no-such-program-here/u,
    /Install it/u,
  ),
  row(
    'iterations with an output',
    () => start({ maxIterations: 3 }),
    /`maxIterations` to be 1/u,
    /got `3`/u,
    /Remove/u,
  ),
  row(
    'a negative budget',
    () => start({ budget: { usd: -1 } }),
    /`budget\.usd` to be a positive number/u,
    /got `-1`/u,
    /Correct|Pass|Leave|remove/u,
  ),
  row(
    'dollars of an agent that reports none',
    () => start({ agent: codex(), budget: { usd: 1 } }),
    /needs cost data/u,
    /codex/u,
    /Use `budget\.tokens`/u,
  ),
  row(
    'a number in the environment',
    () => start({ env: { A: 1 } }),
    /`env\.A` to be a string/u,
    /got/u,
    /String\(value\)/u,
  ),
  row(
    'a date in the schema',
    () => start({ output: Output.object({ tag: 'bug', schema: z.object({ at: z.date() }) }) }),
    /some JSON fits/u,
    /JSON has no `date`/u,
    /Request a string/u,
  ),
  row(
    'a mistyped timeout',
    () => start({ timeouts: { gitSetup: 1 } }),
    /known options of `timeouts`/u,
    /`gitSetup`/u,
    /Did you mean `gitSetupMs`/u,
  ),
  row(
    'a mistyped budget',
    () => start({ budget: { token: 1 } }),
    /known options of `budget`/u,
    /`token`/u,
    /Did you mean `tokens`/u,
  ),
  row(
    'a mistyped hook',
    () => start({ hooks: { host: { onWorktreReady: [] } } }),
    /known options of `hooks\.host`/u,
    /`onWorktreReady`/u,
    /Did you mean `onWorktreeReady`/u,
  ),
  row(
    'a timeout in words',
    () => start({ timeouts: { runMs: '5m' } }),
    /`timeouts.runMs` to be a number of milliseconds above 0/u,
    /"5m"/u,
    /Correct|Write|Pass/u,
  ),
  row(
    'a batch without inputs',
    () => runBatch({ agent, sandbox: noSandbox(), prompt: 'x', output } as Untyped),
    /inputs/u,
    /neither|got/u,
    /Pass|Set/u,
  ),
  row(
    'a batch whose prompt has no input',
    () =>
      runBatch({ agent, sandbox: noSandbox(), cwd: makeRepository(), inputs: 'x', prompt: 'x' } as Untyped),
    /inputs/u,
    /got `x`/u,
    /Pass|Write/u,
  ),
  row(
    'a worktree on the head',
    () => createWorktree({ branchStrategy: { type: 'head' } } as Untyped),
    /branchStrategy/u,
    /head/u,
    /use `run\(\)`/u,
  ),
  row(
    'a sandbox without a branch',
    () => createSandbox({ sandbox: noSandbox() } as Untyped),
    /`branch` to be a branch name/u,
    /got `undefined`/u,
    /Pass the name/u,
  ),
  row(
    'the result of a run that is not awaited as text',
    () => extractOutput(run as Untyped, output),
    /`chunk` to be a string/u,
    /run/u,
    /Pass/u,
  ),
];

const DEFINITIONS: readonly Mistake[] = [
  row(
    'a plain object as the schema',
    () => Output.object({ tag: 'bug', schema: { type: 'object' } as Untyped }),
    /a Standard Schema/u,
    /"type":"object"/u,
    /jsonSchema\(schema\)/u,
  ),
  row(
    'types as the schema',
    () => Output.object({ tag: 'bug', schema: { line: 'number' } as Untyped }),
    /a Standard Schema/u,
    /"line":"number"/u,
    /Wrap/u,
  ),
  row(
    'a class as the schema',
    () => Output.object({ tag: 'bug', schema: Bug as Untyped }),
    /a Standard Schema/u,
    /Bug/u,
    /Wrap/u,
  ),
  row(
    'no schema',
    () => Output.object({ tag: 'bug' } as Untyped),
    /a Standard Schema/u,
    /`undefined`/u,
    /Wrap/u,
  ),
  row(
    'a mistyped option of Output',
    () => Output.object({ tag: 'bug', schema, maxRetrys: 2 } as Untyped),
    /known options of `Output\.object\(\)`/u,
    /`maxRetrys`/u,
    /Did you mean `maxCorrections`/u,
  ),
  row(
    'a tag with brackets',
    () => Output.object({ tag: '<bug>', schema }),
    /`tag` to match/u,
    /"<bug>"/u,
    /Use a name/u,
  ),
  row(
    'choices as an object',
    () => Output.choice({ options: { a: 1 } } as Untyped),
    /array of strings/u,
    /"a":1/u,
    /Write|Pass/u,
  ),
  row(
    'a mode that does not exist',
    () => Output.object({ schema, mode: 'tools' } as Untyped),
    /one of tag, native/u,
    /"tools"/u,
    /Did you mean|Use|Choose/u,
  ),
  row(
    'arguments in the wrong order',
    () => extractOutput(output as Untyped, 'text' as Untyped),
    /created with `Output`/u,
    /"text"/u,
    /Write `Output\.object/u,
  ),
  row(
    'a mistyped option of an agent',
    () => claudeCode('opus', { efort: 'high' } as Untyped),
    /known options of `claudeCode\(\)`/u,
    /`efort`/u,
    /Did you mean `effort`/u,
  ),
  row(
    'options in place of the model',
    () => claudeCode({ effort: 'high' } as Untyped),
    /model/u,
    /effort/u,
    /Pass|Write/u,
  ),
  row(
    'a command as an object',
    () => command({ command: { run: 'x' } } as Untyped),
    /`command` to be a shell command/u,
    /"run":"x"/u,
    /Write|Pass/u,
  ),
  row(
    'a mount as a string',
    () => bubblewrap({ mounts: '/data' } as Untyped),
    /`mounts` to be an array/u,
    /"\/data"/u,
    /Write|Pass/u,
  ),
];

/** All of them. */
export const MISTAKES: readonly Mistake[] = [...RUNS, ...DEFINITIONS, ...GUESSES, ...SERVICE_MISTAKES];
