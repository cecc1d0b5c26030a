/**
 * Installs each package alone, with npm, into an empty project. Counts packages and bytes, imports
 * each entry, compiles a program without `skipLibCheck`, and runs the command.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { publishedDependencies } from '../../scripts/published-manifest.ts';
import { componentsOf, installAll } from '../../scripts/write-sbom.ts';
import { manifestOf } from '../architecture/source-tree.ts';
import { FORM, itWhole, matrixRuns } from '../matrix.ts';
import { declarePrograms } from '../program-session.ts';
import { type InstalledProject, installsAlone } from './installed-projects.ts';
import { sharedTarballs } from './shared-build.ts';
import type { Tarballs } from './unpack-tarballs.ts';
import { PUBLISHED } from './unpack-packages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MB = 1024 * 1024;
const COMPONENTS = z.object({ components: z.array(z.object({ name: z.string(), version: z.string() })) });

/** Packages and bytes of an install, the package itself included. Raised only with a reason. */
const LIMITS: Readonly<Record<string, { readonly packages: number; readonly bytes: number }>> = {
  core: { packages: 2, bytes: 2 * MB },
  model: { packages: 3, bytes: 2 * MB },
  store: { packages: 5, bytes: 12 * MB },
  client: { packages: 3, bytes: 2 * MB },
  ensemble: { packages: 8, bytes: 15 * MB },
  truecast: { packages: 11, bytes: 6 * MB },
  // Log lines by pino (11 packages, 1 MB), metrics by prom-client (4 packages, 4 MB). The mask is
  // bundled into four of our packages.
  server: { packages: 88, bytes: 61.5 * MB },
};

/** In the short form, `dist.test.ts` and `common-js.test.ts` load them, with the workspace's dependencies. */
const LARGE: readonly string[] = ['ensemble', 'server', 'store'];
const TRIED = PUBLISHED.filter((name) => FORM === 'whole' || !LARGE.includes(name));

let folder: string;
let tarballs: Tarballs;
let together: string;
let installAlone: (name: string) => Promise<InstalledProject>;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-install-')));
  tarballs = await sharedTarballs();
  together = installAll(dirname(tarballs['truecast'] ?? ''), join(folder, 'together'));
  installAlone = installsAlone(folder, tarballs, together);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

it('has a limit for every package', () => {
  expect(Object.keys(LIMITS).sort()).toEqual([...PUBLISHED].sort());
});

it('lists every dependency as a component of a release, and what is bundled', () => {
  const { components } = COMPONENTS.parse(componentsOf(together));
  const names = new Set(components.map(({ name }) => name));
  const dependencies = PUBLISHED.flatMap((each) => Object.keys(publishedDependencies(each)));
  const bundled = [
    'eventsource-parser',
    '@agentclientprotocol/sdk',
    '@modelcontextprotocol/server',
    'react-dom',
    'wouter',
  ];
  expect([...dependencies, ...bundled].filter((name) => !names.has(name))).toEqual([]);
  expect([...names].filter((name) => /^(?:vitest|typescript|tsdown)$/u.test(name))).toEqual([]);
});

it.each(TRIED)('%s, installed alone, brings no more packages and bytes than its limit', async (name) => {
  const { project, packages } = await installAlone(name);
  expect(packages.length, packages.join(' ')).toBeLessThanOrEqual(LIMITS[name]?.packages ?? 0);
  expect(bytesOf(join(project, 'node_modules'))).toBeLessThanOrEqual(LIMITS[name]?.bytes ?? 0);
});

it('imports each entry of each package, from its own installation', async () => {
  const files = await Promise.all(
    TRIED.map(async (name) => {
      const { project } = await installAlone(name);
      const entries = publicSubpaths(project, manifestOf(name).name);
      expect(entries).not.toEqual([]);
      const imports = entries.map((each) => `['${each}', Object.keys(await import('${each}')).length]`);
      const file = join(project, 'entries.mjs');
      writeFileSync(file, `export default [${imports.join(', ')}];`);
      return { file, entries };
    }),
  );
  // In one process. A module finds packages from its own folder.
  const imports = files.map(({ file }) => `...(await import('${file}')).default`);
  const code = `console.log(JSON.stringify([${imports.join(', ')}]))`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
  const counts = z.array(z.tuple([z.string(), z.number()])).parse(JSON.parse(stdout));
  expect(counts.map(([entry]) => entry)).toEqual(files.flatMap(({ entries }) => entries));
  expect(counts.filter(([, count]) => count === 0)).toEqual([]);
});

