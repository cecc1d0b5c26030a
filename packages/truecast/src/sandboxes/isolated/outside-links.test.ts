import { expect, it } from 'vitest';
import { leadsOut } from './outside-links.ts';

it.each([
  ['link', '/etc/passwd'],
  ['link', '..'],
  ['link', '../sibling'],
  ['a/b/link', '../../../x'],
  ['link', 'a/../../x'],
  ['link', 'a/../b'],
  ['link', '.git'],
  ['link', '.git/config'],
  ['a/link', '../.GIT/hooks'],
  ['link', 'a/..'],
  ['link', String.raw`C:\Windows`],
])('a link at %s to %s leads out', (path, target) => {
  expect(leadsOut(path, target)).toBe(true);
});

it.each([
  ['link', 'a'],
  ['link', './a/b'],
  ['a/link', '..'],
  ['a/b/link', '../../c'],
  ['link', '.github/x'],
  ['link', '..a'],
])('a link at %s to %s stays', (path, target) => {
  expect(leadsOut(path, target)).toBe(false);
});
