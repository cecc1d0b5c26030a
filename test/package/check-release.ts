/**
 * Release check (`npm run check:release`): refuses while a value that only the owner can give is unset,
 * or while a file names another address. Needs no installed package. `--write` fills the values in.
 */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = 'placeholders.json';

/** The values of the owner, and their form. */
const PLACEHOLDERS = {
  repository: { form: /^https:\/\/[^\s/]+\/\S+$/u, hint: 'the https address of the repository' },
  homepage: { form: /^https:\/\/\S+$/u, hint: 'the https address of the homepage' },
  securityContact: {
    form: /^(?:https:\/\/\S+|mailto:\S+@\S+)$/u,
    hint: 'an https address or `mailto:` address for reports of vulnerabilities',
  },
  codeOwner: { form: /^@[\w-]+(?:\/[\w-]+)?$/u, hint: '`@` and an account or team that reviews changes' },
} as const;

type Values = Partial<Record<keyof typeof PLACEHOLDERS, string>>;

/** Files that readers take addresses from. Folders are read whole. */
const FILES = ['SECURITY.md'];
const FOLDERS = ['.github', 'packages/truecast/templates'];

const ADDRESS = /(?:https?|ssh|git):\/\/[^\s"'`)>\]]+|[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}\b/giu;
/** Names that no address of an owner has (RFC 2606). */
const RESERVED = /(?:[\w-]+\.)*\bexample\.(?:com|net|org)\b|[\w-]+\.(?:invalid|example)\b/giu;
const CONTACT = /^Contact: .*$/mu;
const OWNERS = '.github/CODEOWNERS';
/** A rule of `CODEOWNERS`: a pattern, and its owner. */
const OWNER_RULE = /^([*/]\S*)(?: (\S+))?$/gmu;

/** Returns each problem that prevents a release of the checkout at `root`, with its remedy. */
export function releaseProblems(root: string, tag?: string): readonly string[] {
  const values = readValues(root);
  const names = Object.keys(PLACEHOLDERS) as (keyof Values)[];
  return [
    ...names.flatMap((name) => valueProblems(name, values[name])),
    ...useProblems(root, values),
    ...addressProblems(root, values),
    ...(tag === undefined ? [] : tagProblems(root, tag)),
  ];
}

/** Writes the values into the manifests and `SECURITY.md`. */
export function writeValues(root: string): void {
  const values = readValues(root);
  const { repository, homepage, securityContact, codeOwner } = values;
  const fields = {
    ...(homepage !== undefined && { homepage }),
    ...(repository !== undefined && { repository: { type: 'git', url: gitUrl(repository) } }),
  };
  for (const file of manifestsOf(root)) {
    const manifest = { ...readObject(root, file), ...fields };
    writeFileSync(join(root, file), `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
  if (codeOwner !== undefined) edit(root, OWNERS, (text) => text.replace(OWNER_RULE, `$1 ${codeOwner}`));
  if (securityContact !== undefined) {
    edit(root, 'SECURITY.md', (text) => text.replace(CONTACT, () => `Contact: ${securityContact}`));
  }
}

function valueProblems(name: keyof Values, value: string | undefined): readonly string[] {
  const { form, hint } = PLACEHOLDERS[name];
  if (value === undefined) return [`${SOURCE}: \`${name}\` is not set. Write ${hint}.`];
  if (form.test(value) && value.match(RESERVED) === null) return [];
  return [`${SOURCE}: \`${name}\` is \`${value}\`. Expected ${hint}.`];
}

/** Compares the files with the values. */
function useProblems(root: string, values: Values): readonly string[] {
  const { repository, homepage, securityContact, codeOwner } = values;
  const remedy = 'Run `npm run check:release -- --write`.';
  const expected = repository === undefined ? undefined : { type: 'git', url: gitUrl(repository) };
  const security = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const contact = CONTACT.exec(security)?.[0];
  return [
    ...manifestsOf(root).flatMap((file) => {
      const manifest = readObject(root, file);
      return [
        ...(JSON.stringify(manifest['repository']) === JSON.stringify(expected)
          ? []
          : [`${file}: \`repository\``]),
        ...(manifest['homepage'] === homepage ? [] : [`${file}: \`homepage\``]),
      ];
    }),
    ...(securityContact === undefined || contact === `Contact: ${securityContact}`
      ? []
      : ['SECURITY.md: `Contact`']),
    ...(codeOwner === undefined || ownersOf(root).every((owner) => owner === codeOwner)
      ? []
      : [`${OWNERS}: an owner`]),
  ].map((place) => `${place} differs from ${SOURCE}. ${remedy}`);
}

/** Reports addresses that are neither a value nor below one. */
function addressProblems(root: string, values: Values): readonly string[] {
  const known = Object.values(values).map((value) => value.replace(/^mailto:/u, ''));
  return filesOf(root).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const found = [...(text.match(ADDRESS) ?? []), ...(text.match(RESERVED) ?? [])];
    return [...new Set(found)]
      .filter((address) => !known.some((value) => isBelow(address, value)))
      .map((address) => `${file}: \`${address}\` is not from ${SOURCE}. Remove it, or name a file instead.`);
  });
}

/** Compares the tag with the version and the changelog. */
function tagProblems(root: string, tag: string): readonly string[] {
  const version = String(readObject(root, 'package.json')['version']);
  const dated = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    .split('\n')
    .some((line) => line.startsWith(`## ${version} (`) && /\(\d{4}-\d{2}-\d{2}\)$/u.test(line));
  return [
    ...(tag === `v${version}`
      ? []
      : [`The tag \`${tag}\` is not \`v${version}\` of package.json. Change one of them.`]),
    ...(dated ? [] : [`CHANGELOG.md has no heading \`## ${version} (YYYY-MM-DD)\`. Add it.`]),
  ];
}

function ownersOf(root: string): readonly (string | undefined)[] {
  return [...readFileSync(join(root, OWNERS), 'utf8').matchAll(OWNER_RULE)].map((match) => match[2]);
}

function edit(root: string, file: string, change: (text: string) => string): void {
  writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')));
}

function isBelow(address: string, value: string): boolean {
  return (
    address === value || address === `${value}.git` || address.startsWith(`${value.replace(/\/$/u, '')}/`)
  );
}

function filesOf(root: string): readonly string[] {
  const inside = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length)),
  );
  return [...FILES, ...manifestsOf(root), ...inside.sort()];
}

/** The manifest of the workspace, and those that are published. */
function manifestsOf(root: string): readonly string[] {
  const all = globSync('packages/*/package.json', { cwd: root }).sort();
  return ['package.json', ...all.filter((file) => readObject(root, file)['private'] !== true)];
}

function readValues(root: string): Values {
  const entries = Object.entries(readObject(root, SOURCE));
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value !== ''));
}

function readObject(root: string, file: string): Readonly<Record<string, unknown>> {
  // Our own files: a wrong shape ends the check with the parser's message.
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as Readonly<Record<string, unknown>>;
}

function gitUrl(repository: string): string {
  return `git+${repository}.git`;
}

function main(): void {
  const [option, tag] = process.argv.slice(2);
  if (option === '--write') writeValues(process.cwd());
  const problems = releaseProblems(process.cwd(), option === '--tag' ? tag : undefined);
  if (problems.length === 0) return;
  process.stderr.write(`Not ready for a release:\n${problems.map((problem) => `- ${problem}\n`).join('')}`);
  process.exitCode = 1;
}

if (import.meta.main) main();