it('has types of all entries that compile, and names those of what a program of the library exports', async () => {
  const programs = await Promise.all(
    TRIED.map(async (name) => {
      const { project } = await installAlone(name);
      const subpaths = publicSubpaths(project, manifestOf(name).name);
      const lines = subpaths.map((each, index) => `export * as all${index} from '${each}';`);
      return [`${name}/use.ts`, lines.join('\n')] as const;
    }),
  );
  // Beside the program alone: the types of the package compile without it.
  linkPackages(join(folder, 'truecast/library'), ['zod']);
  const all = { ...Object.fromEntries(programs), 'truecast/library/use.ts': OF_THE_LIBRARY };
  // In one program: the compiler reads the libraries of the language and of Node once.
  const changes = { declaration: true, noEmit: false, emitDeclarationOnly: true };
  expect(await compile(folder, all, changes)).toBe('');
});

// In the short form, `test/docs/examples.test.ts` compiles programs with the same entries, and `api-report.test.ts`
// compares the types of the package.
itWhole('compiles a program of the client with its optional peers', async () => {
  const { project } = await installAlone('client');
  const withPeers = join(folder, 'with-peers');
  cpSync(project, withPeers, { recursive: true, verbatimSymlinks: true });
  linkPackages(withPeers, ['ai', 'react', '@types/react', 'zod']);
  // The AI SDK's own types do not compile with this option.
  expect(await compile(withPeers, { 'use.ts': WITH_PEERS }, { exactOptionalPropertyTypes: false })).toBe('');
});

/** Values and wrappers that a library of a user exports. None has a written type. */
const OF_THE_LIBRARY = `import {
  claudeCode, codex, createSandbox, createWorktree, docker, extractOutput, generate, interactive,
  noSandbox, openAICompatible, Output, run, safeExtractOutput, type AgentProvider,
} from 'truecast';
import { run as ported, Output as PortedOutput } from 'truecast/sandcastle';
import { z } from 'zod';

export const agent = claudeCode('claude-opus-4-8');
export const other = codex();
export const sandbox = docker();
export const model = openAICompatible({ baseURL: 'http://127.0.0.1:1', model: 'm' });
export const output = Output.object({ tag: 'r', schema: z.object({ n: z.number() }), maxCorrections: 2 });
export const word = Output.choice({ options: ['a', 'b'] });
export const plan = PortedOutput.object({ tag: 'r', schema: z.object({ n: z.number() }) });
export const start = () => run({ agent, sandbox, prompt: 'x', output });
export const startPorted = () => ported({ agent, sandbox, prompt: 'x', output: plan });
export const plain = () => run({ agent, sandbox: noSandbox(), prompt: 'x' });
export const ask = <TSchema extends z.ZodType>(schema: TSchema) =>
  generate({ model, prompt: 'x', output: Output.object({ schema }) });
export const work = <TSchema extends z.ZodType>(by: AgentProvider, schema: TSchema) =>
  run({ agent: by, sandbox, prompt: 'x', output: Output.object({ tag: 'r', schema }) });
export const find = (text: string) => extractOutput(text, output);
export const look = (text: string) => safeExtractOutput(text, output);
export const place = () => createSandbox({ sandbox, branch: 'b' });
export const tree = () => createWorktree({ branchStrategy: { type: 'branch', branch: 'b' } });
export const talk = () => interactive({ agent, sandbox });
`;

