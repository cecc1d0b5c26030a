/** Model address: the URL of a Chat Completions server, and the name of a model there, as `http://…/v1#model`. */

/** A server, and one of its models. */
export interface ModelAddress {
  /** URL up to and including `/v1`, without a slash at its end. */
  readonly url: string;
  /** @default not named */
  readonly model?: string;
}

/** Parses `http://…/v1` or `http://…/v1#model`. Returns undefined for any other text. */
export function parseModelAddress(text: string): ModelAddress | undefined {
  const match = /^(?<url>https?:\/\/[^#]+?)\/*(?:#(?<model>.*))?$/su.exec(text.trim());
  const { url, model = '' } = match?.groups ?? {};
  return url === undefined ? undefined : { url, ...(model !== '' && { model }) };
}

/** Returns an address without its user and password, for a message. */
export function withoutPassword(address: string): string {
  return address.replace(/(?<=:\/\/)[^\s/?#]*@/u, '');
}
