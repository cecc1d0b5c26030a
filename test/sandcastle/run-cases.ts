/** Inputs of `run()`: refused options, prompts, completion signals, branches, and errors. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as theirs from '@ai-hero/sandcastle';
import { z } from 'zod';
import { CwdError } from '../../packages/truecast/src/exports/sandcastle.ts';
import type { Difference, OracleCase } from './oracle-case.ts';
import {
  printing,
  sandcastle,
  truecast,
  type Library,
  type SharedOptions,
  type SharedOutput,
} from './programs.ts';

const RESULT: SharedOutput = { kind: 'object', tag: 'result', schema: z.object({ a: z.number() }) };
const TEXT: SharedOutput = { ...RESULT, kind: 'string' };
const PROMPT = 'Answer in <result></result>.';

/** Templates and their arguments. The agent prints its prompt. */
const PROMPTS: readonly (readonly [string, string, SharedOptions['promptArgs']?, Difference?])[] = [
  ['no placeholder', 'Just text.'],
  ['one placeholder', 'Fix {{ISSUE}}.', { ISSUE: 'the bug' }],
  ['spaces in braces', 'Fix {{ ISSUE }}.', { ISSUE: 'it' }],
  ['a placeholder twice', '{{A}} {{A}}', { A: 'x' }],
  ['a number and a boolean', '{{A}} {{B}}', { A: 5, B: true }],
  ['an empty value', '<{{A}}>', { A: '' }],
  ['lower case', '{{name}}', { name: 'x' }],
  ['a value with a placeholder', '{{A}}', { A: '{{B}}' }],
  ['a value with dollars', '{{A}}', { A: "$& $1 $$ $'" }],
  ['a value with a shell expression', '{{A}}', { A: '!`echo no`' }],
  ['a missing argument', '{{A}}'],
  ['an unused argument', 'text', { A: 'x' }],
  ['a built-in argument', '{{SOURCE_BRANCH}} {{TARGET_BRANCH}}'],
  ['an overridden built-in argument', '{{SOURCE_BRANCH}}', { SOURCE_BRANCH: 'x' }],
  ['a shell expression', 'Now: !`echo 5`'],
  ['two shell expressions', '!`echo 1` !`echo 2`'],
  ['a shell expression that fails', '!`exit 3`'],
  ['an argument in a shell expression', '!`echo {{A}}`', { A: 'one' }],
  ['single braces', '{A} {{}} {{ A B }}'],
  ['a name with a hyphen', '{{A-B}}'],
  ['a name that begins with a digit', '{{1A}}', undefined, 'placeholders'],
];

/** Options, and whether both libraries refuse them. */
const OPTIONS: readonly (readonly [string, SharedOptions, (SharedOutput | undefined)?, Difference?])[] = [
  ['a prompt', { prompt: PROMPT }],
  ['a prompt and a file', { prompt: PROMPT, promptFile: 'prompt.md' }],
  ['no prompt', {}],
  ['a missing prompt file', { promptFile: '/missing/prompt.md' }],
  ['arguments of an inline prompt', { prompt: PROMPT, promptArgs: { A: '1' } }],
  ['empty arguments of an inline prompt', { prompt: PROMPT, promptArgs: {} }],
  ['an output and two iterations', { prompt: PROMPT, maxIterations: 2 }, TEXT],
  ['an output', { prompt: PROMPT }, TEXT],
  ['a prompt without the tag', { prompt: 'Answer.' }, TEXT],
  ['negative retries', { prompt: PROMPT }, { ...RESULT, maxRetries: -1 }],
  ['half a retry', { prompt: PROMPT }, { ...RESULT, maxRetries: 1.5 }],
  ['retries of an agent without sessions', { prompt: PROMPT }, { ...RESULT, maxRetries: 1 }],
  ['a session of an agent without sessions', { prompt: PROMPT, resumeSession: 's1' }],
  ['a session and two iterations', { prompt: PROMPT, resumeSession: 's1', maxIterations: 2 }],
  ['a fork without a session', { prompt: PROMPT, forkSession: true }],
  ['files to copy on head', { prompt: PROMPT, copyToWorktree: ['a.txt'] }],
  ['a missing folder', { prompt: PROMPT, cwd: '/missing/folder' }],
  ['an aborted signal', { prompt: PROMPT, signal: AbortSignal.abort(new RangeError('enough')) }],
  ['a command that fails', { prompt: PROMPT, script: 'exit 3' }],
  ['a tag with a space', { prompt: 'In <a b></a b>.' }, { ...TEXT, tag: 'a b' }, 'invalid options'],
  ['an empty completion signal', { prompt: PROMPT, completionSignal: '' }, undefined, 'invalid options'],
  ['no iterations', { prompt: PROMPT, maxIterations: 0 }, undefined, 'invalid options'],
];

