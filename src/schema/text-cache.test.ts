import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

describe('TextCache', () => {
  it('makes a value once', () => {
    const cache = new TextCache<object>({ maxEntries: 2, maxChars: 100 });
    const made = cache.getOrMake('a', () => ({}));
    expect(cache.getOrMake('a', () => ({}))).toBe(made);
  });

  it('drops the text that was not used for longest', () => {
    const cache = new TextCache<object>({ maxEntries: 2, maxChars: 100 });
    const first = cache.getOrMake('a', () => ({}));
    const second = cache.getOrMake('b', () => ({}));
    cache.getOrMake('a', () => ({}));
    cache.getOrMake('c', () => ({}));
    expect(cache.getOrMake('a', () => ({}))).toBe(first);
    expect(cache.getOrMake('b', () => ({}))).not.toBe(second);
  });

  it('is bounded in characters too', () => {
    const cache = new TextCache<object>({ maxEntries: 100, maxChars: 10 });
    const first = cache.getOrMake('123456', () => ({}));
    cache.getOrMake('abcdef', () => ({}));
    expect(cache.getOrMake('123456', () => ({}))).not.toBe(first);
  });

  it('keeps nothing of what throws', () => {
    const cache = new TextCache<number>({ maxEntries: 2, maxChars: 10 });
    const fail = (): number => {
      throw new TypeError('no');
    };
    expect(() => cache.getOrMake('a', fail)).toThrow(TypeError);
    expect(cache.getOrMake('a', () => 5)).toBe(5);
  });
});
