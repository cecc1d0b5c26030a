import { expect, it } from 'vitest';
import { hasKeys, pathForInput } from './item-values.ts';

it.each([
  ['{{PATH}}', { PATH: '/srv/one' }, '/srv/one'],
  ['/srv/{{NAME}}', { NAME: 'one' }, '/srv/one'],
  ['/srv/{{NAME}}/sub', { NAME: 'a/b' }, '/srv/a/b/sub'],
  ['shots/{{id}}.png', { id: 7 }, 'shots/7.png'],
])('replaces the keys of %s', (text, input, path) => {
  expect(hasKeys(text)).toBe(true);
  expect(pathForInput('--cwd', text, input)).toBe(path);
});

it.each([
  ['/srv/{{NAME}}', { NAME: '../etc' }, 'below `/srv`'],
  ['/srv/a{{NAME}}', { NAME: '/../../etc' }, 'below `/srv`'],
  ['shots/{{id}}.png', { id: '../../x' }, 'below `'],
  ['{{PATH}}', {}, '{{PATH}}'],
  ['{{PATH}}', { PATH: '' }, 'non-empty'],
  ['{{PATH}}', { PATH: ['a'] }, 'string or a number'],
  ['{{PATH}}!`id`', { PATH: 'a' }, 'no command'],
])('refuses %s with %j', (text, input, message) => {
  expect(() => pathForInput('--cwd', text, input)).toThrow(message);
});

it('knows a value without keys', () => {
  expect(hasKeys('/srv/{one}')).toBe(false);
});
