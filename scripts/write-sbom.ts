/**
 * List of components of a release (CycloneDX): `node scripts/write-sbom.ts TARBALLS FILE`.
 * It describes what a user installs, and what is bundled.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LICENSE_HEADING, LICENSES_FILES } from './bundled-licenses.ts';

const ROOT: string = join(import.meta.dirname, '..');

/** A component of the list, as far as it is written here. */
interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** Installs all tarballs of a folder into a new project. Returns the project. */
export function installAll(tarballs: string, project: string): string {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"installed","version":"0.0.0"}');
  const files = globSync('*.tgz', { cwd: tarballs }).map((name) => resolve(tarballs, name));
  npm(project, ['install', '--no-audit', '--no-fund', '--prefer-offline', '--silent', ...files]);
  return project;
}

/** Returns the list of a project's components. */
export function componentsOf(project: string): object {
  const list = JSON.parse(npm(project, ['sbom', '--sbom-format', 'cyclonedx'])) as {
    components: readonly object[];
  };
  return { ...list, components: [...list.components, ...bundledComponents()] };
}

function npm(cwd: string, args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function bundledComponents(): readonly Component[] {
  const files = globSync(`packages/*/{dist,console}/${LICENSES_FILES}`, { cwd: ROOT });
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(LICENSE_HEADING)].map(
      ([, name = '', version = '']) => ({
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      }),
    ),
  );
}

if (import.meta.main) {
  const [tarballs = 'dist', file = 'sbom.cdx.json'] = process.argv.slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'truecast-sbom-'));
  try {
    const components = componentsOf(installAll(tarballs, join(folder, 'installed')));
    writeFileSync(file, `${JSON.stringify(components, undefined, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
