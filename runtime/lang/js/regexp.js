// RegExp, whose patterns are translated before goja's own class sees them.
(function (Native, go, construct, defineProperty) {
  "use strict";
  const { translate, escape } = go;
  function RegExp(pattern, flags) {
    const called = new.target === undefined;
    if (called && flags === undefined && pattern instanceof Native && pattern.constructor === RegExp) return pattern;
    return construct(Native, translate(pattern, flags), called || new.target === RegExp ? Native : new.target);
  }
  const define = (on, name, value) => defineProperty(on, name, { __proto__: null, value, writable: true, configurable: true });
  defineProperty(RegExp, "prototype", { __proto__: null, value: Native.prototype, writable: false });
  defineProperty(RegExp, Symbol.species, {
    __proto__: null,
    // split and matchAll ask for it; goja's own class keeps them on its fast path.
    get() { return this === RegExp ? Native : this; },
    configurable: true,
  });
  define(RegExp, "escape", { escape(string) { return escape(string); } }.escape);
  define(Native.prototype, "constructor", RegExp);
  return RegExp;
})
