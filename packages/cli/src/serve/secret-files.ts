/** Secrets in files, as containers and systemd pass them: keys, the database's password, and the first token. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { adoptToken } from '@truecast/server/internal/tokens/access-token';
import type { Store } from '@truecast/server/internal/tokens/token-store';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';

const MAX_SECRET_BYTES = 64 * 1024;
/** Variables that can have their value in a file, with the end of the file's variable. */
const IN_FILES = /^(?<name>[A-Za-z_]\w*_API_KEY|PGPASSWORD)_FILE$/u;
const TOKEN_FILE = 'TRUECAST_TOKEN_FILE';
/** Owner of the first token. */
const FIRST_OWNER = 'operator';

/**
 * Sets each variable that names a file, such as `OPENAI_API_KEY_FILE`, to the text of the file.
 *
 * @throws UsageError for a file that cannot be read or is empty, and for a variable that is set twice
 */
export async function readSecretFiles(env: NodeJS.ProcessEnv): Promise<void> {
  for (const [variable, path] of Object.entries(env)) {
    const name = IN_FILES.exec(variable)?.groups?.['name'];
    if (name === undefined || path === undefined || path === '') continue;
    if ((env[name] ?? '') !== '') {
      throw new UsageError(`\`${name}\` and \`${variable}\` are both set. Unset one of them.`);
    }
    env[name] = await readSecret(variable, path);
  }
}

/**
 * Stores the token of TRUECAST_TOKEN_FILE, if it is set and new. It has all scopes of a user and of an
 * operator, and is the first token of a server whose terminal has no reader.
 *
 * @throws UsageError for a file that cannot be read, and for a text of another form
 */
export async function adoptFirstToken(store: Store, env: NodeJS.ProcessEnv): Promise<void> {
  const { [TOKEN_FILE]: path = '' } = env;
  if (path === '') return;
  const token = await readSecret(TOKEN_FILE, path);
  const scopes = ['chats', 'runs', 'project', 'metrics', 'admin'] as const;
  await adoptToken(store, { name: TOKEN_FILE, owner: FIRST_OWNER, scopes }, { token, actor: 'command' });
}

async function readSecret(variable: string, path: string): Promise<string> {
  const text = await readChosenFile(path, MAX_SECRET_BYTES).catch((cause: unknown) => {
    throw new UsageError(
      `The file \`${path}\` of \`${variable}\` cannot be read: ${cause instanceof Error ? cause.message : String(cause)}. Check the path, and that this user can read it.`,
      { cause },
    );
  });
  const secret = text.trim();
  if (secret !== '') return secret;
  throw new UsageError(`The file \`${path}\` of \`${variable}\` is empty. Write the secret into it.`);
}
