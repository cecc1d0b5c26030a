/** Tests of the decision what of a run a machine can remove: each fact alone, and all combinations. */
import { expect, it } from 'vitest';
import { decideCleanUp, isDue, type LeftPlaceFacts, type LeftRunFacts } from './decide-clean-up.ts';

const DAY_MS = 86_400_000;
const SETTINGS = { keepMs: 30 * DAY_MS };
const RUN: LeftRunFacts = {
  isEnded: true,
  ageMs: DAY_MS,
  isFollowed: false,
  isCleared: false,
  hasLog: true,
};
const PLACE: LeftPlaceFacts = { worktree: 'stored', references: 'on_remote' };
const ALL = { worktree: true, references: true, log: true, record: true };
const NOTHING = { worktree: false, references: false, log: false, record: false };

it('removes all of a run a day after its end, if the remote and the artifacts have its work', () => {
  expect(decideCleanUp(RUN, PLACE, SETTINGS)).toEqual(ALL);
  expect(decideCleanUp({ ...RUN, ageMs: DAY_MS - 1 }, PLACE, SETTINGS)).toEqual(NOTHING);
  expect(decideCleanUp({ ...RUN, ageMs: 10 }, PLACE, { keepMs: 10 })).toEqual(ALL);
});

it('removes nothing of a run that has not ended, or that another one follows', () => {
  for (const ageMs of [0, DAY_MS, 100 * DAY_MS]) {
    for (const isCleared of [false, true]) {
      const run = { ...RUN, ageMs, isCleared };
      expect(decideCleanUp({ ...run, isEnded: false }, PLACE, SETTINGS)).toEqual(NOTHING);
      expect(decideCleanUp({ ...run, isFollowed: true }, PLACE, SETTINGS)).toEqual(NOTHING);
    }
  }
});

it.each([
  ['unstored', 'on_remote', { ...NOTHING, log: true }],
  ['clean', 'unpushed', { ...NOTHING, worktree: true, log: true }],
  ['none', 'unpushed', { ...NOTHING, log: true }],
  ['stored', 'pushed', ALL],
  ['none', 'pushed', { ...ALL, worktree: false }],
  ['none', 'none', { ...NOTHING, log: true, record: true }],
] as const)(
  'after the kept time, with the worktree %s and references %s',
  (worktree, references, removed) => {
    const run = { ...RUN, ageMs: SETTINGS.keepMs, hasLog: false };
    expect(decideCleanUp(run, { worktree, references }, SETTINGS)).toEqual(removed);
  },
);

it('keeps a branch that the remote has no more, and a log that no artifact has, for the kept time', () => {
  const run = { ...RUN, ageMs: SETTINGS.keepMs - 1, hasLog: false };
  const place = { worktree: 'none', references: 'pushed' } as const;
  expect(decideCleanUp(run, place, SETTINGS)).toEqual(NOTHING);
  expect(decideCleanUp(run, { ...place, references: 'none' }, SETTINGS)).toEqual(NOTHING);
});

it('removes the log of a run at once whose owner removed its artifacts, and its work not before a day', () => {
  const run = { ...RUN, ageMs: 1, isCleared: true, hasLog: false };
  expect(isDue(run, SETTINGS)).toBe(true);
  expect(decideCleanUp(run, PLACE, SETTINGS)).toEqual({ ...NOTHING, log: true });
  const gone = { worktree: 'none', references: 'none' } as const;
  expect(decideCleanUp(run, gone, SETTINGS)).toEqual({ ...NOTHING, log: true, record: true });
});

it('never removes the only place of work, whatever the other facts are', () => {
  const bits = [false, true];
  for (const isEnded of bits) {
    for (const isFollowed of bits) {
      for (const isCleared of bits) {
        for (const hasLog of bits) {
          for (const ageMs of [0, DAY_MS, 1_000 * DAY_MS]) {
            const run = { isEnded, isFollowed, isCleared, hasLog, ageMs };
            for (const references of ['none', 'on_remote', 'pushed', 'unpushed'] as const) {
              const kept = decideCleanUp(run, { worktree: 'unstored', references }, SETTINGS);
              expect([kept.worktree, kept.references, kept.record]).toEqual([false, false, false]);
            }
            for (const worktree of ['none', 'clean', 'stored'] as const) {
              const kept = decideCleanUp(run, { worktree, references: 'unpushed' }, SETTINGS);
              expect([kept.references, kept.record]).toEqual([false, false]);
            }
          }
        }
      }
    }
  }
});
