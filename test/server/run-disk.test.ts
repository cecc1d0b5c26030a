/** Disks that are full while agent runs are executed: of the worktree, the record, the log and the database. */
import { join } from 'node:path';
import { execa } from 'execa';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores, type StoreFixture } from '../describe-on-both-stores.ts';
import { printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { matrixColumns } from '../matrix.ts';
import { temporaryFolder } from '../run/fixture.ts';

const HOST = await bundledHost(new URL('run-disk-host.ts', import.meta.url));

/** Full disks of the machine, which are the same on both databases. */
const OF_BOTH = ['worktree', 'checkpoint', 'log'] as const;

/** Commits a file. For the prompt `Write much.`, the database's disk has no room for its patch. */
const CLAUDE = `case $(cat) in *much*) bytes=8000000 ;; *) bytes=10 ;; esac
head -c $bytes /dev/zero | tr '\\0' x | fold -w 1000 > one && git add one && git commit -q -m one >&2
${printText('I have written it.')}
${printResult()}`;

describeInBubblewrap('agent runs on full disks', () => {
  describeOnBothStores('with a store', (fixture) => {
    it('fail before the agent starts, and lose nothing after it but the part that is named', async () => {
      const url = fixture.dialect === 'sqlite' ? 'sqlite' : await postgresWithoutSpace(fixture);
      const home = temporaryFolder();
      // Separate disks in separate namespaces: nothing is mounted outside, and no root is needed.
      const places = [...matrixColumns(fixture.row, OF_BOTH, { rows: 2 }), 'blob'];
      const words = ['-Urm', process.execPath, HOST, temporaryFolder(), url, ...places];
      const { stdout } = await execa('unshare', words, {
        env: {
          HOME: home,
          XDG_STATE_HOME: join(home, 'state'),
          CLAUDE_CONFIG_DIR: join(home, '.claude'),
          PATH: writeFakeClaude(temporaryFolder(), CLAUDE),
        },
      });
      const warning = (pattern: RegExp): unknown => expect.stringMatching(pattern);
      const kept = { status: 'succeeded', text: 'Done.', isHead: true, subjects: ['begin', 'one'] };
      const expected: Readonly<Record<string, object>> = {
        // No agent has started. The branch has nothing of it.
        worktree: {
          status: 'failed',
          error: expect.objectContaining({ code: 'repository_failed', reason: 'disk_full' }) as object,
          warnings: [],
          isHead: false,
          subjects: ['begin', 'large'],
          artifacts: ['log'],
        },
        checkpoint: {
          ...kept,
          warnings: expect.arrayContaining([
            warning(/^The state of the run .* could not be stored: .*ENOSPC/su),
          ]) as unknown,
          artifacts: ['changes.patch', 'log'],
        },
        log: {
          ...kept,
          warnings: [warning(/^The log is incomplete: .*ENOSPC/u)],
          artifacts: ['changes.patch'],
        },
        // On SQLite, the receipt waits for room on the same disk, and has its artifacts then.
        blob:
          fixture.dialect === 'sqlite'
            ? { ...kept, warnings: [], artifacts: ['changes.patch', 'log'] }
            : {
                ...kept,
                warnings: expect.arrayContaining([warning(/^`changes\.patch` was not stored: /u)]) as unknown,
                artifacts: expect.not.arrayContaining(['changes.patch']) as unknown,
              },
      };
      const ofPlaces = Object.entries(expected).filter(([place]) => places.includes(place));
      expect(JSON.parse(stdout)).toEqual(Object.fromEntries(ofPlaces));
    });
  });
});

/** Returns the address of a store in which no artifact can be stored, with the error of a full disk. */
async function postgresWithoutSpace(fixture: StoreFixture): Promise<string> {
  const url = await fixture.freshUrl();
  const { db } = await fixture.open(url);
  await sql`create function no_space() returns trigger language plpgsql as
    $$ begin
      if (select repository from agent_runs where id = new.run_id) = 'blob' then
        raise exception 'could not extend file' using errcode = 'disk_full';
      end if;
      return new;
    end $$`.execute(db);
  await sql`create trigger no_space before insert on agent_run_blobs
    for each row when (new.name = 'changes.patch') execute function no_space()`.execute(db);
  return url;
}
