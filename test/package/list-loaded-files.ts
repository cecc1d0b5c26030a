/** Preload of a program: writes the addresses of the files that it has loaded to the file of TRUECAST_LOADED_FILES. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) loaded.add(url);
    return nextLoad(url, context);
  },
});

process.on('exit', () => {
  writeFileSync(process.env['TRUECAST_LOADED_FILES'] ?? '', JSON.stringify([...loaded]));
});
