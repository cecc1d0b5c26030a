import { expect, it } from 'vitest';
import { view } from './view.ts';

it('leaves out undefined members, and keeps the order and all other values', () => {
  const made = view<{ b?: string; a: null; d?: false; c: number }>({ b: undefined, a: null, d: false, c: 0 });
  expect(JSON.stringify(made)).toBe('{"a":null,"d":false,"c":0}');
  expect(Object.keys(made)).toEqual(['a', 'd', 'c']);
});
