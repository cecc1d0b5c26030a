import { expect, it } from 'vitest';
import { describeStorePlace } from './open-store.ts';

it.each([
  ['chats.sqlite', 'chats.sqlite'],
  ['sqlite:chats.sqlite', 'chats.sqlite'],
  ['a/b:c.sqlite', 'a/b:c.sqlite'],
  ['a/postgres://b', 'a/postgres://b'],
  ['C:\\chats.sqlite', 'C:\\chats.sqlite'],
  [':memory:', ':memory:'],
  ['postgres://me:secret@db.internal/chats', 'postgres://me@db.internal/chats'],
  ['postgresql://db.internal:5433/chats', 'postgres://db.internal:5433/chats'],
])('%s is at %s', (url, place) => {
  expect(describeStorePlace(url)).toBe(place);
});

it.each([
  ['', ''],
  ['a\0b', 'a\\u0000b'],
  ['mysql://me:secret@db.internal/chats', 'mysql://…'],
  ['s3+a.b-2:chats', 's3+a.b-2:chats'],
])('%j is refused', (url, shown) => {
  expect(() => describeStorePlace(url)).toThrow(`got \`"${shown}"\``);
});

it('a server whose address is no URL is refused without its password', () => {
  expect(() => describeStorePlace('postgres://me:se cret@[/chats')).toThrow(/one that is not a URL/u);
});
