/**
 * Removes workspaces of deleted chats, even after kills, and nothing else. Uses real folders and a
 * real store.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorkspaces } from '../../packages/server/src/serve/workspaces.ts';
import { startWorkspaceCleaner } from '../../packages/server/src/runner/workers/workspace-cleaner.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { message, OWNER } from './test-server.ts';

const LEASE_MS = 30_000;
let store: Store;
let folder: string;
let nowMs: number;
let machine: ChatMachine;

beforeEach(async () => {
  store = await openStore({ url: ':memory:' });
  folder = await mkdtemp(join(tmpdir(), 'truecast-cleaner-'));
  nowMs = 1_000_000;
  machine = createChatMachine({ store, now: () => nowMs, leaseMs: LEASE_MS });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** A chat with a file in its workspace. */
async function chatWithFile(): Promise<string> {
  const { chat } = await machine.createChat({ owner: OWNER, model: 'm', message: message('Hi') });
  await using workspaces = await open();
  const place = await workspaces.open(chat.id);
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  const { exitCode } = await place.exec('echo work > file.txt', options);
  expect(exitCode).toBe(0);
  return chat.id;
}

async function open(): Promise<Awaited<ReturnType<typeof openWorkspaces>> & AsyncDisposable> {
  const workspaces = await openWorkspaces({ sandbox: 'none', folder });
  return { ...workspaces, [Symbol.asyncDispose]: () => workspaces.close() };
}

/** One cleanup pass, as a process runs at its start. */
async function look(): Promise<string[]> {
  await using workspaces = await open();
  await startWorkspaceCleaner({ machine, workspaces }).close();
  return readdir(folder);
}

it('removes the workspace of a deleted chat after its turn had time to end, even after a restart', async () => {
  const kept = await chatWithFile();
  const chatId = await chatWithFile();
  await machine.deleteChat({ owner: OWNER, chatId });
  expect((await look()).toSorted()).toEqual([chatId, kept].toSorted());
  nowMs += LEASE_MS;
  expect(await look()).toEqual([kept]);
});

it('keeps folders that no chat of this database created', async () => {
  await mkdir(join(folder, crypto.randomUUID()));
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, 'notes.txt'), 'mine');
  nowMs += LEASE_MS;
  expect(await look()).toHaveLength(3);
});

it('removes files of a late command in the next sweep', async () => {
  const chatId = await chatWithFile();
  await machine.deleteChat({ owner: OWNER, chatId });
  nowMs += LEASE_MS;
  expect(await look()).toEqual([]);
  await mkdir(join(folder, chatId));
  expect(await look()).toEqual([]);
});

it('logs what it cannot remove, and continues with the others', async () => {
  const first = await chatWithFile();
  const second = await chatWithFile();
  for (const chatId of [first, second]) await machine.deleteChat({ owner: OWNER, chatId });
  nowMs += LEASE_MS;
  await using workspaces = await open();
  const told: (string | undefined)[] = [];
  const stuck = {
    list: async () => [first, second],
    remove: async (chatId: string) => {
      if (chatId === first) throw new TypeError('EBUSY');
      await workspaces.remove(chatId);
    },
  };
  await startWorkspaceCleaner({
    machine,
    workspaces: stuck,
    onEvent: (event) => told.push(event.chatId),
  }).close();
  expect(told).toEqual([first]);
  expect(await readdir(folder)).toEqual([first]);
});

it('checks many at once', async () => {
  const ids = Array.from({ length: 1_200 }, () => crypto.randomUUID());
  const chatId = await chatWithFile();
  await machine.deleteChat({ owner: OWNER, chatId });
  nowMs += LEASE_MS;
  expect(await machine.deletedChats([...ids, chatId])).toEqual([chatId]);
  expect(await machine.deletedChats([])).toEqual([]);
});
