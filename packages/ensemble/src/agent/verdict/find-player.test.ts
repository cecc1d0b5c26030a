import { expect, it } from 'vitest';
import { findPlayer } from './find-player.ts';

const PLAYERS = ['spy-cara', 'spy-dan', 'Eve', 'cook'];

it.each([
  ['spy-cara', 'spy-cara'],
  ['Spy Cara', 'spy-cara'],
  ['Spy-Cara.', 'spy-cara'],
  ['"spy-cara"', 'spy-cara'],
  ['**Cook**', 'cook'],
  ['cara', 'spy-cara'],
  ['Dan!', 'spy-dan'],
  ['eve', 'Eve'],
])('%j is %s', (name, player) => {
  expect(findPlayer(name, PLAYERS)).toBe(player);
});

it.each(['', '...', 'spy', 'not cara', 'cara and dan', 'frank'])('%j names no single player', (name) => {
  expect(findPlayer(name, PLAYERS)).toBeUndefined();
});

it('is undefined for a name that two players share', () => {
  expect(findPlayer('CARA', ['Cara', 'cara'])).toBeUndefined();
});
