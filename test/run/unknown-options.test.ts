/** Mistyped options of the public functions: refused by name, before any input or output. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/index.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { aiSdkProvider, createEnsemble } from '../../packages/ensemble/src/index.ts';
import { generate, openAICompatible } from '../../packages/model/src/index.ts';
import * as truecast from '../../packages/truecast/src/index.ts';

const { Output, noSandbox } = truecast;
const agent = truecast.claudeCode();
const sandbox = noSandbox();
const schema = z.object({ n: z.number() });
const model = openAICompatible({ baseURL: 'http://127.0.0.1:1/v1', model: 'm' });
// No git repository. A call that reads it before its options fails with another error.
const cwd = '/proc';

/** Calls with one mistyped option, and the suggestion. */
const CALLS: Readonly<Record<string, readonly [() => unknown, string]>> = {
  'run()': [
    () => truecast.run(mistyped({ agent, sandbox, cwd, prompt: 'x' }, 'maxIteration')),
    'maxIterations',
  ],
  'runBatch()': [
    () => truecast.runBatch(mistyped({ agent, sandbox, cwd, inputs: [], prompt: 'x' }, 'timeout')),
    'timeouts',
  ],
  'createSandbox()': [() => truecast.createSandbox(mistyped({ branch: 'b', sandbox, cwd }, 'hook')), 'hooks'],
  'createWorktree()': [
    () =>
      truecast.createWorktree(mistyped({ branchStrategy: { type: 'merge-to-head' }, cwd }, 'copyToWorkTre')),
    'copyToWorktree',
  ],
  'interactive()': [() => truecast.interactive(mistyped({ agent, cwd }, 'promt')), 'prompt'],
  'Output.object()': [() => Output.object(mistyped({ schema }, 'maxCorrectons')), 'maxCorrections'],
  'Output.string()': [() => Output.string(mistyped({ tag: 'a' }, 'maxCorrectons')), 'maxCorrections'],
  'Output.array()': [() => Output.array(mistyped({ element: schema }, 'chek')), 'check'],
  'Output.choice()': [() => Output.choice(mistyped({ options: ['a'] }, 'tga')), 'tag'],
  'Output.json()': [() => Output.json(mistyped({}, 'retri')), 'retry'],
  'claudeCode()': [() => truecast.claudeCode('opus', mistyped({}, 'efort')), 'effort'],
  'codex()': [() => truecast.codex('m', mistyped({}, 'baseURI')), 'baseURL'],
  'geminiCli()': [() => truecast.geminiCli('m', mistyped({}, 'aprovalMode')), 'approvalMode'],
  'opencode()': [() => truecast.opencode('p/m', mistyped({}, 'varient')), 'variant'],
  'pi()': [() => truecast.pi('p/m', mistyped({}, 'thinkin')), 'thinking'],
  'copilot()': [() => truecast.copilot('m', mistyped({}, 'effrt')), 'effort'],
  'cursor()': [() => truecast.cursor('m', mistyped({}, 'envs')), 'env'],
  'acp()': [() => truecast.acp(mistyped({ command: 'a' }, 'nme')), 'name'],
  'command()': [() => truecast.command(mistyped({ command: 'a' }, 'prompVia')), 'promptVia'],
  'noSandbox()': [() => noSandbox(mistyped({}, 'evn')), 'env'],
  'bubblewrap()': [() => truecast.bubblewrap(mistyped({}, 'egres')), 'egress'],
  'docker()': [() => truecast.docker(mistyped({}, 'imagName')), 'imageName'],
  'podman()': [() => truecast.podman(mistyped({}, 'usern')), 'userns'],
  'createClient()': [() => createClient(mistyped({ baseURL: 'http://127.0.0.1:1' }, 'tokn')), 'token'],
  'generate()': [
    () => generate(mistyped({ model, prompt: 'x', output: Output.json({}) }, 'maxRetry')),
    'maxCorrections',
  ],
  'aiSdkProvider()': [() => aiSdkProvider(model, mistyped({}, 'temprature')), 'temperature'],
  'createEnsemble()': [() => createEnsemble(mistyped({}, 'scenaro')), 'scenario'],
};

/** A caller without types, as of JavaScript or of a spread. */
function mistyped(options: object, name: string): never {
  return { ...options, [name]: 'x' } as never;
}

it.each([
  ['run()', (options: never): unknown => truecast.run(options), 'options for `run()`'],
  ['generate()', (options: never): unknown => generate(options), 'an object of options'],
])('%s without options is refused', async (_, call, expected) => {
  const refused: unknown = await Promise.resolve()
    .then(() => call(undefined as never))
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect(refused).toHaveProperty('message', expect.stringContaining(expected));
});

it('generate() without an output is refused', async () => {
  const asked = { model, prompt: 'x' } as never;
  await expect(generate(asked)).rejects.toThrow(/Expected `output` to be created with `Output`/u);
});

describe('a mistyped option', () => {
  it.each(Object.entries(CALLS))('of %s is refused, with the nearest name', async (of, [call, near]) => {
    const refused: unknown = await Promise.resolve()
      .then(call)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toHaveProperty('message', expect.stringContaining(`known options of \`${of}\``));
    expect(refused).toHaveProperty('message', expect.stringContaining(`Did you mean \`${near}\`?`));
  });
});
