import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../database/store.ts';
import { openStore } from '../open-store.ts';
import type { JobEngine } from './job-engine.ts';
import { sqliteJobs } from './sqlite-jobs.ts';

const HEARTBEAT_MS = 10_000;

let store: Store;
let jobs: JobEngine;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  store = await openStore({ url: ':memory:' });
  jobs = sqliteJobs(store, HEARTBEAT_MS);
  await jobs.add({ queue: 'turns', key: 'a', payload: '' }, undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const taken = async (): Promise<readonly number[]> =>
  (await jobs.take('turns', 5)).map(({ attempt }) => attempt);

it('a job is taken by one worker at a time, until its heartbeats stop', async () => {
  const [first] = await jobs.take('turns', 5);
  pass(HEARTBEAT_MS - 1);
  expect(await taken()).toEqual([]);
  expect(first !== undefined && (await jobs.keep(first))).toBe(true);
  pass(HEARTBEAT_MS - 1);
  expect(await taken()).toEqual([]);
  pass(1);
  expect(await taken()).toEqual([2]);
  expect(first !== undefined && (await jobs.keep(first))).toBe(false);
});

it('a job of a worker that closes can be taken at once, and a failed one after a pause', async () => {
  const [first] = await jobs.take('turns', 5);
  if (first !== undefined) await jobs.giveBack(first, 'closing');
  const [second] = await jobs.take('turns', 5);
  expect(second?.attempt).toBe(2);
  if (second !== undefined) await jobs.giveBack(second, 'failed');
  pass(1_999);
  expect(await taken()).toEqual([]);
  pass(1);
  expect(await taken()).toEqual([3]);
});

it('a worker that lost its job does not end it', async () => {
  const [first] = await jobs.take('turns', 5);
  pass(HEARTBEAT_MS);
  const [second] = await jobs.take('turns', 5);
  if (first !== undefined) await jobs.finish(first);
  pass(HEARTBEAT_MS);
  expect(await taken()).toEqual([3]);
  if (second !== undefined) await jobs.finish({ ...second, attempt: 3 });
  pass(HEARTBEAT_MS);
  expect(await taken()).toEqual([]);
});
