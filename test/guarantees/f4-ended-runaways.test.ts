/** Tests of F4: a service that repeats itself without end, and a long answer that repeats itself and is right. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { matrixColumns } from '../matrix.ts';
import { declareGuarantee } from './guarantee.ts';
import { startService } from './hostile-service.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** A weak engine under a grammar: white space, digits, a sentence, and an item of a list. */
const RUNAWAYS: readonly (readonly [start: string, again: string])[] = [
  ['{"answer": ', ' \n\t'],
  ['{"answer": 1', '3333333333'],
  ['{"answer": "', 'The meeting goes on and on. '],
  ['{"answer": ["note"', ', "note"'],
];
/** More than any bound of a runaway, and far less than the bounds of bytes. */
const PIECES = 30_000;

/** Sends pieces, and then nothing and no end. Resolves when the client leaves. */
async function sendPieces(
  response: ServerResponse,
  [start, again]: readonly [string, string],
): Promise<void> {
  const send = (content: string): boolean =>
    response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content } }] })}\n\n`);
  response.on('error', () => undefined);
  const closed = once(response, 'close');
  send(start);
  for (let sent = 0; sent < PIECES && !response.destroyed; sent += 1) {
    if (!send(again)) await Promise.race([once(response, 'drain'), closed]);
  }
  await closed;
}

const EVENTS = { 'content-type': 'text/event-stream' };

/** Rows of the matrix: the short form tries one or two runaways on each route. */
const ROWS: readonly ModelRouteName[] = ['generate', 'ensemble', 'chat', 'wire', 'command'];

async function endEarly(route: ModelRouteName): Promise<void> {
  for (const runaway of matrixColumns(ROWS.indexOf(route), RUNAWAYS, { rows: ROWS.length })) {
    const ended: Promise<void>[] = [];
    await using service = await startService((_request, response) => {
      ended.push(sendPieces(response.writeHead(200, EVENTS), runaway));
    });
    const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url });
    expect(outcome.isAccepted, runaway[1]).toBe(false);
    expect(outcome.output, runaway[1]).toContain('runaway');
    expect(ended.length).toBeGreaterThan(0);
    await Promise.all(ended);
  }
}

/** The right answer, in the middle of as much white space and as many equal items as are right. */
async function takeRight(route: ModelRouteName): Promise<void> {
  const right = rightOf(route === 'command' ? 'ensemble' : route);
  const text = `{${' '.repeat(250)}${right.slice(1, -1)}${' '.repeat(250)}}`;
  await using service = await startService((_request, response) => {
    const choices = [{ index: 0, delta: { content: text }, finish_reason: 'stop' }];
    response.writeHead(200, EVENTS).end(`data: ${JSON.stringify({ id: '1', choices })}\n\ndata: [DONE]\n\n`);
  });
  const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url });
  expect([outcome.isAccepted, service.requests], outcome.output).toEqual([true, 1]);
}

async function hold(route: ModelRouteName): Promise<void> {
  await endEarly(route);
  await takeRight(route);
}

declareGuarantee('F4', {
  generate: () => hold('generate'),
  ensemble: () => hold('ensemble'),
  chat: () => hold('chat'),
  wire: () => hold('wire'),
  command: () => hold('command'),
});
