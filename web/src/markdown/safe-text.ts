/** Text of a model without characters that reorder the text around them. Pure. */

/** Embeddings, overrides and isolates: they can make a link or code read as another one. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/gu;

/** Returns the text with a visible name for each reordering character. */
export function safeText(text: string): string {
  return text.replaceAll(
    REORDERING,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}

/** Address of a link that the console opens. */
export interface SafeAddress {
  readonly href: string;
  /** Host, or the recipient of a message. Names in other scripts are in ASCII. */
  readonly host: string;
}

/** Returns the address of a link. Undefined for all but absolute web and mail addresses. */
export function safeAddress(target: string | null): SafeAddress | undefined {
  const url = target === null ? null : URL.parse(target);
  if (url === null) return undefined;
  if (url.protocol === 'mailto:') return { href: url.href, host: safeText(url.pathname) };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  // A name before the host can look like a host.
  url.username = '';
  url.password = '';
  return { href: url.href, host: url.host };
}
