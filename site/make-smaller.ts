/**
 * Smaller pages: colours of code as classes, anchors of headings drawn by the style, and entries of the
 * contents without repeated settings. Nearly half of the bytes of a long page were these.
 */

/** Colour of code that has no other one. The block has it already. */
const PLAIN = /<span style="--0:#e6edf3;--1:#1f2328">(?<text>[^<]*)<\/span>/giu;
const COLORED = /<span style="--0:(?<dark>#[0-9a-f]{6});--1:(?<light>#[0-9a-f]{6})">/giu;
/** The icon of `theme.css` takes its place. */
const ANCHOR = /(?<start>class="sl-anchor-icon">)<svg[^>]*>.*?<\/svg>/gu;
/** Entries of the contents of a page inherit the depth of their list. */
const DEPTH = /<(?<element>li|a|span)(?<before>[^>]*) style="--depth: \d;"/gu;

/** Returns a page that looks the same. */
export function smaller(html: string): string {
  const classes = new Map<string, string>();
  const styles: string[] = [];
  const classOf = (dark: string, light: string): string => {
    const pair = `${dark}${light}`;
    const known = classes.get(pair) ?? `c${classes.size}`;
    if (!classes.has(pair)) {
      classes.set(pair, known);
      const selector = `.expressive-code .ec-line .${known}`;
      styles.push(`${selector}{color:${dark}}[data-theme=light] ${selector}{color:${light}}`);
    }
    return known;
  };
  const changed = html
    .replaceAll(PLAIN, '$<text>')
    .replaceAll(COLORED, (_span, dark: string, light: string) => `<span class="${classOf(dark, light)}">`)
    .replaceAll(ANCHOR, '$<start>')
    .replaceAll(DEPTH, '<$<element>$<before>')
    // The pages have one direction.
    .replaceAll('<code dir="auto">', '<code>');
  return styles.length === 0
    ? changed
    : changed.replace('</head>', `<style>${styles.join('')}</style></head>`);
}
