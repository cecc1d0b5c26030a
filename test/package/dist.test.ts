/**
 * Tests the package as a user installs it: every subpath, the command, its helper programs and the
 * types behave like the sources.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../packages/truecast/package.json' with { type: 'json' };
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { manifestOf } from '../architecture/source-tree.ts';
import { declarePrograms } from '../program-session.ts';
import { itWhole } from '../matrix.ts';
import { PUBLISHED, unpackPackages } from './unpack-packages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SUBPATHS = Object.keys(packageJson.publishConfig.exports).filter(
  (subpath) => subpath !== './package.json',
);

const runProgram = declarePrograms();
let project: string;
let installed: string;
let repository: string;

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-dist-')));
  installed = join(project, 'node_modules', 'truecast');
  repository = join(project, 'repository');
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  await install();
  await makeRepository();
});
afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }));

/** Unpacks the packages like an install, with the command but without development tools. */
async function install(): Promise<void> {
  await unpackPackages(project);
  mkdirSync(join(project, 'node_modules', '.bin'));
  symlinkSync(join('..', 'truecast', 'dist/cli.mjs'), command());
}

async function makeRepository(): Promise<void> {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
  await execa('git', ['init', '-q', repository]);
  await execa('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd: repository });
}

function command(): string {
  return join(project, 'node_modules', '.bin', 'truecast');
}

/** Runs a module in the user's project with plain Node. Returns its output, parsed as JSON. */
async function runModule(code: string): Promise<unknown> {
  const file = join(project, 'use.mjs');
  writeFileSync(file, code);
  const { stdout, stderr, exitCode } = await runProgram({ file, cwd: project, env: { HOME: project } });
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** The same in a process of its own, which must end by itself. */
async function startModule(code: string): Promise<unknown> {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', code], {
    cwd: project,
    env: { HOME: project },
  });
  return JSON.parse(stdout);
}

