/** Owns the error for a sandbox whose service's SDK is not installed. */
import { SandboxError } from '../../../errors/sandbox-error.ts';

/**
 * Imports an optional package.
 *
 * @throws SandboxError `unavailable`, with the command that installs it
 */
export async function loadSdk<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new SandboxError(
      `The package \`${name}\` cannot be imported. Install it: \`npm install ${name}\`.`,
      {
        code: 'unavailable',
        cause,
      },
    );
  }
}