/** The typed entries, as a page of an application uses them. */
const WITH_PEERS = `import { createClient, Output } from '@truecast/client';
import { createChatTransport, toUIMessages, uiMessageStream, type TruecastUIMessage } from '@truecast/client/ai-sdk';
import { useAnswer, useChatEvents, ValuePanel } from '@truecast/client/react';
import type { ChatTransport } from 'ai';
import { z } from 'zod';

type Message = TruecastUIMessage<{ line: number }>;
const client = createClient({ baseURL: 'http://127.0.0.1:1', token: 'token' });
const output = Output.object({ schema: z.object({ line: z.number() }) });
export const transport: ChatTransport<Message> = createChatTransport(client, { output });
export function lineOf({ parts }: Message): number | undefined {
  return parts.find((part) => part.type === 'data-receipt')?.data.value?.line;
}
export function useLine(): number | undefined {
  return useAnswer({ client, output }).output?.line;
}
export function useWrongLine(): string | undefined {
  // @ts-expect-error: a line is a number
  return useAnswer({ client, output }).output?.line;
}
export { toUIMessages, uiMessageStream, useChatEvents, ValuePanel };`;

const runProgram = declarePrograms();

it('runs the command, and names the package that a subcommand needs', async () => {
  const { project } = await installAlone('truecast');
  const command = join(project, 'node_modules/.bin/truecast');
  const env = { PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await execa(command, ['extract', '--tag', 'r'], { env, input: '<r>x</r>' });
  expect(JSON.parse(stdout)).toBe('x');
  const empty = join(project, 'empty');
  mkdirSync(empty);
  const demo = await execa(command, ['demo'], { env, cwd: empty });
  expect(JSON.parse(demo.stdout)).toMatchObject({ filesTracked: 3 });
  expect(demo.stderr).toContain('answer refused at filesTracked');
  for (const [args, missing] of NEEDING.slice(0, matrixRuns(3, NEEDING.length))) {
    const { exitCode, stderr } = await runProgram({
      file: realpathSync(command),
      args,
      cwd: hostileFolder(project),
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `truecast: This needs the package \`${missing}\`, which is not installed. Pack it in a clone of Truecast with \`npm run pack -- tarballs\`, then run \`npm install CLONE/tarballs/*.tgz\` here.`,
    });
  }
});

/** Subcommands and the package that each needs: first one for each package. */
const NEEDING = [
  [['serve'], '@truecast/server'],
  [['ensemble', 'check'], '@truecast/ensemble'],
  [['chat', 'Hello'], '@truecast/client'],
  [['token', 'list'], '@truecast/server'],
  [['usage'], '@truecast/client'],
] as const;

/** Adds packages that a user has installed beside ours. */
function linkPackages(project: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

/** A cloned repository that brings packages of the same names. The command must load none of them. */
function hostileFolder(project: string): string {
  const repository = join(project, '..', 'cloned');
  for (const name of ['server', 'ensemble', 'client']) {
    const target = join(repository, 'node_modules/@truecast', name);
    mkdirSync(target, { recursive: true });
    writeFileSync(
      join(target, 'package.json'),
      '{"type":"module","exports":{".":"./i.mjs","./internal":"./i.mjs"}}',
    );
    writeFileSync(join(target, 'i.mjs'), "process.stdout.write('code of the repository');");
  }
  return repository;
}

function bytesOf(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function publicSubpaths(project: string, specifier: string): readonly string[] {
  const path = join(project, 'node_modules', specifier, 'package.json');
  const { exports } = JSON.parse(readFileSync(path, 'utf8')) as { exports: object };
  return Object.keys(exports)
    .filter(
      (subpath) =>
        !/^\.\/(?:internal|package\.json|ai-sdk|react|sandboxes\/(?:daytona|vercel))$/u.test(subpath),
    )
    .map((subpath) => join(specifier, subpath));
}

async function compile(
  project: string,
  programs: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, boolean>> = {},
): Promise<string> {
  for (const [file, code] of Object.entries(programs)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), code);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    // The libraries of the language are not ours.
    skipDefaultLibCheck: true,
    noEmit: true,
    ...changes,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: Object.keys(programs) }),
  );
  const { stdout } = await execa('tsc', ['-p', project, '--checkers', '1'], {
    cwd: ROOT,
    preferLocal: true,
    reject: false,
  });
  return stdout;
}