describe('the installed package', () => {
  it.each(SUBPATHS)('imports %s', async (subpath) => {
    const specifier = join('truecast', subpath);
    const names = await runModule(
      `console.log(JSON.stringify(Object.keys(await import('${specifier}')).length))`,
    );
    expect(names).toBeGreaterThan(0);
  });

  it('has the command, as the link that npm makes', async () => {
    const env = { PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}` };
    expect((await execa(command(), ['--version'], { env })).stdout).toBe(packageJson.version);
    const { stdout } = await execa(command(), ['extract', '--tag', 'r'], { env, input: '<r>x</r>' });
    expect(JSON.parse(stdout)).toBe('x');
  });

  it('runs the agents of truecast/testing, each a program of its own', async () => {
    const answers = await runModule(`
      import { noSandbox, Output, run } from 'truecast';
      import { offlineAgent, scriptedAgent, step } from 'truecast/testing';
      const shared = { sandbox: noSandbox(), cwd: ${JSON.stringify(repository)}, prompt: '<r>', output: Output.json({ tag: 'r' }) };
      const { output: survey } = await run({ ...shared, agent: offlineAgent() });
      const { output: scripted } = await run({ ...shared, agent: scriptedAgent({ steps: [step.print('<r>7</r>')] }) });
      console.log(JSON.stringify([survey.filesTracked, scripted]));
    `);
    expect(answers).toEqual([1, 7]);
  });

  it('serves chats inside a program of the user, which ends by itself', async () => {
    const answered = await startModule(`
      import { z } from 'zod';
      import { createClient, Output } from '@truecast/client';
      import { createChatServer, tool } from '@truecast/server';
      import { reply, scriptedModelServer } from 'truecast/testing';
      const model = await scriptedModelServer({
        script: ({ turnIndex }) => turnIndex === 0
          ? reply.tool('stock', { article: 'pear' })
          : reply.tool('submit_structured_output', { output: { count: 7 } }),
      });
      const asked = [];
      const stock = tool({ inputSchema: z.object({ article: z.string() }), execute: (input) => (asked.push(input), 7) });
      const server = await createChatServer({
        port: 0,
        databaseUrl: ${JSON.stringify(join(project, 'served.sqlite'))},
        environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
        tools: { stock },
      });
      const { token } = await server.createToken({ name: 'me' });
      const chat = createClient({ baseURL: server.url, token }).chat();
      const { output: value } = await chat.ask({ prompt: 'How many?', output: Output.object({ schema: z.object({ count: z.number() }) }) });
      await server.close();
      await model.close();
      console.log(JSON.stringify({ value, asked }));
    `);
    expect(answered).toEqual({ value: { count: 7 }, asked: [{ article: 'pear' }] });
  });

  it('sets up a template, which runs', async () => {
    const env = { PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`, HOME: project };
    await execa(command(), ['init', '--yes', '--sandbox', 'none', '--cwd', repository], { env });
    const folder = join(repository, '.truecast');
    writeFileSync(
      join(folder, 'agent.mts'),
      `import { noSandbox } from 'truecast';
      import { scriptedAgent, step } from 'truecast/testing';
      export const agent = scriptedAgent({ steps: [step.print('<result>{"summary":"ok","openQuestions":[]}</result>')] });
      export const sandbox = noSandbox();
      export const maxCorrections = 0;`,
    );
    const { stdout, stderr } = await runProgram({ file: join(folder, 'main.mts'), cwd: repository, env });
    expect(stdout, stderr).toContain('ok\n0 commit(s) on');
  });

  it('plays the scenarios that it carries, from any folder', async () => {
    const env = { HOME: project, TRUECAST_BASE_URL: '', TRUECAST_MODEL: '' };
    const args = ['ensemble', 'run', 'forged-portrait', '--quiet'];
    const { stdout } = await runProgram({ file: realpathSync(command()), args, cwd: repository, env });
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'verdict', winnerKind: 'team' });
  });

  it.each([
    ['truecast', ['fast-string-truncated-width']],
    ['@truecast/core', []],
    ['@truecast/model', []],
    ['@truecast/ensemble', []],
    ['@truecast/ensemble', [], 'internal'],
  ])('loads with %s no foreign package but %j, until one is needed', (name, foreign, subpath?: string) => {
    expect(foreignImports(name, subpath)).toEqual(foreign);
  });

  it('loads nothing of the command, its arguments and its terminal with the server', () => {
    const foreign = foreignImports('@truecast/server');
    expect(foreign).toContain('hono');
    expect(foreign.filter((name) => /commander|clack/u.test(name))).toEqual([]);
  });

  it('carries no sources, tests or settings', () => {
    const files = readdirSync(installed).sort();
    expect(files).toEqual([
      'CHANGELOG.md',
      'CONTEXT.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'package.json',
      'templates',
    ]);
    expect(readdirSync(join(installed, 'docs'))).not.toContain('contributing');
    expect(readdirSync(join(installed, 'docs', 'adr'))).not.toContain('archive');
    // A type check of the templates leaves a cache beside them.
    const caches = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(caches.filter((path) => path.includes('.cache'))).toEqual([]);
  });
});

it('names our other packages by their exact version, since they share internal modules', () => {
  const ranges = PUBLISHED.flatMap((folder) => {
    const { name } = manifestOf(folder);
    const manifest = JSON.parse(
      readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'),
    ) as {
      readonly [field: string]: Readonly<Record<string, string>> | undefined;
    };
    return ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((field) =>
      Object.entries(manifest[field] ?? {}),
    );
  });
  const own = ranges.filter(([name]) => name === 'truecast' || name.startsWith('@truecast/'));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter(([, range]) => range !== packageJson.version)).toEqual([]);
});

