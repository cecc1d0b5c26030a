/** Conversion of a program that imports `@ai-hero/sandcastle`: imports, paths, network, agents. Pure. */
import { convertCalls } from './convert-calls.ts';
import type { Converted, Remark } from './converted.ts';

const IMPORT = /(["'`])@ai-hero\/sandcastle((?:\/sandboxes\/[a-z-]+)?)\1/gu;
/** The folder's name as a path component. */
const FOLDER = /\.sandcastle(?=[/"'`\\\s)]|$)/gu;
const CUSTOM_AGENT = /\b(?:buildPrintCommand|parseStreamLine)\b/u;
/** Subpaths of both packages. */
const SUBPATHS: readonly string[] = [
  '',
  ...['docker', 'podman', 'vercel', 'daytona', 'no-sandbox'].map((name) => `/sandboxes/${name}`),
];

/**
 * Converts a program. A part whose meaning is unclear stays unchanged, with a remark.
 *
 * @param hosts - hosts that the project's commands need inside a sandbox
 */
export function convertProgram(source: string, hosts: readonly string[]): Converted {
  const imports = [...source.matchAll(IMPORT)];
  if (imports.length === 0) return convertPaths(source);
  const withImports = source.replaceAll(
    IMPORT,
    (_, quote: string, subpath: string) =>
      `${quote}truecast${subpath === '' ? '/sandcastle' : subpath}${quote}`,
  );
  const paths = convertPaths(withImports);
  const calls = convertCalls(paths.text, hosts);
  return {
    text: calls.text,
    changes: [
      `${imports.length} ${imports.length === 1 ? 'import' : 'imports'} from truecast`,
      ...paths.changes,
      ...calls.changes,
    ],
    remarks: [
      ...imports
        .filter(([, , subpath = '']) => !SUBPATHS.includes(subpath))
        .map(({ index, 2: subpath = '' }) => ({
          line: lineOf(source, index),
          text: `truecast has no subpath \`${subpath}\`; import from \`truecast/sandcastle\``,
        })),
      ...calls.remarks,
      ...customAgents(calls.text),
    ],
  };
}

/** Replaces the folder's name in a prompt, an image file or another text. */
export function convertPaths(source: string): Converted {
  const count = source.match(FOLDER)?.length ?? 0;
  return {
    text: source.replaceAll(FOLDER, '.truecast'),
    changes: count === 0 ? [] : [`${count} ${count === 1 ? 'path' : 'paths'} to .truecast/`],
    remarks: [],
  };
}

function customAgents(text: string): readonly Remark[] {
  const index = text.search(CUSTOM_AGENT);
  return index < 0
    ? []
    : [
        {
          line: lineOf(text, index),
          text: "a custom agent: add `hosts: () => ['HOST OF ITS MODEL']` to it, unless its sandbox has full network access",
        },
      ];
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
