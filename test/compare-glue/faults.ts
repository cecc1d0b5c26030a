/** Forty faults, four for each job: the injected change, and the outcomes that survive it. */
import type { Disturbance, Place } from './world.ts';

/** One fault of one job. */
export interface Fault {
  /** Its job, letter and place in the list, such as `3c`. */
  readonly id: string;
  readonly job: number;
  readonly letter: 'a' | 'b' | 'c' | 'd';
  readonly title: string;
  readonly disturb?: Disturbance;
  /** Changes the world before the program starts. */
  readonly prepare?: (place: Place, input: object) => void;
  /**
   * `right`: only the right value survives. `named`: the right value, or an error whose message matches
   * `names`.
   */
  readonly expects: 'right' | 'named';
  readonly names?: RegExp;
  /** @default 90000 */
  readonly limitMs?: number;
}

type FaultRow = Omit<Fault, 'id' | 'job'>;

const READING = /json|answer|output|ambiguous|two|differ|invalid|parse/iu;
const SERVICE =
  /429|rate|limit|connection|exit|ended|token|cut|truncat|length|incomplete|json|answer|output/iu;
const TIME = /time|limit|abort|hang|hung|end/iu;

const ROWS: Readonly<Record<number, readonly FaultRow[]>> = {
  1: [
    answer('a', 'the plan is in a code fence', { of: 'model', form: 'fence' }),
    answer('b', 'the plan names a file twice, once', { of: 'model', isWrong: true }),
    answer('c', 'the model is limited once (429)', { of: 'model', service: 'limit' }),
    {
      letter: 'd',
      title: 'all branches also change the same line of one file',
      disturb: { times: 3, shell: 'echo "by $$" > index.txt && git commit -q -a --amend --no-edit' },
      expects: 'right',
    },
  ],
  2: [
    answer('a', 'the review is in prose with brackets', { form: 'prose' }),
    answer('b', 'a problem is on a line that does not exist, once', { subject: 'review', isWrong: true }),
    {
      ...answer('c', 'the review is cut at its token limit, once', { service: 'length' }),
      expects: 'named',
      names: SERVICE,
    },
    {
      letter: 'd',
      title: 'the CLI exits with 1 after it has committed the fix',
      disturb: { subject: 'fix', end: 'fail' },
      expects: 'named',
      names: /exit|fail|unexpected/iu,
    },
  ],
  3: [
    answer('a', 'the second answer is in a code fence', { subject: 'two', form: 'fence' }),
    answer('b', 'the second answer has a wrong type, once', { subject: 'two', isWrong: true }),
    {
      letter: 'c',
      title: 'the second run ends at a rate limit (429), after its commit',
      disturb: { subject: 'two', service: 'limit' },
      expects: 'named',
      names: /429|rate/iu,
    },
    {
      letter: 'd',
      title: 'the second agent commits on another branch',
      disturb: { subject: 'two', insteadShell: `git checkout -q -b mine && ${closes('two')}` },
      expects: 'named',
      names: /branch|commit|two/iu,
    },
  ],
  4: [
    answer('a', 'the choice is in prose with brackets', { of: 'model', form: 'prose' }),
    answer('b', 'the choice is 4, once', { of: 'model', isWrong: true }),
    answer('c', 'the connection to the model is cut in the middle of the reply, once', {
      of: 'model',
      service: 'cut',
    }),
    {
      letter: 'd',
      title: 'one of the three agents never ends',
      disturb: { subject: 'quality 3', end: 'hang', times: 99 },
      expects: 'named',
      names: TIME,
      limitMs: 25_000,
    },
  ],
  5: [
    {
      letter: 'd',
      title: 'a branch conflicts with what has landed',
      prepare: (place, input) => {
        conflictingBranch(place);
        Object.assign(input, { branches: ['x', 'y', 'w', 'z'] });
      },
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'the check leaves files, and changes one',
      prepare: (_place, input) =>
        Object.assign(input, { check: 'echo cache > cache.tmp && echo run >> note.txt && sh check.sh' }),
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'the program is killed in the middle of the second check, and started again',
      prepare: ({ root }, input) => Object.assign(input, { check: killingCheck(root) }),
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'the check of one branch never ends',
      prepare: (_place, input) =>
        Object.assign(input, { check: 'if test -e y.num; then sleep 600; fi; sh check.sh' }),
      expects: 'named',
      names: TIME,
      limitMs: 25_000,
    },
  ],
  6: [
    answer('a', 'one answer has a trailing comma', { subject: 'r2', form: 'comma' }),
    answer('b', 'one version is not one of semver, once', { subject: 'r2', isWrong: true }),
    answer('c', 'one agent ends at a rate limit (429), once', { subject: 'r2', service: 'limit' }),
    {
      letter: 'd',
      title: 'the program is killed at the fourth repository, and started again',
      disturb: { subject: 'r4', killsProgram: true },
      expects: 'right',
    },
  ],
  7: [
    {
      ...answer('a', 'the text has two different answers', { form: 'two' }),
      expects: 'named',
      names: READING,
    },
    answer('b', 'the cause is not one of the three, once', { isWrong: true }),
    {
      ...answer('c', 'the connection of the agent is cut in the middle of its text', { service: 'cut' }),
      expects: 'named',
      names: SERVICE,
    },
    {
      letter: 'd',
      title: 'the agent leaves a file in the folder',
      disturb: { shell: 'echo note > note.txt' },
      expects: 'named',
      names: /note\.txt|chang|file/iu,
    },
  ],
  8: [
    {
      letter: 'c',
      title: 'one agent ends at a rate limit (429) before it works',
      disturb: { subject: 'f03.txt', insteadShell: 'true', service: 'limit' },
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'one CLI exits with 1 after it has committed',
      disturb: { subject: 'f03.txt', end: 'fail' },
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'one agent changes another file too',
      disturb: { subject: 'f03.txt', shell: 'echo more >> other.txt && git commit -q -a -m More' },
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'one agent leaves its work uncommitted',
      disturb: { subject: 'f03.txt', insteadShell: 'sed -i s/old/new/ f03.txt' },
      expects: 'right',
    },
  ],
  9: [
    answer('a', 'the comments are in prose with brackets', { form: 'prose' }),
    answer('b', 'a comment is on a line outside of the diff, once', { isWrong: true }),
    {
      letter: 'd',
      title: 'the agent commits a change during the review',
      disturb: { shell: 'echo TWO >> app.txt && git commit -q -a -m Meddle' },
      expects: 'named',
      names: /commit|chang/iu,
    },
    {
      letter: 'd',
      title: 'the agent prints a secret of its environment, also in a comment',
      disturb: { form: 'secret', shell: 'echo "$SERVICE_TOKEN"' },
      expects: 'named',
      names: /secret|token|credential/iu,
    },
  ],
  10: [
    {
      letter: 'c',
      title: 'the second round ends at a rate limit (429), after its commit',
      disturb: { subject: 'round 2', service: 'limit' },
      expects: 'named',
      names: /429|rate/iu,
    },
    {
      letter: 'd',
      title: 'no round makes the test pass',
      disturb: { times: 99, insteadShell: 'echo a try >> parts.txt && git commit -q -a -m "A try"' },
      expects: 'right',
    },
    {
      letter: 'd',
      title: 'the second round passes the test, but commits nothing',
      disturb: { subject: 'round 2', insteadShell: 'sed -i s/broken/fixed/ parts.txt' },
      expects: 'named',
      names: /commit|uncommitted|fail|test/iu,
    },
    {
      letter: 'd',
      title: 'the second round never ends, after its commit',
      disturb: { subject: 'round 2', end: 'hang' },
      expects: 'named',
      names: TIME,
      limitMs: 40_000,
    },
  ],
};

/** All faults, in the order of their jobs. */
export const FAULTS: readonly Fault[] = Object.entries(ROWS).flatMap(([job, rows]) =>
  rows.map((row, index) => ({ ...row, job: Number(job), id: `${job}.${index + 1}` })),
);

/** A fault of the answer or of the service that a second request puts right. */
function answer(letter: Fault['letter'], title: string, disturb: Disturbance): FaultRow {
  return { letter, title, disturb, expects: 'right' };
}

function closes(item: string): string {
  return `sed -i 's/^open ${item}/closed ${item}/' backlog.txt && git commit -q -a -m 'Close ${item}'`;
}

/** A branch `w` that changes the line that `x` changes too. */
function conflictingBranch({ git, write }: Place): void {
  git('checkout', '-q', '-b', 'w', 'main');
  write('x.num', '1\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'Add w');
  git('checkout', '-q', 'main');
}

/** A check that kills the program once: at the second merge, when both counts are there. */
function killingCheck(root: string): string {
  return `if test -e x.num && test -e y.num && mkdir '${root}/killed' 2>/dev/null; then kill-program; sleep 3; fi; sh check.sh`;
}
