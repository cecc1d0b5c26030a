/** Holds the published build to what the sources do: every subpath imports, the command runs, the programs beside it are found. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  mkdirSync,
  writeFileSync,
  cpSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
let project: string;
let installed: string;

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-dist-')));
  installed = join(project, 'node_modules', 'truecast');
  mkdirSync(installed, { recursive: true });
  await execa('tsdown', ['--out-dir', join(installed, 'dist'), '--silent'], { cwd: ROOT, preferLocal: true });
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  // Only what a user's install would have: the dependencies, not the tools of development.
  for (const name of Object.keys(packageJson.dependencies)) {
    const target = join(project, 'node_modules', name);
    mkdirSync(join(target, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), target);
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }));

async function runModule(code: string): Promise<string> {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', code], {
    cwd: project,
    env: { HOME: project },
  });
  return stdout;
}

describe('the published build', () => {
  it.each(Object.keys(packageJson.exports).filter((subpath) => subpath !== './package.json'))(
    'imports %s',
    async (subpath) => {
      const specifier = join('truecast', subpath);
      expect(
        await runModule(`const all = await import('${specifier}'); console.log(Object.keys(all).length > 0)`),
      ).toBe('true');
    },
  );

  it('has the command', async () => {
    const cli = join(installed, packageJson.bin.truecast);
    const { stdout } = await execa(process.execPath, [cli, 'extract', '--tag', 'r'], { input: '<r>x</r>' });
    expect(JSON.parse(stdout)).toBe('x');
    expect((await execa(process.execPath, [cli, '--version'])).stdout).toBe(packageJson.version);
    expect(readFileSync(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/u);
  });

  it('runs the agents of truecast/testing, each a program of its own', async () => {
    const repository = join(project, 'repository');
    await execa('git', ['init', '-q', repository]);
    await execa(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', 'commit', '-q', '--allow-empty', '-m', 'x'],
      { cwd: repository },
    );
    const answers = await runModule(`
      import { noSandbox, Output, run } from 'truecast';
      import { offlineAgent, scriptedAgent, step } from 'truecast/testing';
      const shared = { sandbox: noSandbox(), cwd: ${JSON.stringify(repository)}, prompt: '<r>', output: Output.json({ tag: 'r' }) };
      const { output: survey } = await run({ ...shared, agent: offlineAgent() });
      const { output: scripted } = await run({ ...shared, agent: scriptedAgent({ steps: [step.print('<r>7</r>')] }) });
      console.log(JSON.stringify([survey.filesTracked, scripted]));
    `);
    expect(JSON.parse(answers)).toEqual([1, 7]);
  });

  it('tells in its types of no library of the inside', () => {
    const declarations = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.d.mts'),
    );
    const imported = declarations.flatMap((name) =>
      [...readFileSync(join(installed, 'dist', name), 'utf8').matchAll(/from ["']([^."'][^"']*)["']/gu)].map(
        (match) => match[1],
      ),
    );
    expect([...new Set(imported)]).toEqual(['@standard-schema/spec']);
  });
});
