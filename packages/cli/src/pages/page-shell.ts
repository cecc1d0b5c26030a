/** Shell of a page that is one file: no network, both color schemes, data as JSON. Pure. */

export interface PageParts {
  readonly title: string;
  /** Content of the body, as HTML. */
  readonly body: string;
  readonly style: string;
  /** A script that reads the element `data`. @default none */
  readonly script?: string;
  /** Data that the script reads. */
  readonly data?: unknown;
}

const BASE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1b1f, #ececf1); --soft: light-dark(#5c5c66, #a5a5b2);
  --line: light-dark(#dcdce2, #34343c); --page: light-dark(#fbfbfc, #131316); --card: light-dark(#fff, #1c1c21);
  --good: light-dark(#17703a, #5fd08a); --warn: light-dark(#8a5a00, #f0b84b); --accent: light-dark(#2f4fd0, #93a8ff); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** Returns the page. Its content security policy allows only the parts in the page. */
export function pageOf({ title, body, style, script, data }: PageParts): string {
  const json = JSON.stringify(data ?? null).replaceAll('<', '\\u003c');
  const scripts =
    script === undefined
      ? ''
      : `<script type="application/json" id="data">${json}</script>\n<script>${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${BASE_STYLE}${style}</style>
</head>
<body>
<main>
${body}
</main>
${scripts}</body>
</html>
`;
}

/** Escapes a text for HTML, and removes control characters and bidirectional marks. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
