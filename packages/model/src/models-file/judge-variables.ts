/**
 * Rule for variables of a models file: the author of the file must not get a value of the
 * environment. Pure.
 *
 * A file can come from a clone, or an agent can have written it. Until the user allows its content,
 * a variable is used only if neither its name nor the address that gets it is the file's choice.
 */
import { namesIn, onlyNameIn, KEY_VARIABLES } from './list-variables.ts';
import type { EntryProblem, ModelEntry } from './model-entry.ts';

/** A file, as far as the rule needs it. */
export interface VariableSource {
  /** Its path, for the command in messages. */
  readonly file: string;
  /** True if the user ran `truecast allow` on exactly this content. */
  readonly isAllowed: boolean;
}

const OWN_NAME = /^TRUECAST_[A-Z0-9_]+$/u;

/** Returns the variables that an entry must not use, and keys that would leave their source. */
export function judgeVariables(
  entry: ModelEntry,
  { file, isAllowed }: VariableSource,
): readonly EntryProblem[] {
  const misplaced = namesIn(entry.model).map((name) => ({
    key: 'model',
    message: `The variable \`${name}\` is not expanded here: only \`endpoint\` and \`api_key\` can name variables.`,
    hint: 'Write the name of the model. A dollar sign is `$$`.',
  }));
  return isAllowed ? misplaced : [...misplaced, ...judgeEndpoint(entry, file), ...judgeKey(entry, file)];
}

/** Returns the command that allows a file, as a shell reads it. */
export function allowCommand(file: string): string {
  const path = file.startsWith('-') ? `./${file}` : file;
  const quoted = /^[\w./@:+,-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
  return `truecast allow ${quoted}`;
}

function judgeEndpoint({ endpoint = '' }: ModelEntry, file: string): readonly EntryProblem[] {
  const names = namesIn(endpoint);
  const only = onlyNameIn(endpoint);
  if (names.length === 0 || (only !== undefined && OWN_NAME.test(only))) return [];
  const foreign = names.filter((name) => !OWN_NAME.test(name));
  if (foreign.length > 0) return foreign.map((name) => notGiven('endpoint', name, file));
  const message = `The address around \`${names.join('`, `')}\` is the file's, and would get its value.`;
  return [{ key: 'endpoint', message, hint: hintOf(file, 'Write only the variable') }];
}

function judgeKey(entry: ModelEntry, file: string): readonly EntryProblem[] {
  const { endpoint, api_key: apiKey, provider } = entry;
  const isOwnAddress = endpoint !== undefined && OWN_NAME.test(onlyNameIn(endpoint) ?? '');
  const environmentKey = KEY_VARIABLES[provider];
  if (apiKey === undefined) {
    if (environmentKey === undefined || endpoint === undefined || isOwnAddress) return [];
    const message = `\`${environmentKey}\` would be sent to the address of this file.`;
    return [{ key: 'endpoint', message, hint: hintOf(file, 'Add `api_key`') }];
  }
  const names = namesIn(apiKey);
  if (names.length === 0) {
    return isOwnAddress
      ? [
          {
            key: 'api_key',
            message: `The key of this file would be sent to the address in \`${onlyNameIn(endpoint)}\`.`,
            hint: hintOf(file, 'Write a variable for the key too'),
          },
        ]
      : [];
  }
  // The same key goes to the same service as without this line.
  if (endpoint === undefined && onlyNameIn(apiKey) === environmentKey) return [];
  const foreign = names.filter((name) => !OWN_NAME.test(name));
  if (foreign.length > 0) return foreign.map((name) => notGiven('api_key', name, file));
  if (isOwnAddress) return [];
  const message = `\`${names.join('`, `')}\` would be sent to an address that its owner did not choose.`;
  return [
    {
      key: 'api_key',
      message,
      hint: hintOf(file, 'Write a variable such as `$TRUECAST_BASE_URL` for `endpoint`'),
    },
  ];
}

function notGiven(key: string, name: string, file: string): EntryProblem {
  const message = `This file is not allowed to use the environment variable \`${name}\`.`;
  return { key, message, hint: hintOf(file) };
}

function hintOf(file: string, alternative?: string): string {
  const first = alternative === undefined ? '' : `${alternative}. Or, `;
  return `${first}${first === '' ? 'If' : 'if'} you trust each address in it, run \`${allowCommand(file)}\`.`;
}
