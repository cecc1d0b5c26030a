#!/usr/bin/env node
/** Start of the `truecast` command: checks the version of Node before any other module is loaded. */
import { endWithReader } from './terminal/print.ts';
import packageJson from '../package.json' with { type: 'json' };

endWithReader(process);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [minMajor = 0, minMinor = 0] = packageJson.engines.node.replace('>=', '').split('.').map(Number);
const isSupported = major > minMajor || (major === minMajor && minor >= minMinor);
const [flag, ...others] = process.argv.slice(2);
const isVersionAsked = (flag === '--version' || flag === '-v' || flag === '-V') && others.length === 0;

if (isVersionAsked) {
  process.stdout.write(`${packageJson.version}\n`);
} else if (isSupported) {
  const { main } = await import('./main.ts');
  await main();
} else {
  process.stderr.write(
    `truecast needs Node ${minMajor}.${minMinor} or newer, and this is Node ${process.versions.node}. Install Node 24 (for example with \`nvm install 24\` or from your package manager), then run the command again.\n`,
  );
  process.exitCode = 2;
}
