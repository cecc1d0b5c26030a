/** Installs the newest version of each agent CLI into a folder of its own, by the ordinary npm client. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { readPackageFacts, type PackageFacts } from './package-facts.ts';
import type { TriedPackage } from './tested-table.ts';

/** Reads what npm knows of a package. Follows its deprecation to the package that it names. */
async function findNewest(name: string, now: Date): Promise<PackageFacts> {
  const facts = await viewOf(name, now);
  return facts.successor === undefined ? facts : { ...(await viewOf(facts.successor, now)), successor: name };
}

async function viewOf(name: string, now: Date): Promise<PackageFacts> {
  const { stdout } = await execa('npm', [
    'view',
    name,
    'version',
    'versions',
    'deprecated',
    'time',
    '--json',
  ]);
  return readPackageFacts(name, stdout, now);
}

/** Installs all packages of a manifest at their newest versions, one by one. */
export async function installNewest(
  from: string,
  folder: string,
  pinned: Readonly<Record<string, string>>,
): Promise<readonly TriedPackage[]> {
  await mkdir(folder, { recursive: true });
  const manifest: unknown = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  // Overrides save a second copy of a CLI. The newest adapter may need its own.
  const bare = { ...(manifest as Readonly<Record<string, unknown>>), dependencies: {}, overrides: {} };
  await writeFile(join(folder, 'package.json'), JSON.stringify(bare));
  await copyFile(join(from, '.npmrc'), join(folder, '.npmrc'));
  const tried: TriedPackage[] = [];
  for (const [name, version] of Object.entries(pinned)) tried.push(await installOne(folder, name, version));
  return tried;
}

async function installOne(folder: string, name: string, pinned: string): Promise<TriedPackage> {
  const facts = await findNewest(name, new Date());
  const notes = [
    ...(facts.name === name ? [] : [`renamed: now \`${facts.name}\``]),
    ...(facts.quietDays === undefined ? [] : [`no release for ${facts.quietDays} days`]),
  ];
  for (const version of facts.candidates) {
    const { exitCode } = await execa('npm', ['install', `${facts.name}@${version}`], {
      cwd: folder,
      reject: false,
    });
    if (exitCode === 0) return { name: facts.name, pinned, tried: version, notes };
    notes.push(`${version} cannot be installed`);
  }
  return { name: facts.name, pinned, tried: 'none', notes };
}
