// DOMException, as far as errors of structuredClone, atob, crypto and AbortSignal need it.
(function (Error, Object) {
  "use strict";
  const codes = {
    __proto__: null,
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11,
    SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15,
    TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21,
    QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };
  class DOMException extends Error {
    #name;
    constructor(message = "", options = "Error") {
      super(`${message}`);
      if (options !== null && typeof options === "object") {
        this.#name = "name" in options ? `${options.name}` : "Error";
        if ("cause" in options) {
          Object.defineProperty(this, "cause", { __proto__: null, value: options.cause, writable: true, configurable: true });
        }
      } else {
        this.#name = `${options}`;
      }
    }
    get name() { return this.#name; }
    get code() { return codes[this.#name] ?? 0; }
    get [Symbol.toStringTag]() { return "DOMException"; }
  }
  return { DOMException };
})
