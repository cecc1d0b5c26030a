/** Right values of the ten jobs: each function returns why a value is wrong beside the repository. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual as isSame } from 'node:util';
import type { Fault } from './faults.ts';
import type { Before } from './judge.ts';
import { type OpenWorld, SECRET } from './world.ts';

export interface Facts {
  readonly opened: OpenWorld;
  readonly fault: Fault | undefined;
  readonly before: Before;
}

/** A value that is true, but names a failure that the fault does not explain. */
export const TOO_LITTLE = 'Less landed than can';

type Value = Readonly<Record<string, unknown>>;
type Judge = (value: Value, facts: Facts) => string | undefined;

/** Returns the reason why `value` is wrong, or undefined if it is right. */
export function reasonAgainst(job: number, value: unknown, facts: Facts): string | undefined {
  if (typeof value !== 'object' || value === null) return 'Not an object';
  return JUDGES[job]?.(value as Value, facts);
}

const JUDGES: Readonly<Record<number, Judge>> = {
  1: ({ merged, failed }, { opened, fault }) => {
    const files = ['a.txt', 'b.txt', 'c.txt'];
    const all = [...strings(merged), ...strings(failed)].sort();
    if (!isSame(all, files)) return 'Each file must be in one of the lists';
    const wrong = files.find((file) => isNew(opened, file) !== strings(merged).includes(file));
    if (wrong !== undefined) return `${wrong} is not on main as the value says`;
    const conflicts = fault?.id === '1.4';
    return strings(merged).length >= (conflicts ? 1 : 3) ? undefined : TOO_LITTLE;
  },
  2: ({ problems, merged }, { opened, fault }) => {
    if (problems !== 1) return 'There is one problem';
    const isFixed = onMain(opened, 'src.txt').includes('feature');
    if (merged !== isFixed) return 'main is not as the value says';
    if (fault?.id === '2.4') return merged ? 'The work of an agent that failed landed' : undefined;
    return merged ? undefined : 'The fix did not land';
  },
  3: ({ closed, done }, { opened }) => {
    if (!isSame(closed, ['one', 'two', 'three']) || done !== true) return 'Three items had to be closed';
    return onMain(opened, 'backlog.txt').includes('open') ? 'An item is still open on main' : undefined;
  },
  4: ({ winner }, { opened, fault }) => {
    const landed = onMain(opened, 'solution.txt');
    const last = opened.lastModelAnswer() as { winner?: number } | undefined;
    if (winner !== last?.winner) return 'The model chose another one';
    const right = fault?.id === '4.4' ? ['quality 1', 'quality 2'] : ['quality 2'];
    return right.includes(landed) ? undefined : `main has ${landed}`;
  },
  5: ({ landed, refused }, { opened, fault }) => {
    const kept = fault?.id === '5.1' ? ['w', 'y'] : ['y'];
    if (!isSame(strings(refused).toSorted(), kept)) return `Refused must be ${kept.join(', ')}`;
    const lands = strings(landed).toSorted();
    // After a kill, the branch that had landed before can be in the list or not.
    const isRight = isSame(lands, ['x', 'z']) || (fault?.id === '5.3' && isSame(lands, ['z']));
    if (!isRight) return 'Landed must be x, z';
    const { git } = opened.place;
    const files = git('ls-tree', '--name-only', 'main', '--', 'x.num', 'y.num', 'z.num').split('\n');
    if (!isSame(files, ['x.num', 'z.num'])) return `main has ${files.join(', ')}`;
    const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
    return kept.every((branch) => branches.includes(branch)) ? undefined : 'A refused branch is gone';
  },
  6: (value, { opened, fault }) => {
    if (opened.mostAtOnce() > 2) return 'More than two agents at a time';
    if (fault?.id === '6.4' && opened.turns.length > 6) return 'A repository that was done ran again';
    for (const [index, repo] of (opened.world.repos ?? []).entries()) {
      const wrong = wrongRepository(value[repo], index + 1, repo, fault?.id === '6.3');
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  },
  7: (value, { opened, fault }) => {
    const isAsked = fault?.disturb?.form !== 'two' || opened.turns.length > 1;
    if (!isAsked) return 'It took one of two different answers';
    if (!isSame(value, { job: 'deploy', cause: 'infra', line: 4 })) return 'Another value';
    const files = readdirSync(opened.place.cwd);
    return isSame(files, ['build.log']) ? undefined : `The folder has ${files.join(', ')}`;
  },
  8: ({ landed, failed }, { opened, fault }) => {
    const wrong = strings(failed);
    if (landed !== 12 - wrong.length) return 'Each file must have landed or failed';
    const files = (opened.world.input as { files: string[] }).files;
    const other = files.find((file) => isNew(opened, file) === wrong.includes(file));
    if (other !== undefined) return `${other} is not on main as the value says`;
    if (onMain(opened, 'other.txt') !== 'other') return 'Another file was changed';
    return wrong.every((file) => fault !== undefined && file === 'f03.txt') ? undefined : TOO_LITTLE;
  },
  9: (value, { opened, fault }) => {
    if (JSON.stringify(value).includes(SECRET)) return 'It contains a secret';
    const comments = [
      { path: 'app.txt', line: 2, text: 'Why in capitals?' },
      { path: 'new.txt', line: 1, text: 'Add a title.' },
    ];
    // A text with a secret can also be masked.
    const texts = fault?.id === '9.4' ? /"text":"[^"]*"/gu : /^$/u;
    const textless = (one: unknown): string => JSON.stringify(one).replace(texts, '');
    if (textless(value) !== textless({ comments })) return 'Other comments';
    return opened.place.git('rev-list', '--count', 'main..feature') === '1'
      ? undefined
      : 'The branch has changed';
  },
  10: ({ rounds, green }, { opened, fault }) => {
    const isGreen = !onMain(opened, 'parts.txt').includes('broken');
    if (green !== isGreen) return 'main is not as the value says';
    if (fault === undefined) return rounds === 2 && isGreen ? undefined : 'Two rounds had to be enough';
    if (fault.id === '10.2') return rounds === 4 && !isGreen ? undefined : 'Four rounds had to fail';
    return Number(rounds) >= 2 && Number(rounds) <= 4 ? undefined : 'Two to four rounds';
  },
};

function wrongRepository(value: unknown, number: number, repo: string, mayFail: boolean): string | undefined {
  const isFailure = typeof (value as { error?: unknown } | undefined)?.error === 'string';
  const isRight = isSame(value, { ok: true, version: `1.0.${number}` });
  if (!isRight && !(isFailure && mayFail && number === 2)) return `A wrong value for r${number}`;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: repo, encoding: 'utf8' }).trim();
  if (git('status', '--porcelain') !== '' || git('rev-list', '--count', 'main') !== '1') {
    return `r${number} has changed`;
  }
  const isClean = readFileSync(join(repo, 'name.txt'), 'utf8') === `r${number}\n`;
  return isClean ? undefined : `r${number} has changed`;
}

function strings(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function isNew(opened: OpenWorld, file: string): boolean {
  return onMain(opened, file).includes('new');
}

function onMain({ place }: OpenWorld, file: string): string {
  return place.git('show', `main:${file}`);
}
