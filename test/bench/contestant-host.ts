/** Fake contestant of a bench: replies to each request, or crashes as its argument says. */
import { PassThrough } from 'node:stream';

const [how = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit());
process.on('message', () => {
  if (how === 'exits') process.exit(3);
  // The pipe of a child that ended before it read its input.
  if (how === 'broken pipe') {
    new PassThrough().destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  } else process.send?.({ answer: 42 });
});
