// TextEncoder and TextDecoder of https://encoding.spec.whatwg.org/.
(function (native) {
  "use strict";
  const { encode, encodeInto, decoder } = native;
  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(input = "") { return encode(`${input}`); }
    encodeInto(source, destination) { return encodeInto(`${source}`, destination); }
    get [Symbol.toStringTag]() { return "TextEncoder"; }
  }
  class TextDecoder {
    #encoding; #decode; #fatal; #ignoreBOM;
    constructor(label = "utf-8", options = {}) {
      const { fatal = false, ignoreBOM = false } = options ?? {};
      this.#fatal = !!fatal;
      this.#ignoreBOM = !!ignoreBOM;
      const made = decoder(`${label}`, this.#fatal, this.#ignoreBOM);
      this.#encoding = made[0];
      this.#decode = made[1];
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input, options) {
      const decode = this.#decode;
      return decode(input, options !== undefined && options !== null && !!options.stream);
    }
    get [Symbol.toStringTag]() { return "TextDecoder"; }
  }
  return { TextEncoder, TextDecoder };
})
