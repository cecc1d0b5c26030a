/** Tests of places that owners share. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OwnerPlaces } from './owner-places.ts';

const never = new AbortController().signal;

/** Starts work of these owners, one after the other. Returns the order in which it gets places. */
function queue(places: OwnerPlaces, ...owners: readonly string[]): string[] {
  const got: string[] = [];
  for (const owner of owners) void places.wait(owner, never).then(() => got.push(owner));
  return got;
}

it('gives a free place to the owner with the fewest, and lets equal owners take turns', async () => {
  const places = new OwnerPlaces(2);
  expect([places.take('a'), places.take('a'), places.take('b')]).toEqual([true, true, false]);
  const got = queue(places, 'a', 'a', 'a', 'b', 'c', 'b');
  for (const owner of ['a', 'a', 'b', 'c', 'b', 'a', 'a', 'a']) {
    places.giveBack(owner);
    await setImmediate();
  }
  expect(got).toEqual(['b', 'a', 'c', 'b', 'a', 'a']);
  expect([places.take('a'), places.take('a'), places.take('a')]).toEqual([true, true, false]);
});

it('gives work that only has to stop a place beyond the limit, and none to the next until both are free', async () => {
  const places = new OwnerPlaces(1);
  places.take('a');
  const stopping = new AbortController();
  const stopped = places.wait('b', stopping.signal);
  const got = queue(places, 'c');
  stopping.abort();
  await stopped;
  places.giveBack('b');
  await setImmediate();
  expect(got).toEqual([]);
  places.giveBack('a');
  await setImmediate();
  expect(got).toEqual(['c']);
});
