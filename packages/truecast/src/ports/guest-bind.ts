/**
 * Binds: the content that a sandbox shows at a path, in a form that every local sandbox supports.
 * Pure.
 */

export type GuestBind =
  | {
      readonly type: 'bind';
      readonly hostPath: string;
      readonly sandboxPath: string;
      readonly readonly: boolean;
    }
  /** A folder of the sandbox, initially empty. It can contain other binds. */
  | { readonly type: 'empty'; readonly sandboxPath: string };

type PathBind = Extract<GuestBind, { readonly type: 'bind' }>;

/** Binds a host path read-only at the same path. */
export function readOnly(path: string): PathBind {
  return { type: 'bind', hostPath: path, sandboxPath: path, readonly: true };
}

/** Binds a host path writable at the same path. */
export function writable(path: string): PathBind {
  return { type: 'bind', hostPath: path, sandboxPath: path, readonly: false };
}

export function emptyFolder(sandboxPath: string): GuestBind {
  return { type: 'empty', sandboxPath };
}
