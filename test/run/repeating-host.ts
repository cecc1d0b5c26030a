/**
 * Process that executes a run with an id, and is killed by a test or by itself. It prints the result as
 * JSON. Its argument is the JSON of `ExecutionOptions` and `kill`.
 */
import { type Kill, watchWrites } from './executed-writes.ts';
import { executeRun, type ExecutionOptions } from './repeating-run.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as ExecutionOptions & { readonly kill?: Kill };
const watched = watchWrites(options.kill);
const printed = await executeRun(options);
process.stdout.write(JSON.stringify({ ...printed, writes: watched.count() }));
