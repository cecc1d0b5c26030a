import { expect, it } from 'vitest';
import { failedCall } from './git-failure.ts';

it.each([
  'fatal: unable to create /r/.git/index.lock: No space left on device',
  'error: file write error: No space left on device\nfatal: write failure\n',
  'fatal: cannot create directory at a: Disk quota exceeded',
  'fatal: sha1 file /r/.git/index.lock write error. Out of diskspace',
])('is `disk-full` after %j', (stderr) => {
  const error = failedCall('`git x` failed.', 'Run it again.', { stderr, exitCode: 128 });
  expect(error).toMatchObject({ code: 'disk-full', exitCode: 128, stderrTail: stderr });
  expect(error.message).toBe(
    '`git x` failed. No space is left on the disk. Free some space, then run again.',
  );
});

// Git 2.39 on a full disk.
it.each([
  "error: unable to write file a b\nfatal: Could not reset index file to revision 'HEAD'.",
  "fatal: cannot update ref 'refs/heads/b': couldn't write '/r/.git/refs/heads/b.lock'",
  'error: failed to write new configuration file /r/.git/config.lock',
  'fatal: unable to write new index file',
])('is `disk-full` without the reason after %j', (stderr) => {
  const error = failedCall('`git x` failed.', 'Run it again.', { stderr, exitCode: 128 });
  expect(error).toMatchObject({ code: 'disk-full', exitCode: 128 });
  expect(error.message).toContain('probably because it is full');
});

it.each([
  'error: unable to create file a: Permission denied',
  'fatal: not a git repository',
  // The disk of another host.
  'remote: fatal: write error: No space left on device\nfatal: early EOF',
  // A name in a message.
  "error: pathspec ': No space left on device' did not match any file",
])('is `git-failed` after %j', (stderr) => {
  const error = failedCall('`git x` failed.', 'Run it again.', { stderr });
  expect(error).toMatchObject({ code: 'git-failed', message: '`git x` failed. Run it again.' });
  expect(error).not.toHaveProperty('exitCode');
});
