/** Owns how the forwarder and its socket are shown inside a sandbox, and how it is started. */
import { extname } from 'node:path';
import { locateForwarder } from './locate-forwarder.ts';

/** Free in every sandbox, since each command has a network of its own. */
const PORT = 8080;
const SOCKET_PATH = '/run/truecast/model.sock';

/** The URL inside that stands for the model's. */
export const MODEL_BASE_URL: string = `http://127.0.0.1:${PORT}`;

/** Returns the binds that the forwarder needs, and what stands before the command. */
export function forwarderArguments(socketPath: string): {
  readonly binds: readonly string[];
  readonly prefix: readonly string[];
} {
  const program = locateForwarder();
  // Node tells from the ending whether it must strip types.
  const inside = `/run/truecast/forwarder${extname(program)}`;
  return {
    binds: ['--ro-bind', socketPath, SOCKET_PATH, '--ro-bind', program, inside],
    prefix: [process.execPath, '--disable-warning=ExperimentalWarning', inside, SOCKET_PATH, String(PORT)],
  };
}
