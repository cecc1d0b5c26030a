import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startServer } from './test-server.ts';

const CROWD = 40;

it('few requests of a crowd begin in one turn of the event loop', async () => {
  const begun = [0];
  let isOver = false;
  const server = await startServer({
    verifyJwt: async (token) => {
      begun.push((begun.pop() ?? 0) + 1);
      return { id: token, name: 'one', owner: token, scopes: ['chats'], createdAt: 0 };
    },
  });
  const { port, host } = new URL(server.url);
  const sockets = Array.from({ length: CROWD }, () => connect(Number(port), '127.0.0.1'));
  const askAll = async (): Promise<readonly string[]> => {
    const answers = sockets.map((socket) => once(socket, 'data'));
    sockets.forEach((socket, at) =>
      socket.write(`GET /api/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer a.b.c${at}\r\n\r\n`),
    );
    return (await Promise.all(answers)).map(([data]) => String(data).split('\r\n')[0] ?? '');
  };
  // The server accepts one connection in a turn.
  await askAll();
  begun.splice(0);
  const countTurn = (): void => {
    begun.push(0);
    if (!isOver) setImmediate(countTurn);
  };
  countTurn();
  try {
    const lines = await askAll();
    expect({ lines: [...new Set(lines)], most: Math.max(...begun) }).toEqual({
      lines: ['HTTP/1.1 200 OK'],
      most: 4,
    });
    expect(begun.reduce((sum, calls) => sum + calls, 0)).toBe(CROWD);
  } finally {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});
