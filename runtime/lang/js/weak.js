// WeakRef and FinalizationRegistry. A run is short and goja keeps no weak references: what
// is referred to lives until the run ends, and nothing is ever finalised, both of which the
// standard allows.
(function () {
  "use strict";
  const held = value => {
    if (value === null || typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol") {
      throw new TypeError(`${String(value)} cannot be held weakly`);
    }
    return value;
  };
  class WeakRef {
    #target;
    constructor(target) { this.#target = held(target); }
    deref() { return this.#target; }
    get [Symbol.toStringTag]() { return "WeakRef"; }
  }
  class FinalizationRegistry {
    #tokens = new WeakSet();
    constructor(cleanup) { if (typeof cleanup !== "function") throw new TypeError("FinalizationRegistry: cleanup must be callable"); }
    register(target, value, token = undefined) {
      if (held(target) === value) throw new TypeError("FinalizationRegistry.prototype.register: target and holdings must not be same");
      if (token !== undefined && typeof held(token) !== "symbol") this.#tokens.add(token);
    }
    unregister(token) { return typeof held(token) !== "symbol" && this.#tokens.delete(token); }
    get [Symbol.toStringTag]() { return "FinalizationRegistry"; }
  }
  return { WeakRef, FinalizationRegistry };
})
