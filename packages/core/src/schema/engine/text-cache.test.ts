import { describe, expect, it } from 'vitest';
import { TextCache, type TextCacheOptions } from './text-cache.ts';

function seenBefore(options: TextCacheOptions, texts: readonly string[]): TextCache<object> {
  const cache = new TextCache<object>(options);
  for (const text of texts) cache.getOrMake(text, () => ({}));
  return cache;
}

describe('TextCache', () => {
  it('keeps a value from the second time on', () => {
    const cache = new TextCache<object>({ maxEntries: 2, maxChars: 100 });
    const first = cache.getOrMake('a', () => ({}));
    const made = cache.getOrMake('a', () => ({}));
    expect(made).not.toBe(first);
    expect(cache.getOrMake('a', () => ({}))).toBe(made);
  });

  it('forgets texts that were seen once when there are too many', () => {
    const cache = new TextCache<object>({ maxEntries: 2, maxChars: 100 });
    cache.getOrMake('a', () => ({}));
    for (let index = 0; index < 5_000; index += 1) cache.getOrMake(`other ${index}`, () => ({}));
    const second = cache.getOrMake('a', () => ({}));
    const third = cache.getOrMake('a', () => ({}));
    expect(third).not.toBe(second);
    expect(cache.getOrMake('a', () => ({}))).toBe(third);
  });

  it('drops the least recently used text', () => {
    const cache = seenBefore({ maxEntries: 2, maxChars: 100 }, ['a', 'b', 'c']);
    const first = cache.getOrMake('a', () => ({}));
    const second = cache.getOrMake('b', () => ({}));
    cache.getOrMake('a', () => ({}));
    cache.getOrMake('c', () => ({}));
    expect(cache.getOrMake('a', () => ({}))).toBe(first);
    expect(cache.getOrMake('b', () => ({}))).not.toBe(second);
  });

  it('is bounded in characters too', () => {
    const cache = seenBefore({ maxEntries: 100, maxChars: 10 }, ['123456', 'abcdef']);
    const first = cache.getOrMake('123456', () => ({}));
    cache.getOrMake('abcdef', () => ({}));
    expect(cache.getOrMake('123456', () => ({}))).not.toBe(first);
  });

  it('keeps nothing if the callback throws', () => {
    const cache = new TextCache<number>({ maxEntries: 2, maxChars: 10 });
    const fail = (): number => {
      throw new TypeError('no');
    };
    expect(() => cache.getOrMake('a', fail)).toThrow(TypeError);
    expect(cache.getOrMake('a', () => 5)).toBe(5);
  });
});
