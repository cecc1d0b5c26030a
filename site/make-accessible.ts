/** Accessibility of the built pages: a keyboard reaches each wide table and code block, by its own name. */

/** Returns a page whose tables and code blocks can be focused, with distinct names, and whose search button is named once. */
export function accessible(html: string): string {
  let count = 0;
  return (
    html
      // Its text would be a part of the button's visible name, and not of its label. The style writes it.
      .replaceAll(/<kbd class="sl-hidden md:sl-flex[^>]*>.*?<\/kbd>\s*<\/kbd>/gsu, '')
      .replaceAll('<table>', () => `<table tabindex="0" aria-label="Table ${++count}">`)
      .replaceAll(
        /<pre data-language="(?<language>[^"]*)">/gu,
        (_pre, language: string) =>
          `<pre data-language="${language}" tabindex="0" aria-label="Code ${++count}: ${language}">`,
      )
  );
}
