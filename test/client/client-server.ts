/**
 * Server for client tests: real HTTP, a real store, real turns, and the scripted model behind a
 * real provider.
 */
import { createClient, type Client } from '../../packages/client/src/create-client.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { listenHttp, type ListenHttpOptions } from '../../packages/server/src/http/app/listen-http.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { testServer, type TestServer, type TestServerOptions } from '../server/test-server.ts';
import { testModels } from '../../packages/server/src/http/test-models.ts';

/** A client and its server. */
export interface ClientServer extends AsyncDisposable {
  readonly client: Client;
  readonly url: string;
  readonly token: string;
  readonly store: Store;
  readonly turns: TestServer;
}

export async function clientServer(
  script: ModelScript,
  options: Partial<ListenHttpOptions> = {},
  turnOptions: Partial<TestServerOptions> = {},
): Promise<ClientServer> {
  const store = await openStore({ url: ':memory:' });
  const turns = await testServer({ store, script, ...turnOptions });
  const models = testModels('test:scripted');
  const { machine, live } = turns;
  const server = await listenHttp({ store, machine, live, models, port: 0, ...options });
  const { token } = await issueToken(store, { name: 'test' });
  return {
    client: createClient({ baseURL: server.url, token }),
    url: server.url,
    token,
    store,
    turns,
    async [Symbol.asyncDispose]() {
      await server.close();
      await turns[Symbol.asyncDispose]();
      await store.close();
    },
  };
}
