/** Owns the public face of Truecast: what `import … from 'truecast'` gives. */
