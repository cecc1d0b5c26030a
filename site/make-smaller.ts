/**
 * Smaller pages: colours of code as classes, and one drawing for the anchors of all headings. A third of the
 * bytes of a long page were these.
 */

/** Colour of code that has no other one. The block has it already. */
const PLAIN = /<span style="--0:#e6edf3;--1:#1f2328">(?<text>[^<]*)<\/span>/giu;
const COLORED = /<span style="--0:(?<dark>#[0-9a-f]{6});--1:(?<light>#[0-9a-f]{6})">/giu;
const ANCHOR = /(?<start>class="sl-anchor-icon"><svg[^>]*>)(?<drawing><path d="[^"]*">)<\/path>/gu;
const DRAWING = 'anchor-drawing';

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
  let anchors = 0;
  const changed = html
    .replaceAll(PLAIN, '$<text>')
    .replaceAll(COLORED, (_span, dark: string, light: string) => `<span class="${classOf(dark, light)}">`)
    .replaceAll(ANCHOR, (_icon, start: string, drawing: string) => {
      anchors += 1;
      const first = drawing.replace('<path', `<path id="${DRAWING}"`);
      return start + (anchors === 1 ? `${first}</path>` : `<use href="#${DRAWING}"></use>`);
    })
    // The pages have one direction.
    .replaceAll('<code dir="auto">', '<code>');
  return styles.length === 0
    ? changed
    : changed.replace('</head>', `<style>${styles.join('')}</style></head>`);
}
