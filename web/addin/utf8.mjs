/** The platform's TextEncoder by hand, since Apps Script has none. A lone surrogate becomes U+FFFD, as everywhere. */
export class TextEncoder {
  /**
   * @param {string} text
   * @returns {Uint8Array}
   */
  encode(text) {
    const out = [];
    for (const character of text) {
      let c = /** @type {number} */ (character.codePointAt(0));
      if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
      if (c < 0x80) out.push(c);
      else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
      else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
      else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    }
    return Uint8Array.from(out);
  }
}
