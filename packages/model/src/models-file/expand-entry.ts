/** Expansion of the variables in a model's address and key. Pure. */
import { expandVariables, type Variables } from './list-variables.ts';
import { judgeVariables, type VariableSource } from './judge-variables.ts';
import type { EntryProblem, ModelEntry } from './model-entry.ts';

/** Values of variables for a file. */
export interface FileVariables extends Pick<VariableSource, 'isAllowed'> {
  readonly env: Variables;
}

/**
 * Expands variables in a model's address and key. Reports those that the file must not use, unset
 * ones and invalid addresses. An entry with a problem contains no value of the environment.
 */
export function expandEntry(
  entry: ModelEntry,
  source: FileVariables & VariableSource,
): { readonly entry: ModelEntry; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = [...judgeVariables(entry, source)];
  if (problems.length > 0) return { entry, problems };
  const expand = (key: string, text: string): string => {
    const { value, missing } = expandVariables(text, source.env);
    for (const name of missing) {
      const message = `The environment variable \`${name}\` is not set.`;
      problems.push({ key, message, hint: 'Set it, or write the value here.' });
    }
    if (key === 'endpoint' && missing.length === 0 && !isAddress(value)) {
      // The value is omitted: it can contain a password.
      const hint = 'Such as `http://localhost:11434/v1`.';
      problems.push({ key, message: 'Expected an http or https address.', hint });
    }
    return value;
  };
  const { endpoint, api_key } = entry;
  if (endpoint === undefined && entry.provider === 'openai-compatible') {
    problems.push({
      key: 'endpoint',
      message: '`endpoint` is missing: expected the address of the server.',
      hint: 'Such as `http://localhost:11434/v1`.',
    });
  }
  return {
    entry: {
      ...entry,
      model: entry.model.replaceAll('$$', '$'),
      ...(endpoint !== undefined && { endpoint: expand('endpoint', endpoint) }),
      ...(api_key !== undefined && { api_key: expand('api_key', api_key) }),
    },
    problems,
  };
}

function isAddress(text: string): boolean {
  return /^https?:\/\//u.test(text) && URL.canParse(text);
}
