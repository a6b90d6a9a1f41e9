// crypto, with what needs no key.
(function (native, Promise) {
  "use strict";
  const { randomUUID, fill, digest } = native;
  class SubtleCrypto {
    async digest(algorithm, data) { return digest(algorithm, data); }
  }
  class Crypto {
    #subtle = new SubtleCrypto();
    get subtle() { return this.#subtle; }
    randomUUID() { return randomUUID(); }
    getRandomValues(array) { return fill(array); }
  }
  return new Crypto();
})
