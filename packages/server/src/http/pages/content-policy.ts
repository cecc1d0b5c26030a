/** Content Security Policy of a page: only resources that the page names are allowed. */

const RULES: readonly string[] = [
  "default-src 'none'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Returns the header's value for a page that calls this server only, with its own rules. */
export function contentPolicy(rules: readonly string[]): string {
  return [...rules, ...RULES].join('; ');
}
