/** Strict YAML reader: the value of a file, and the position of each part. Pure. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';

/** Keys and indexes from the root of a file. */
export type ManifestPath = readonly (string | number)[];

/** A file that was read. */
export interface YamlSource {
  readonly file: string;
  readonly value: unknown;
  /** Creates a problem at the value of `path`, at its key, or at the nearest existing parent. */
  problem(path: ManifestPath, message: string, place?: ProblemPlace): ManifestProblem;
}

/**
 * Returns true if the values at all these paths, such as `schedule.tick_every`, are the file's.
 * Otherwise a check of them would report a follow-up error.
 */
export type Intact = (...paths: readonly string[]) => boolean;

/** A manifest and its file. Parts that are not intact have fillers or defaults. */
export interface Sourced<T> {
  readonly manifest: T;
  readonly source: YamlSource;
  readonly isIntact: Intact;
}

/** Position of a problem at a path, and its fix. */
export interface ProblemPlace {
  readonly at?: 'key' | 'value';
  readonly hint?: string | undefined;
}

/** Result of reading a file. Without `source`, nothing in it is usable. */
export interface YamlReading {
  readonly source?: YamlSource;
  readonly problems: readonly ManifestProblem[];
}

/** Maximum size: a manifest is a page or two. */
const MAX_CHARS = 65_536;
/** Maximum aliases. They repeat a persona or a list. More of them can expand to a huge value. */
const MAX_ALIASES = 32;
/** Maximum problems: after one syntax error, a parser reports many more. */
const MAX_COMPLAINTS = 20;
const TOO_DEEP = 'The nesting is too deep.';
/** Keys through which a value could reach a prototype. */
const PROTOTYPE_KEYS: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a file as one YAML 1.2 document with the core schema: no duplicate keys, tags or merge
 * keys, and bounded aliases.
 */
export function readYaml(text: string, file: string): YamlReading {
  const lines = new LineCounter();
  const place = (offset: number, path: ManifestPath, message: string, hint?: string): ManifestProblem => {
    const { line, col } = lines.linePos(offset);
    const known = { file, line: Math.max(line, 1), column: Math.max(col, 1), path, message };
    return hint === undefined ? known : { ...known, hint };
  };
  if (text.length > MAX_CHARS) {
    return refused(place(0, [], `Expected at most ${MAX_CHARS} characters, got ${text.length}.`, 'Cut it.'));
  }
  try {
    return readDocument(text, file, { lines, place });
  } catch (error) {
    // The parser recurses once per level.
    if (!(error instanceof RangeError)) throw error;
    return refused(place(0, [], TOO_DEEP, 'Flatten it.'));
  }
}

interface Places {
  readonly lines: LineCounter;
  readonly place: (offset: number, path: ManifestPath, message: string, hint?: string) => ManifestProblem;
}

function readDocument(text: string, file: string, { lines, place }: Places): YamlReading {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
  });
  const complaints = [...document.errors, ...document.warnings];
  const overflow = complaints.find(({ message }) => message.includes('call stack'));
  if (overflow !== undefined) return refused(place(overflow.pos[0], [], TOO_DEEP, 'Flatten it.'));
  const problems = complaints
    .slice(0, MAX_COMPLAINTS)
    .map(({ code, pos, message }) =>
      place(pos[0], [], code === 'DUPLICATE_KEY' ? duplicateKey(text.slice(pos[0])) : syntax(message)),
    );
  const isBroken = complaints.some(({ code }) => code !== 'DUPLICATE_KEY');
  const refusals = refuseFeatures(document, (node, message, hint) =>
    place(node.range?.[0] ?? 0, [], message, hint),
  );
  problems.push(...refusals);
  if (isBroken || refusals.length > 0) return { problems };
  return {
    problems,
    source: {
      file,
      value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
      problem: (path, message, { at = 'value', hint } = {}) =>
        place(offsetOf(document, path, at), path, message, hint),
    },
  };
}

function refused(problem: ManifestProblem): YamlReading {
  return { problems: [problem] };
}

function syntax(message: string): string {
  return `Not valid YAML: ${cut(message)}.`.replace(/\.\.$/u, '.');
}

function duplicateKey(source: string): string {
  const key = /^[^\s:]+/u.exec(source)?.[0] ?? '';
  return `The key \`${cut(key)}\` is repeated here. Remove one.`;
}

/** YAML features that a manifest does not need. */
function refuseFeatures(
  document: Document,
  place: (node: Node, message: string, hint?: string) => ManifestProblem,
): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const top: Node | null = document.contents;
  if (
    document.directives?.yaml.explicit === true &&
    document.directives.yaml.version !== '1.2' &&
    top !== null
  ) {
    problems.push(place(top, 'Expected YAML 1.2.', 'Remove the `%YAML` directive.'));
  }
  let aliases = 0;
  visit(document, {
    Alias(_, alias) {
      aliases += 1;
      if (aliases === MAX_ALIASES + 1) {
        problems.push(place(alias, `More than ${MAX_ALIASES} aliases.`, 'Write the values out.'));
      }
      const target = alias.resolve(document);
      if (target === undefined) {
        problems.push(place(alias, `No anchor \`&${alias.source}\` is defined before this alias.`));
      } else if (!isScalar(target) && holdsAlias(target)) {
        problems.push(place(alias, `The alias \`*${alias.source}\` repeats other aliases.`, 'Write it out.'));
      }
    },
    Pair(_, { key }) {
      if (isScalar(key) && PROTOTYPE_KEYS.has(key.value)) {
        problems.push(place(key, `\`${String(key.value)}\` is a reserved key.`, 'Choose another name.'));
      }
    },
  });
  return problems;
}

/** Nested aliases let a small file expand to a large value. */
function holdsAlias(node: Node): boolean {
  let holds = false;
  visit(node, {
    Alias() {
      holds = true;
      return visit.BREAK;
    },
  });
  return holds;
}

/** Follows `path` as far as it exists, aliases included, and returns the position. */
function offsetOf(document: Document, path: ManifestPath, at: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) break;
      const wantsKey = (isLast && at === 'key') || !isNode(pair.value);
      const target = wantsKey ? pair.key : pair.value;
      offset = isNode(target) ? (target.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      const item: unknown = node.items[step];
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
}
