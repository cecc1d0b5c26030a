/** Owns what a sandbox shows at a path, in words that every kind of local sandbox can carry out. Pure. */

/** One thing that is shown. */
export type GuestBind =
  | {
      readonly type: 'bind';
      readonly hostPath: string;
      readonly sandboxPath: string;
      readonly readonly: boolean;
    }
  /** A folder of the sandbox's own, empty at first; others may be shown in it. */
  | { readonly type: 'empty'; readonly sandboxPath: string }
  /** A symbolic link, in an empty folder. */
  | { readonly type: 'link'; readonly sandboxPath: string; readonly target: string };

type PathBind = Extract<GuestBind, { readonly type: 'bind' }>;

/** Shows a host path at the same path, not to be written. */
export function readOnly(path: string): PathBind {
  return { type: 'bind', hostPath: path, sandboxPath: path, readonly: true };
}

/** Shows a host path at the same path, to be written. */
export function writable(path: string): PathBind {
  return { type: 'bind', hostPath: path, sandboxPath: path, readonly: false };
}

/** Shows an empty folder. */
export function emptyFolder(sandboxPath: string): GuestBind {
  return { type: 'empty', sandboxPath };
}

/** Shows a link at `sandboxPath`. */
export function linkTo(target: string, sandboxPath: string): GuestBind {
  return { type: 'link', sandboxPath, target };
}
