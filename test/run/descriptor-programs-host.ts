/**
 * Program that inherited descriptors and starts every kind of helper program, without a run. Its
 * arguments are a folder of fake programs and a file to copy. The fakes record what they inherit.
 */
import { join } from 'node:path';
import { doctorCommand } from '../../packages/cli/src/doctor/doctor-command.ts';
import { findSandbox, findTopFolder } from '../../packages/cli/src/init/find-defaults.ts';
import {
  copyIntoContainer,
  copyOutOfContainer,
} from '../../packages/truecast/src/sandboxes/containers/container-files.ts';
import { probeBubblewrap } from '../../packages/truecast/src/sandboxes/probe.ts';
import { mcpServers } from '../../packages/server/src/tools/mcp-servers.ts';

const [bin = '', file = ''] = process.argv.slice(2);
const terminal = { stdout: process.stderr, stderr: process.stderr };

await probeBubblewrap({ searchPath: bin });
await doctorCommand({}, terminal);
const container = { engine: 'docker', name: 'test', user: '0', fileBytes: 1024 } as const;
await copyIntoContainer(container, file, '/inside');
await copyOutOfContainer(container, '/inside', `${file}-out`);
await findSandbox();
await findTopFolder(bin).catch(() => undefined);
const servers = mcpServers([{ name: 'fake', command: join(bin, 'mcp-server') }]);
await servers.tools();
await servers.close();
// The fake git has no version.
process.exitCode = 0;
