/**
 * List of components of a release (CycloneDX): `node scripts/write-sbom.ts TARBALLS FILE`.
 * It describes what a user installs, and what is bundled.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Installs the tarballs of a folder into an empty project, and returns the list of its components. */
export function componentsOf(tarballs: string): object {
  const project = mkdtempSync(join(tmpdir(), 'truecast-sbom-'));
  try {
    writeFileSync(join(project, 'package.json'), '{"name":"installed","version":"0.0.0"}');
    const files = globSync('*.tgz', { cwd: tarballs }).map((name) => resolve(tarballs, name));
    npm(project, ['install', '--no-audit', '--no-fund', '--prefer-offline', '--silent', ...files]);
    const list = JSON.parse(npm(project, ['sbom', '--sbom-format', 'cyclonedx'])) as {
      components: readonly object[];
    };
    return { ...list, components: [...list.components, ...bundledComponents()] };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
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
  writeFileSync(file, `${JSON.stringify(componentsOf(tarballs), undefined, 2)}\n`);
}
