/** Secrets in files: the first token of a server, and variables that end with `_FILE`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adoptFirstToken, readSecretFiles } from '../../packages/cli/src/serve/secret-files.ts';
import { authenticate } from '../../packages/server/src/tokens/access-token.ts';
import { listTokens, revokeToken } from '../../packages/server/src/tokens/token-rows.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { temporaryFolder } from './cli-fixture.ts';

const TOKEN = `tc_${'c'.repeat(43)}`;

function fileWith(folder: string, text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

describe('the token of a file', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: ':memory:' });
  });
  afterEach(() => store.close());
  const adopt = (text: string): Promise<void> =>
    adoptFirstToken(store, { TRUECAST_TOKEN_FILE: fileWith(temporaryFolder(), text) });

  it('is adopted once, also by several processes, and stays revoked', async () => {
    await Promise.all([adopt(`${TOKEN}\n`), adopt(TOKEN)]);
    await adopt(TOKEN);
    const [token, ...others] = await listTokens(store.db);
    expect(others).toEqual([]);
    expect(token).toMatchObject({
      owner: 'operator',
      scopes: ['chats', 'runs', 'project', 'metrics', 'admin'],
    });
    expect(await authenticate({ store }, `Bearer ${TOKEN}`)).toMatchObject({ owner: 'operator' });
    await revokeToken(store, token?.id ?? '', Date.now());
    await adopt(TOKEN);
    await expect(authenticate({ store }, `Bearer ${TOKEN}`)).rejects.toThrow('unknown or revoked');
  });

  it.each([
    ['tc_short', 'Expected a token of the form'],
    [' \n', 'is empty'],
  ])('is refused if it is %j', async (text, message) => {
    await expect(adopt(text)).rejects.toThrow(message);
    expect(await listTokens(store.db)).toEqual([]);
  });

  it('is not needed', async () => {
    await adoptFirstToken(store, {});
    expect(await listTokens(store.db)).toEqual([]);
  });
});

it('reads keys and the password of the database, and no other file', async () => {
  const path = fileWith(temporaryFolder(), 'sk-1\n');
  const env: NodeJS.ProcessEnv = {
    OPENAI_API_KEY_FILE: path,
    MY_API_KEY_FILE: path,
    PGPASSWORD_FILE: path,
    SSL_CERT_FILE: '/nothing',
    GOOGLE_API_KEY_FILE: '',
  };
  await readSecretFiles(env);
  expect(env).toMatchObject({ OPENAI_API_KEY: 'sk-1', MY_API_KEY: 'sk-1', PGPASSWORD: 'sk-1' });
  expect(env['SSL_CERT']).toBeUndefined();
  await expect(readSecretFiles({ PGPASSWORD: 'x', PGPASSWORD_FILE: path })).rejects.toThrow('both set');
  await expect(readSecretFiles({ PGPASSWORD_FILE: '/nothing' })).rejects.toThrow('cannot be read');
});
