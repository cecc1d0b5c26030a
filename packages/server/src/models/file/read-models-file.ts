/** Reader of the server's `models.yaml`: entries by name, with the position of each problem. Pure. */
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { expandEntry, type FileVariables } from '@truecast/model/internal/models-file/expand-entry';
import { type ModelEntry, MODELS_FILE } from '@truecast/model/internal/models-file/model-entry';

/** Models by name, the default first. Empty for a file with `offline: true`. */
export type ModelEntries = ReadonlyMap<string, ModelEntry>;

/** Also allows the characters of `provider:model`, so that a model can keep its name. */
const NAME = /^[A-Za-z][\w.:/-]{0,127}$/u;
const MAX_PROBLEMS = 20;
const YAML = { version: '1.2', schema: 'core' } as const;
const ALIASES = { maxAliasCount: 32 } as const;

/** Returns the value of a YAML text. Wrong syntax is not reported. */
export function yamlValueOf(text: string): unknown {
  return parseDocument(text, YAML).toJS(ALIASES);
}

/**
 * Parses the file. Endpoints come before profiles.
 *
 * @param file - its name in messages
 * @throws UsageError that lists each problem with its line
 */
export function readModelsFile(text: string, file: string, variables: FileVariables): ModelEntries {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...YAML, lineCounter: lines });
  const at = (path: readonly PropertyKey[]): string => {
    const { line, col } = lines.linePos(offsetOf(document, path));
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [syntax] = document.errors;
  if (syntax !== undefined) throw problemsOf(file, [`${file}: ${syntax.message}`]);
  const parsed = MODELS_FILE.safeParse(document.toJS(ALIASES), { reportInput: true });
  if (!parsed.success) {
    throw problemsOf(
      file,
      parsed.error.issues.flatMap((issue) => describe(issue, at)),
    );
  }
  const { offline, endpoints, profiles } = parsed.data;
  if (offline) return new Map();
  const named = [
    ...Object.entries(endpoints).map(([name, entry]) => ({ group: 'endpoints', name, entry })),
    ...Object.entries(profiles).map(([name, entry]) => ({ group: 'profiles', name, entry })),
  ].map(({ group, name, entry }) => ({
    path: [group, name],
    name,
    ...expandEntry(entry, { ...variables, file }),
  }));
  const known = new Set(named.map(({ name }) => name));
  const problems = named.flatMap(({ path, name, entry, problems: found }) => [
    ...found.map(({ key, message, hint }) => `${at([...path, key])}: ${message} ${hint}`),
    ...checkEntry(name, entry, known).map((message) => `${at(path)}: ${message}`),
  ]);
  if (named.length === 0) {
    problems.push(`${file}: No model is defined. Define one under \`endpoints\`, or set \`offline: true\`.`);
  }
  if (known.size < named.length) {
    problems.push(`${file}: A profile and an endpoint have the same name. Rename the endpoint.`);
  }
  if (problems.length > 0) throw problemsOf(file, problems);
  return new Map(named.map(({ name, entry }) => [name, entry]));
}

function checkEntry(name: string, entry: ModelEntry, known: ReadonlySet<string>): readonly string[] {
  const { context_tokens: context, max_tokens: output, fallbacks = [] } = entry;
  const unknown = fallbacks.filter((each) => !known.has(each) || each === name);
  return [
    ...(NAME.test(name) && !name.startsWith('agent/')
      ? []
      : [`\`${name}\` is not a valid model name. Use letters, digits and \`_.:/-\`, and a letter first.`]),
    ...(context !== undefined && output !== undefined && output > context / 2
      ? ['`max_tokens` must be at most half of `context_tokens`: the prompt needs the rest. Lower it.']
      : []),
    ...(entry.body !== undefined && entry.provider !== 'openai-compatible'
      ? ['`body` is only for `openai-compatible`. Remove it.']
      : []),
    ...unknown.map((each) => `The fallback \`${each}\` is not another model of this file. Correct it.`),
  ];
}

function describe(issue: z.core.$ZodIssue, at: (path: readonly PropertyKey[]) => string): readonly string[] {
  const name = issue.path.map(String).join('.') || 'the file';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) =>
        `${at([...issue.path, key])}: \`${key}\` is not a key of \`${name}\`. Known: ${issue.message}.`,
    );
  }
  return [`${at(issue.path)}: Expected \`${name}\` to be ${issue.message}. Correct it.`];
}

/** Offset of the value at a path, or of its nearest existing parent. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0];
  }
  return 0;
}

function problemsOf(file: string, problems: readonly string[]): UsageError {
  const shown = problems.slice(0, MAX_PROBLEMS).map((line) => `  ${line}`);
  return new UsageError(`The file of models \`${file}\` is invalid:\n${shown.join('\n')}`);
}
