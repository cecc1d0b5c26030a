/** Tests of the built package on other versions of Node: the oldest one that is supported, and one that is too old. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../packages/truecast/package.json' with { type: 'json' };
import { unpackPackages } from '../package/unpack-packages.ts';

const require = createRequire(import.meta.url);
const nodeOf = (name: string): string => join(require.resolve(`${name}/package.json`), '../bin/node');
const OLD = nodeOf('node-20');
const OLDEST_SUPPORTED = nodeOf('node-22');
const ANSWER = 'Done. <result>{"answer":42}</result>';

/** What users import of the packages that need Node. Docker's entry is one folder below the others. */
const IMPORTS = [
  'truecast',
  'truecast/sandboxes/docker',
  '@truecast/model',
  '@truecast/store',
  '@truecast/ensemble',
  '@truecast/server',
];

let folder: string;
let command: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-node-')));
  await unpackPackages(folder);
  command = join(folder, 'node_modules/truecast/dist/cli.mjs');
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Imports the specifiers one after the other in one process, and does something with each promise. */
function importAll(
  node: string,
  specifiers: readonly string[],
  then: string,
): Promise<{ readonly stdout: string }> {
  const code = `for (const specifier of ${JSON.stringify(specifiers)}) await import(specifier)${then};`;
  return execa(node, ['--input-type=module', '-e', code], { cwd: folder });
}

describe('an unsupported version of Node', () => {
  it.each([[['run', '--agent', 'codex']], [[]]])(
    'is named by the command %j, with what to install',
    async (args) => {
      const { exitCode, stdout, stderr } = await execa(OLD, [command, ...args], { reject: false });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      const version = (await execa(OLD, ['-p', 'process.versions.node'])).stdout;
      expect(stderr).toMatch(
        /^truecast needs Node 22\.18 or newer, and this is Node 20\.[\d.]+\. Install Node 24 .+\.$/u,
      );
      expect(stderr).toContain(version);
    },
  );
});

describe('an import on an unsupported version of Node', () => {
  it('says what to install, for each package, before anything of it is read', async () => {
    const { stdout } = await importAll(
      OLD,
      IMPORTS,
      '.catch(({ code, message }) => console.log(specifier, code, message))',
    );
    const said = stdout.split('\n');
    expect(said).toHaveLength(IMPORTS.length);
    for (const [index, specifier] of IMPORTS.entries()) {
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : 'truecast';
      expect(said[index]).toContain(
        `${specifier} unsupported ${name} needs Node 22.18 or newer, and this is Node 20.`,
      );
    }
  });
});

describe('the oldest supported version of Node', () => {
  it('is the one in `engines`', async () => {
    const { stdout } = await execa(OLDEST_SUPPORTED, ['-p', 'process.versions.node']);
    expect(packageJson.engines.node).toBe(`>=${stdout.split('.').slice(0, 2).join('.')}`);
  });

  it('runs the command', async () => {
    const schema = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';
    const file = join(folder, 'schema.json');
    await execa('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', schema, file]);
    const args = [command, 'extract', '--tag', 'result', '--schema', file];
    const { stdout } = await execa(OLDEST_SUPPORTED, args, { input: ANSWER });
    expect(JSON.parse(stdout)).toEqual({ answer: 42 });
  });

  it('imports each entry of the package', async () => {
    const names = Object.keys(packageJson.publishConfig.exports).filter((name) => name !== './package.json');
    const specifiers = names.map((name) => `truecast${name.slice(1)}`);
    const { stdout } = await importAll(
      OLDEST_SUPPORTED,
      specifiers,
      '.then((entry) => console.log(specifier, Object.keys(entry).length > 0))',
    );
    expect(stdout.split('\n')).toEqual(specifiers.map((specifier) => `${specifier} true`));
  });
});
