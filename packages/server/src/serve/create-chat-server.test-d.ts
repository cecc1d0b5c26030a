/** Types of a server with a port, and of one that an app mounts. */
import { expectTypeOf, it } from 'vitest';
import { createChatServer, type ChatServer, type ChatServerOptions } from './create-chat-server.ts';

it('a server with a port has its address', () => {
  const start = (options: ChatServerOptions) => createChatServer(options);
  expectTypeOf<Awaited<ReturnType<typeof start>>>().toEqualTypeOf<ChatServer>();
  expectTypeOf<ChatServer['url']>().toBeString();
});

it('a server without a port has no address, and takes no option of one', () => {
  const mount = () => createChatServer({ listen: false, basePath: '/ai', databaseUrl: ':memory:' });
  type Mounted = Awaited<ReturnType<typeof mount>>;
  expectTypeOf<Mounted['fetch']>().returns.resolves.toEqualTypeOf<Response>();
  expectTypeOf<Extract<keyof Mounted, 'url'>>().toBeNever();
  const refused = [
    // @ts-expect-error the port is that of the app
    () => createChatServer({ listen: false, port: 3_000 }),
    // @ts-expect-error its addresses begin at `/`
    () => createChatServer({ listen: false, console: true }),
    // @ts-expect-error only an app has a prefix
    () => createChatServer({ basePath: '/ai' }),
  ];
  expectTypeOf(refused).toBeArray();
});
