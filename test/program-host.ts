/**
 * Program host: runs programs one after the other in one process. Each line of the socket names one. After
 * its output the host writes the mark, and sends the exit code.
 */
import { openSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { z } from 'zod';
import { forgetQuickFork } from './runner/quick-fork.ts';

const askedSchema = z.object({
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
});

const [socketPath = '', mark = ''] = process.argv.slice(2);
forgetQuickFork();
const ownVariables = { ...process.env };
const isOnTerminal = process.stdout.isTTY;
const exited = Symbol('exited');
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw exited;
};

const socket = connect(socketPath);
let count = 0;
for await (const line of createInterface({ input: socket })) {
  const { file, args, cwd, env } = askedSchema.parse(JSON.parse(line));
  process.chdir(cwd);
  // Not a new object: the folder of the user, and a program that it starts, come from the real one.
  for (const name of Object.keys(process.env)) if (!(name in ownVariables)) delete process.env[name];
  Object.assign(process.env, ownVariables, env);
  process.argv = [process.execPath, file, ...args];
  process.exitCode = undefined;
  const stdin = isOnTerminal ? newTerminalInput() : undefined;
  count += 1;
  try {
    // A module with another query is evaluated again.
    await import(`${pathToFileURL(file).href}?${count}`);
  } catch (error) {
    if (error !== exited) {
      process.stderr.write(`${inspect(error)}\n`);
      process.exitCode = 1;
    }
  }
  stdin?.destroy();
  const exitCode = process.exitCode ?? 0;
  process.stdout.write(mark);
  if (!isOnTerminal) process.stderr.write(mark);
  socket.write(`${exitCode}\n`);
}

/** The program before can have read this input to its end. */
function newTerminalInput(): ReadStream {
  const stdin = new ReadStream(openSync('/dev/tty', 'r'));
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  return stdin;
}
