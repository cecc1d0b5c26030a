/** Tests of the release check, on copies of the files that it reads. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { releaseProblems, writeValues } from './check-release.ts';
import { PUBLISHED } from './unpack-packages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('check-release.ts', import.meta.url));
const MANIFESTS = ['package.json', ...PUBLISHED.map((name) => `packages/${name}/package.json`)];
const READ = [
  ...MANIFESTS,
  'placeholders.json',
  'SECURITY.md',
  'CHANGELOG.md',
  '.github',
  'packages/truecast/templates',
];

/** `.test` is reserved for tests (RFC 2606), and accepted by the check. */
const SET = {
  repository: 'https://code.test/owner/truecast',
  homepage: 'https://truecast.test/',
  securityContact: 'mailto:security@truecast.test',
  codeOwner: '@owner/reviewers',
};

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'truecast-release-'));
  for (const name of READ) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

function setValues(values: object): void {
  writeFileSync(join(copy, 'placeholders.json'), JSON.stringify(values));
}

function change(file: string, edit: (text: string) => string): void {
  writeFileSync(join(copy, file), edit(readFileSync(join(copy, file), 'utf8')));
}

const check = async (...args: string[]): Promise<{ exitCode?: number; stderr: string }> =>
  execa(process.execPath, [PROGRAM, ...args], { cwd: copy, reject: false });

it('refuses a release with the list of unset values', async () => {
  const { exitCode, stderr } = await check();
  expect(exitCode).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    'Not ready for a release:',
    '- placeholders.json: `repository` is not set. Write the https address of the repository.',
    '- placeholders.json: `homepage` is not set. Write the https address of the homepage.',
    '- placeholders.json: `securityContact` is not set. Write an https address or `mailto:` address for reports of vulnerabilities.',
    '- placeholders.json: `codeOwner` is not set. Write `@` and an account or team that reviews changes.',
  ]);
});

it('passes once all values are set and written into the files', async () => {
  setValues(SET);
  expect(releaseProblems(copy)).toEqual([
    ...MANIFESTS.flatMap((file) => [
      `${file}: \`repository\` differs from placeholders.json. Run \`npm run check:release -- --write\`.`,
      `${file}: \`homepage\` differs from placeholders.json. Run \`npm run check:release -- --write\`.`,
    ]),
    'SECURITY.md: `Contact` differs from placeholders.json. Run `npm run check:release -- --write`.',
    '.github/CODEOWNERS: an owner differs from placeholders.json. Run `npm run check:release -- --write`.',
  ]);
  expect(await check('--write')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await check()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))).toEqual({
    ...packageJson,
    homepage: SET.homepage,
    repository: { type: 'git', url: `git+${SET.repository}.git` },
  });
});

it('lets the owner review every path of CODEOWNERS, all of which exist', () => {
  const rules = (root: string): string[] =>
    readFileSync(join(root, '.github/CODEOWNERS'), 'utf8')
      .split('\n')
      .filter((line) => /^[*/]/u.test(line));
  const paths = rules(ROOT).filter((rule) => rule !== '*');
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  setValues(SET);
  writeValues(copy);
  expect(rules(copy)).toEqual(rules(ROOT).map((rule) => `${rule} ${SET.codeOwner}`));
});

describe('an address that is not from placeholders.json', () => {
  it.each([
    ['SECURITY.md', 'security@truecast.example.invalid'],
    ['SECURITY.md', 'https://truecast.dev/security'],
    ['package.json', 'https://code.test/owner/truecast-other'],
    ['.github/ISSUE_TEMPLATE/bug.yml', 'https://forum.example.com/'],
    ['.github/workflows/release.yml', 'https://registry.test/'],
    ['packages/truecast/templates/blank/prompt.md', 'team@company.dev'],
  ])('in %s is refused: %s', (file, address) => {
    setValues(SET);
    change(file, (text) =>
      file === 'package.json' ? text.replace('"MIT"', `"${address}"`) : `${text}\n${address}\n`,
    );
    expect(releaseProblems(copy)).toContainEqual(expect.stringMatching(`^${file}: .*${address}`));
  });

  it('is refused as a value too', () => {
    setValues({ ...SET, homepage: 'https://example.invalid/', repository: 'owner/truecast' });
    expect(releaseProblems(copy)).toEqual(
      expect.arrayContaining([
        'placeholders.json: `repository` is `owner/truecast`. Expected the https address of the repository.',
        'placeholders.json: `homepage` is `https://example.invalid/`. Expected the https address of the homepage.',
      ]),
    );
  });
});

it('compares the tag with the version and the changelog', () => {
  const { version } = packageJson;
  expect(releaseProblems(copy, 'v99.0.0')).toContain(
    `The tag \`v99.0.0\` is not \`v${version}\` of package.json. Change one of them.`,
  );
  const undated = `CHANGELOG.md has no heading \`## ${version} (YYYY-MM-DD)\`. Add it.`;
  change('CHANGELOG.md', () => `# Changelog\n\n## ${version} (not released)\n`);
  expect(releaseProblems(copy, `v${version}`)).toContain(undated);
  change('CHANGELOG.md', () => `# Changelog\n\n## ${version} (2027-01-31)\n`);
  expect(releaseProblems(copy, `v${version}`)).not.toContain(undated);
});
