/** Isolation flags of a sandbox, the same for every command and for the probe. Pure. */

/** The guest's user, and its isolation. */
export interface IsolationOptions {
  readonly uid: number;
  readonly gid: number;
  /** True if the guest uses the host's network. */
  readonly sharesNetwork: boolean;
  /** True if this version of bubblewrap can forbid user namespaces inside. */
  readonly canDisableUserNamespaces: boolean;
}

/** Returns the flags of the namespaces, the user and the capabilities. */
export function isolationFlags(options: IsolationOptions): readonly string[] {
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    options.sharesNetwork ? [] : ['--unshare-net'],
    options.canDisableUserNamespaces ? ['--disable-userns'] : [],
    ['--uid', String(options.uid), '--gid', String(options.gid)],
    // Run by root, bubblewrap keeps every capability by default.
    ['--cap-drop', 'ALL'],
    // The new session detaches the guest from the caller's terminal. Otherwise it could type
    // commands into the terminal.
    ['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ].flat();
}
