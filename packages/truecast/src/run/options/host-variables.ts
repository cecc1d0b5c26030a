/**
 * Environment variables that control programs of the host: which code they load, whom they trust,
 * and where they connect to. Pure.
 */

/** Loaders, interpreters, git, certificates and proxies. Windows ignores the case of names. */
const HOST_VARIABLE =
  /^(?:PATH|HOME|ENV|BASH_ENV|SHELLOPTS|(?:LD|DYLD|GIT)_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|SSH_ASKPASS|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|SSL_CERT_.*|.*_PROXY)$/iu;

/** Variables of a file, split by use. */
export interface SplitVariables {
  /** Safe for programs of the host. */
  readonly plain: Readonly<Record<string, string>>;
  /** Only for programs in a sandbox. */
  readonly steering: Readonly<Record<string, string>>;
}

/** Separates the variables that host programs must not receive from a repository's file. */
export function splitHostVariables(values: Readonly<Record<string, string>>): SplitVariables {
  const entries = Object.entries(values);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !HOST_VARIABLE.test(name))),
    steering: Object.fromEntries(entries.filter(([name]) => HOST_VARIABLE.test(name))),
  };
}
