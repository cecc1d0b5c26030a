import { createChatServer, type ChatServer, type ChatServerOptions } from './create-chat-server.ts';

export async function withPort(options: ChatServerOptions): Promise<string> {
  const server: ChatServer = await createChatServer(options);
  const response: Promise<Response> = server.fetch(new Request(server.url));
  return (await response).url + (await createChatServer()).url;
}

export async function withoutPort(): Promise<void> {
  const server = await createChatServer({ listen: false, basePath: '/ai', databaseUrl: ':memory:' });
  const { fetch, nodeHandler } = server;
  await fetch(new Request('http://app.example/ai'));
  // @ts-expect-error it has no port
  String(server.url);
  // @ts-expect-error a request of `node:http` and its response
  nodeHandler(new Request('http://app.example'));
  // @ts-expect-error the port is that of the app
  await createChatServer({ listen: false, port: 3_000 });
  // @ts-expect-error its addresses begin at `/`
  await createChatServer({ listen: false, console: true });
  // @ts-expect-error only an app has a prefix
  await createChatServer({ basePath: '/ai' });
}
