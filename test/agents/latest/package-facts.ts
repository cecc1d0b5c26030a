/** Facts that npm reports about a package: its versions, its successor, and whether it is quiet. Pure. */
import { z } from 'zod';

const view = z.looseObject({
  version: z.string(),
  versions: z.union([z.array(z.string()), z.string().transform((only) => [only])]),
  deprecated: z.string().optional(),
  time: z.record(z.string(), z.string()).optional(),
});

/** A package as npm reports it. */
export interface PackageFacts {
  readonly name: string;
  readonly newest: string;
  /** Versions to try, the newest first: a release can lack a dependency for some days. */
  readonly candidates: readonly string[];
  /** Package that the deprecation names. */
  readonly successor?: string;
  /** Days since the newest version, if the package seems to be left: it can have a new name. */
  readonly quietDays?: number;
}

const MAX_CANDIDATES = 4;
/** Agents are released each week. */
const QUIET_DAYS = 45;
const DAY_MS = 86_400_000;
const PACKAGE_NAME = /@[a-z\d][\w.-]*\/[a-z\d](?:[\w.-]*\w)?/giu;

/** Reads the output of `npm view NAME version versions deprecated time --json`. */
export function readPackageFacts(name: string, json: string, now: Date): PackageFacts {
  const { version, versions, deprecated, time } = view.parse(JSON.parse(json));
  const stable = versions.filter((one) => /^\d+\.\d+\.\d+$/u.test(one));
  const upTo = stable.slice(0, stable.indexOf(version) + 1).toReversed();
  const successor = deprecated?.match(PACKAGE_NAME)?.find((named) => named !== name);
  const released = Date.parse(time?.[version] ?? '');
  const days = Math.floor((now.getTime() - released) / DAY_MS);
  return {
    name,
    newest: version,
    candidates: upTo.length === 0 ? [version] : upTo.slice(0, MAX_CANDIDATES),
    ...(successor !== undefined && { successor }),
    ...(days > QUIET_DAYS && { quietDays: days }),
  };
}
