/** Licences of the packages that a build bundles: a plugin that writes them beside the bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'tsdown';

/** Names of the files in `dist`. The list of components of a release reads them. */
export const LICENSES_FILES = 'THIRD-PARTY-LICENSES*.txt';

/** `name@version` of each section of such a file. */
export const LICENSE_HEADING: RegExp = /^## (\S+)@(\S+)$/gmu;

/** Licences (SPDX) that do not require their text in copies. */
const WITHOUT_NOTICE: readonly string[] = ['Unlicense', '0BSD', 'CC0-1.0'];

/**
 * Returns the plugin. It writes nothing if no foreign module is bundled.
 *
 * @param suffix - of the file's name, for a second build into the same folder
 */
export function bundledLicenses(suffix = ''): Rolldown.Plugin {
  return {
    name: 'bundled-licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? Object.entries(chunk.modules) : [],
      );
      const used = modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => folderOf(id));
      const folders = [...new Set(used.filter((folder) => folder !== undefined))].sort();
      if (folders.length === 0) return;
      const source = folders.map(sectionOf).join('\n');
      this.emitFile({ type: 'asset', fileName: LICENSES_FILES.replace('*', suffix), source });
    },
  };
}

/** The folder of the package that a module is in, if it is a foreign one. */
function folderOf(id: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(id)?.[1];
}

function sectionOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const file = readdirSync(folder).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined && !WITHOUT_NOTICE.includes(license)) {
    throw new TypeError(`${name} is bundled, and has no licence file.`);
  }
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim();
  return `## ${name}@${version}\n\n${text}\n`;
}
