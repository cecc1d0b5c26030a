/** Import of an optional package. A missing one is a `UsageError` with the command that installs it. */
import { UsageError } from './usage-error.ts';

/**
 * Imports an optional package.
 *
 * @param names - the package, and those that it needs
 * @throws UsageError `missing-package`
 */
export async function loadPackage<T>(names: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw explainMissingPackage(cause, names);
  }
}

/**
 * Returns the `UsageError` for a failed import of one of these packages, and any other error
 * unchanged.
 */
export function explainMissingPackage(error: unknown, names: readonly string[]): unknown {
  const missing = missingName(error);
  if (missing === undefined || !names.includes(missing)) return error;
  // Our own packages are not on npm: their names there can be anyone's.
  const install = missing.startsWith('@truecast/')
    ? 'Pack it in a clone of Truecast with `npm run pack -- tarballs`, then run `npm install CLONE/tarballs/*.tgz` here.'
    : `Install it with \`npm install ${missing}\`.`;
  return new UsageError(`This needs the package \`${missing}\`, which is not installed. ${install}`, {
    code: 'missing-package',
    cause: error,
  });
}

/** Node names the package in its message only. */
function missingName(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') {
    return undefined;
  }
  return /^Cannot find package '([^']+)'/u.exec(error.message)?.[1];
}