describeInBubblewrap('the installed package in bubblewrap', () => {
  it('finds its forwarder: an agent reaches its model, and the key stays outside', async () => {
    const keys: unknown[] = [];
    const model = createServer((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.end('<r>"from the model"</r>');
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const address = model.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const answer = await runModule(`
      import { bubblewrap, command, Output, run } from 'truecast';
      const ask = 'console.log(process.env.KEY, await (await fetch(process.env.MODEL_URL)).text())';
      const modelAccess = () => ({
        upstreamUrl: 'http://127.0.0.1:${port}',
        headers: { 'x-api-key': 'the key' },
        environment: (url) => ({ MODEL_URL: url, KEY: 'placeholder' }),
        secretNames: ['KEY'],
      });
      const agent = { ...command({ command: ['node', '--input-type=module', '-e', ask] }), modelAccess };
      const { output, stdout } = await run({
        agent, sandbox: bubblewrap({ egress: 'model' }), cwd: ${JSON.stringify(repository)}, prompt: '<r>', output: Output.json({ tag: 'r' }),
      });
      console.log(JSON.stringify([output, stdout.split(' ')[0]]));
    `).finally(() => model.close());
    expect(answer).toEqual(['from the model', 'placeholder']);
    expect(keys).toEqual(['the key']);
  });
});

describe('the types of the package', () => {
  it('name no library of the inside', () => {
    const declarations = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.d.mts'),
    );
    const imported = declarations.flatMap((name) =>
      [
        ...readFileSync(join(installed, 'dist', name), 'utf8')
          .replaceAll(/\/\*[\s\S]*?\*\//gu, '')
          .matchAll(/(?:\bfrom|\bimport\(?|types=)\s*["']([^."'][^"']*)["']/gu),
      ].map((match) => match[1]),
    );
    expect([...new Set(imported)].toSorted((left = '', right = '') => left.localeCompare(right))).toEqual([
      '@truecast/core',
      '@truecast/core/internal',
      '@truecast/core/internal/errors',
      '@truecast/core/internal/kit',
      '@truecast/core/internal/options',
      '@truecast/core/internal/shape',
      '@truecast/model',
      '@truecast/model/internal/tools',
      '@truecast/model/testing',
    ]);
  });

  it('compile for the core in a project without the types of Node, and stay exact', async () => {
    const code = `import { extractOutput, Output } from 'truecast/output';
import { jsonSchema } from 'truecast/schema';
const schema = jsonSchema({ type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] });
const { line } = await extractOutput('<r>{"line":1}</r>', Output.object({ tag: 'r', schema }));
export const exact: number = line;
// @ts-expect-error -- a number is no string: the type is not \`any\`
export const wrong: string = line;
`;
    expect(await compile(code, { lib: ['es2024', 'dom'], types: [] })).toBe('');
  });

  // In the short form, `install.test.ts` compiles all entries without a peer, and `api-report.test.ts` has all types.
  itWhole('compile for every subpath in a project of Node', async () => {
    const code = SUBPATHS.map(
      (subpath, index) => `export * as all${index} from '${join('truecast', subpath)}';`,
    ).join('\n');
    const typeRoots = [join(ROOT, 'node_modules', '@types')];
    expect(await compile(code, { lib: ['es2024', 'esnext.disposable'], types: ['node'], typeRoots })).toBe(
      '',
    );
  });
});

/** Returns the packages that are not ours and that an import of a package loads at once. */
function foreignImports(name: string, subpath?: string): readonly string[] {
  const foreign = new Set<string>();
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(/^(?:import|export) (?:[^'"]* from )?["']([^"']+)["'];$/gmu)];
    for (const target of imports.map((match) => match[1] ?? '')) {
      const own = /^(@truecast\/[\w-]+|truecast)(?:\/(.+))?$/u.exec(target);
      if (target.startsWith('.')) visit(join(path, '..', target));
      else if (own !== null) visit(entryOf(own[1] ?? '', own[2]));
      else if (!target.startsWith('node:')) foreign.add(target);
    }
  };
  visit(entryOf(name, subpath));
  return [...foreign];
}

function entryOf(name: string, subpath = 'index'): string {
  return join(project, 'node_modules', name, 'dist', `${subpath}.mjs`);
}

/**
 * Compiles a module of the user, including libraries' declarations. Returns the compiler's errors.
 */
async function compile(code: string, options: object): Promise<string> {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
  };
  const compilerOptions = { module: 'nodenext', target: 'es2024', noEmit: true, ...strict, ...options };
  writeFileSync(join(project, 'use.ts'), code);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const { stdout } = await execa('tsc', ['-p', project, '--checkers', '1'], {
    cwd: ROOT,
    preferLocal: true,
    reject: false,
  });
  return stdout;
}