const DONE = '<promise>COMPLETE</promise>';

const COMPLETIONS: readonly (readonly [string, SharedOptions])[] = [
  ['the signal', { script: printing(DONE), maxIterations: 3 }],
  ['no signal', { script: printing('working'), maxIterations: 2 }],
  ['a custom signal', { script: printing('FINISHED'), completionSignal: 'FINISHED', maxIterations: 3 }],
  [
    'the default signal with a custom one',
    { script: printing(DONE), completionSignal: 'FINISHED', maxIterations: 2 },
  ],
  ['one of two signals', { script: printing('TWO'), completionSignal: ['ONE', 'TWO'], maxIterations: 2 }],
];

const BRANCHES: readonly (readonly [string, SharedOptions['branchStrategy']])[] = [
  ['no strategy', undefined],
  ['head', { type: 'head' }],
  ['a branch', { type: 'branch', branch: 'topic' }],
  ['merge-to-head', { type: 'merge-to-head' }],
];
const COMMIT = 'git commit -q --allow-empty -m work';

/** Creates the cases. `makeRepository` returns a new repository. */
export function runCases(makeRepository: () => string): OracleCase[] {
  const cwd = makeRepository();
  const each = (
    input: string,
    call: (library: Library) => Promise<unknown>,
    differs?: Difference,
  ): OracleCase => ({
    input,
    theirs: () => call(sandcastle),
    ours: () => call(truecast),
    ...(differs !== undefined && { differs }),
  });
  return [
    ...PROMPTS.map(([name, template, promptArgs, differs], index) => {
      const promptFile = join(cwd, '.git', `prompt-${index}.md`);
      writeFileSync(promptFile, template);
      const options = { cwd, promptFile, ...(promptArgs !== undefined && { promptArgs }) };
      return each(`prompt: ${name}`, async (library) => (await library.run(options)).stdout.trim(), differs);
    }),
    ...OPTIONS.map(([name, options, output, differs]) =>
      each(
        `options: ${name}`,
        async (library) => {
          await library.run({ cwd, ...options }, output);
          return 'accepted';
        },
        differs,
      ),
    ),
    ...COMPLETIONS.map(([name, options]) =>
      each(`completion: ${name}`, async (library) => {
        const { completionSignal, iterations } = await library.run({ cwd, prompt: PROMPT, ...options });
        return { completionSignal, iterations: iterations.length };
      }),
    ),
    ...BRANCHES.map(([name, branchStrategy]) =>
      each(`branch: ${name}`, async (library) => {
        const { branch, commits } = await library.run({
          cwd: makeRepository(),
          prompt: PROMPT,
          script: COMMIT,
          ...(branchStrategy !== undefined && { branchStrategy }),
        });
        return { branch, commits: commits.length };
      }),
    ),
    each('error: a missing answer', (library) =>
      library.run({ cwd, prompt: PROMPT, script: printing('none') }, RESULT).catch((error: object) => {
        const { tag, rawMatched, commits, branch, cause }: Record<string, unknown> = { ...error };
        return { tag, rawMatched, commits, branch, cause };
      }),
    ),
    {
      input: 'error: CwdError',
      theirs: () => fieldsOf(new theirs.CwdError({ message: 'm', cwd: '/x' })),
      ours: () => fieldsOf(new CwdError('m', { cwd: '/x' })),
    },
  ];
}

function fieldsOf({ _tag, cwd, name, message }: CwdError | theirs.CwdError): object {
  return { _tag, cwd, name, message };
}
