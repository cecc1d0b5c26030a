/** Owns the flags that shut a sandbox off from the host, the same for every command and for the probe. Pure. */

/** Who the guest is, and what it is cut off from. */
export interface IsolationOptions {
  readonly uid: number;
  readonly gid: number;
  /** True when the guest uses the host's network. */
  readonly sharesNetwork: boolean;
  /** True when this bubblewrap can forbid user namespaces inside. */
  readonly canDisableUserNamespaces: boolean;
}

/** Returns the flags of the namespaces, the user and the capabilities. */
export function isolationFlags(options: IsolationOptions): readonly string[] {
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    options.sharesNetwork ? [] : ['--unshare-net'],
    options.canDisableUserNamespaces ? ['--disable-userns'] : [],
    ['--uid', String(options.uid), '--gid', String(options.gid)],
    // Run by root, bubblewrap keeps every capability unless it is told not to.
    ['--cap-drop', 'ALL'],
    // The new session takes the caller's terminal away, into which a guest could type commands.
    ['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ].flat();
}
